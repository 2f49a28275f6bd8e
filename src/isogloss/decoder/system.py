"""A loaded translation system: a decoder, the text around it, corrections and matches."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from isogloss.corpus.processing import TextProcessing
from isogloss.decoder.beside import CONFIDENCE, beside
from isogloss.decoder.confidence import ConfidenceModel, read_confidence, write_confidence
from isogloss.decoder.corrections import Correction, Corrections
from isogloss.decoder.decoder import DEFAULT_MAX_WORDS, Decoder
from isogloss.decoder.derivation import Derivation
from isogloss.decoder.matches import Match, TrainingMatches, in_context
from isogloss.decoder.near_examples import NearExamples
from isogloss.decoder.near_matches import NearChoice, NearMatch, best_near_matches
from isogloss.decoder.options import SearchOptions
from isogloss.decoder.plf import Lattice
from isogloss.decoder.search_result import Searched
from isogloss.decoder.sentence import Source
from isogloss.decoder.stored_weights import change_weights, is_changing
from isogloss.decoder.system_facts import RULES, settle, stored_options
from isogloss.decoder.translation import DecodedBatch
from isogloss.decoder.translator import TextTranslator, best_lines, source_text
from isogloss.features.weights import SparseWeights
from isogloss.grammar.table import RuleTable
from isogloss.nbest.edit import best_rows
from isogloss.nbest.store import Int64, NbestStore

if TYPE_CHECKING:
    from isogloss.decoder.completion import Completion
    from isogloss.decoder.explanation import Explanation

__all__ = ["System", "draft"]


class System(TextTranslator):
    """A loaded translation system. Several threads may share one.

    >>> system = isogloss.load("engine")                                      # doctest: +SKIP
    >>> print(system.translate("Der König ist alt."))                         # doctest: +SKIP
    The king is old.
    >>> system.translate("Der König ist alt.").score                          # doctest: +SKIP
    -4.71
    >>> system.nbest(["Der König ist alt ."], nbest=10).num_candidates        # doctest: +SKIP
    10

    ``correct`` sets the translation of a sentence; it holds from the next sentence on.
    """

    def __init__(
        self,
        decoder: Decoder,
        path: Path,
        text: TextProcessing | None = None,
        *,
        corrections: Corrections | None = None,
        matches: TrainingMatches | None = None,
        contexts: TrainingMatches | None = None,
        near: tuple[NearExamples | None, NearChoice] | None = None,
    ) -> None:
        self.decoder, self.path = decoder, path
        self.text = text
        self._corrections, self._matches, self._contexts = corrections, matches, contexts
        self._near = near
        self._corrected: _Corrected | None = None
        self._confidence: ConfidenceModel | Literal["unread"] | None = "unread"
        self._changing = threading.Lock()

    @property
    def options(self) -> SearchOptions:
        """The search options."""
        return self.decoder.options

    @property
    def weights(self) -> Mapping[str, float]:
        """The weights of the dense features."""
        return self.decoder.weights

    def save_weights(self, weights: Mapping[str, float], sparse: SparseWeights | None = None) -> None:
        """Change the weights of this system and store them.

        The confidence was learned with other weights, and is forgotten: see ``save_confidence``.
        """
        self.decoder.set_weights(weights, sparse)
        stored_options(self.path)
        change_weights(self.path, self.decoder.weights, sparse, partial(settle, self.path))
        self._confidence = None

    @property
    def confidence_model(self) -> ConfidenceModel | None:
        """How confidence is computed, as learned from held-out text; None if it was not."""
        if self._confidence == "unread":
            place = beside(self.path, CONFIDENCE)
            known = place.exists() and not is_changing(self.path)
            self._confidence = read_confidence(place) if known else None
        return self._confidence

    def save_confidence(self, model: ConfidenceModel | None) -> None:
        """Store how confidence is computed."""
        write_confidence(beside(self.path, CONFIDENCE), model)
        self._confidence = model

    def correct(self, source: str, target: str) -> Correction:
        """Let a sentence be translated like this from now on, here and wherever the stored system is loaded.

        Sentences that share a phrase with it prefer the phrase's corrected translation, if the system has an
        aligner, as those of ``isogloss.train`` do.
        """
        (made,) = self._own_corrections().add([(source, target)])
        return made

    def correct_all(self, pairs: Iterable[tuple[str, str]]) -> list[Correction]:
        """The same for many sentences, in one step: all of them hold, or none."""
        return self._own_corrections().add(pairs)

    @property
    def why_no_phrases(self) -> str:
        """Why corrections hold for the same source only, not for shared phrases; empty if they do for
        both."""
        return self._own_corrections().why_no_phrases

    def corrections(self) -> list[Correction]:
        """The corrections that hold, the oldest first."""
        return self._own_corrections().current()

    def undo_correction(self, which: int | str | None = None) -> Correction:
        """Take back the last correction, or one by its number or its source."""
        return self._own_corrections().undo(which)

    def renew_corrections(self) -> None:
        """Let corrections fit the stored system, if it was made anew."""
        self._own_corrections().rebuild()

    def _own_corrections(self) -> Corrections:
        """The stored corrections, also if the system translates without them."""
        if self._corrections is not None:
            return self._corrections
        rules = RuleTable.open(self.path / RULES)
        return Corrections(self.path, rules, self.text, partial(draft, self.decoder))

    def training_pairs(self) -> Iterator[tuple[str, str]]:
        """The pairs of the training text, each source with its most frequent translation; none if the
        system does not return them as exact matches."""
        return iter(()) if self._matches is None else self._matches.pairs()

    def with_decoder(self, decoder: Decoder) -> System:
        """The same system, with the same corrections, but another decoder of its features."""
        return System(
            decoder,
            self.path,
            self.text,
            corrections=self._corrections,
            matches=self._matches,
            near=self._near,
        )

    @property
    def overlay(self) -> RuleTable | None:
        """Rules of corrected phrases, which the search uses beside its own; None if there are none."""
        if self._corrections is None:
            return None
        self._corrections.refresh()
        return self._corrections.overlay

    def match(self, sentence: Source, *, tokenized: bool = False, context: str = "") -> Match | None:
        """The translation of a sentence that is known already: a correction, or that of the training text.

        With a ``context`` (``msgctxt`` in a PO file), the training text's translation in that context comes
        first.
        """
        if isinstance(sentence, Lattice) or (self._corrections is None and self._matches is None):
            return None
        given = not isinstance(sentence, str) and bool(sentence.fixed)
        text = source_text(sentence)
        if given and not text:
            return None
        words = text or ("" if isinstance(sentence, str) else " ".join(sentence.words))
        found = None
        if self._corrections is not None:
            self._corrections.refresh()
            if self.text is not None and (tokenized or not text):
                return self._corrections.find_tokens(words, as_text=not tokenized)
            found = self._corrections.find(words)
        # With terms, a translation that does not know them is not wanted; a correction is.
        if found is None and self._matches is not None and not given and not (tokenized and self.text):
            found = self._matches.find(words)
            if context and self._contexts is not None:
                found = self._contexts.find(in_context(words, context)) or found
        return found

    def near_matches(
        self, sentences: Sequence[Source], drafts: NbestStore, rows: Int64, *, threads: int = 1
    ) -> list[NearMatch | None]:
        """What to use in place of translations of tokenized sentences: edited translations of similar ones.

        ``rows`` are the chosen translations in the list ``drafts``.
        """
        sources, choice = self._near_sources()
        if not sources:
            return [None] * len(sentences)
        decoder = self._searching()
        return best_near_matches(decoder, sources, choice, sentences, drafts, rows.tolist(), threads=threads)

    def _near_sources(self) -> tuple[list[NearExamples], NearChoice]:
        if self._near is None:
            return [], NearChoice()
        examples, choice = self._near
        if examples is None:
            return [], choice
        corrected = None if self._corrections is None else self._corrections.examples
        return [examples] if corrected is None else [corrected, examples], choice

    def _searching(self) -> Decoder:
        """The decoder, with the phrases of corrections if there are any."""
        overlay = self.overlay
        if overlay is None:
            return self.decoder
        weights, sparse = self.decoder.weights, self.decoder.sparse_weights
        with self._changing:
            known = self._corrected
            if known is None or known.overlay is not overlay:
                known = _Corrected(self.decoder.copy(overlay), overlay, weights, sparse)
            elif known.weights is not weights or known.sparse is not sparse:
                known.decoder.take_weights(self.decoder)
                known = known._replace(weights=weights, sparse=sparse)
            self._corrected = known
            return known.decoder

    def decoder_in_use(self) -> Decoder:
        """The decoder that translates now: with the phrases of corrections, if there are any."""
        return self._searching()

    def complete(
        self, sentence: Source, typed: str, *, count: int = 1, tokenized: bool = False
    ) -> list[Completion]:
        """How a translation goes on that begins with ``typed``: the ``count`` best ways, the best first.

        Unless ``typed`` ends in white space, its last word may be half typed.

        >>> system.complete("Der König ist alt.", "The k")[0].completion          # doctest: +SKIP
        'ing is old.'
        """
        from isogloss.decoder.completion import complete

        return complete(self, sentence, typed, count=count, tokenized=tokenized)

    def _decoded(
        self, batch: list[Source], *, threads: int, max_words: int, time_limit: float | None
    ) -> DecodedBatch:
        if time_limit is not None:  # a second search might find something else
            store, derivations = self.explained(
                batch, threads=threads, max_words=max_words, time_limit=time_limit
            )
            return DecodedBatch(
                store, best_rows(store), batch, derivations=derivations, confidence=self.confidence_model
            )
        decoder = self._searching()
        store = decoder.nbest(batch, nbest=1, threads=threads, max_words=max_words)
        return DecodedBatch(
            store,
            best_rows(store),
            batch,
            explain=decoder.explainer(max_words),
            confidence=self.confidence_model,
        )

    def explain(self, sentence: Source, *, tokenized: bool = False) -> Explanation:
        """Translate a sentence and show the rules used and the contribution of every feature.

        ``print(system.explain("Der König ist alt.").to_text())`` prints it; there are also ``to_html`` and
        ``to_dict``.
        """
        from isogloss.decoder.explanation import explain

        return explain(self, sentence, tokenized=tokenized)

    def nbest(
        self,
        sentences: Iterable[Source],
        *,
        nbest: int = 100,
        threads: int = 1,
        max_words: int = DEFAULT_MAX_WORDS,
        time_limit: float | None = None,
    ) -> NbestStore:
        """The ``nbest`` best different translations of every tokenized sentence, with their features."""
        return self._searching().nbest(
            list(sentences), nbest=nbest, threads=threads, max_words=max_words, time_limit=time_limit
        )

    def decode(
        self, sources: Sequence[Source], weights: Mapping[str, float], *, size: int, threads: int = 1
    ) -> NbestStore:
        """The ``size`` best translations with other weights, as an ``NbestDecoder`` returns them.

        Do not use the system in another thread meanwhile: it has these weights until this returns.
        """
        with self.decoder.using(weights):
            return self.decoder.nbest(sources, nbest=size, threads=threads)

    def explained(
        self,
        sentences: Iterable[Source],
        *,
        nbest: int = 1,
        threads: int = 1,
        max_words: int = DEFAULT_MAX_WORDS,
        time_limit: float | None = None,
    ) -> tuple[NbestStore, list[Derivation]]:
        """The same as ``nbest``, with word alignments, and the derivation of every candidate."""
        return self._searching().explained(
            list(sentences), nbest=nbest, threads=threads, max_words=max_words, time_limit=time_limit
        )

    def for_sentence(self, sentence: Source) -> System:
        """The system for this tokenized sentence: this one, unless there is local training."""
        decoder = self._searching()
        return self if decoder is self.decoder else System(decoder, self.path, self.text)

    def oracle(
        self,
        sentences: Iterable[Source],
        references: Iterable[Sequence[str]],
        *,
        nbest: int = 1,
        threads: int = 1,
    ) -> Searched:
        """The translations with the highest sentence BLEU; see ``Decoder.oracle``."""
        return self.decoder.oracle(list(sentences), list(references), nbest=nbest, threads=threads)

    def force(
        self,
        sentences: Iterable[Source],
        references: Iterable[Sequence[str]],
        *,
        nbest: int = 1,
        threads: int = 1,
    ) -> Searched:
        """The best derivations that yield a reference; see ``Decoder.force``."""
        return self.decoder.force(list(sentences), list(references), nbest=nbest, threads=threads)


def draft(decoder: Decoder, sources: list[str]) -> list[str]:
    """What the search alone makes of tokenized sentences."""
    store = decoder.nbest(sources, threads=os.cpu_count() or 1)
    return list(best_lines(store, list(sources)))


class _Corrected(NamedTuple):
    """A decoder with the phrases of corrections, and which weights it has."""

    decoder: Decoder
    overlay: RuleTable
    weights: Mapping[str, float]
    sparse: object
