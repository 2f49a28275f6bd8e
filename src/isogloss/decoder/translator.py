"""Translators: a system, a system with local training, an external command.

Code that only needs translations should depend on ``Translator``. ``TextTranslator`` makes a translator of
anything that returns n-best lists.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Protocol, overload

from isogloss.corpus.processing import TextProcessing
from isogloss.decoder.confidence import ConfidenceModel
from isogloss.decoder.decoder import DEFAULT_MAX_WORDS
from isogloss.decoder.keeping import fixed_marks, lines_without_marks, with_marks
from isogloss.decoder.matches import Match
from isogloss.decoder.near_matches import NearMatch
from isogloss.decoder.plf import Lattice
from isogloss.decoder.sentence import Source, split_words
from isogloss.decoder.translation import DecodedBatch, Translation, TranslationFacts
from isogloss.nbest.edit import best_rows
from isogloss.nbest.store import Int64, NbestStore

if TYPE_CHECKING:
    from isogloss.decoder.explanation import Explanation

__all__ = ["TextTranslator", "Translator", "best_lines", "source_text"]

_BATCH = 50  # inputs per thread and engine call: Ctrl-C works between calls


class Translator(Protocol):
    """Anything that translates: a ``System``, a system with a memory, an ``ExternalDecoder``.

    >>> def shout(translator: Translator, sentence: str) -> str:
    ...     return translator.translate(sentence).upper()
    >>> shout(isogloss.load("engine"), "Der König ist alt.")      # doctest: +SKIP
    'THE KING IS OLD.'
    """

    @property
    def text(self) -> TextProcessing | None:
        """Tokenization and detokenization; None if the translator works on tokens."""

    @property
    def confidence_model(self) -> ConfidenceModel | None:
        """How confidence is computed, as learned from held-out text; None for a rule of thumb."""

    @overload  # a string is also an iterable of strings, but means one sentence
    def translate(  # type: ignore[overload-overlap]
        self, sentences: Source, *, threads: int = 1, tokenized: bool = False
    ) -> Translation: ...
    @overload
    def translate(
        self, sentences: Iterable[Source], *, threads: int = 1, tokenized: bool = False
    ) -> Iterator[Translation]: ...

    def nbest(self, sentences: Iterable[Source], *, nbest: int = 100, threads: int = 1) -> NbestStore:
        """The ``nbest`` best different translations of every tokenized sentence, with their features."""

    def match(self, sentence: Source, *, tokenized: bool = False, context: str = "") -> Match | None:
        """The translation of a sentence that is known already, and is returned as it is."""

    def near_matches(
        self, sentences: Sequence[Source], drafts: NbestStore, rows: Int64, *, threads: int = 1
    ) -> list[NearMatch | None]:
        """What to use in place of translations of tokenized sentences; None where there is nothing better.

        ``rows`` are the chosen translations in the list ``drafts``.
        """

    def explain(self, sentence: Source, *, tokenized: bool = False) -> Explanation:
        """Translate a sentence and show the rules used and the contribution of every feature."""


class TextTranslator(ABC):
    """A ``Translator`` based on a decoder of tokenized sentences."""

    text: TextProcessing | None = None
    """Tokenization and detokenization; None if the translator works on tokens."""

    @property
    def confidence_model(self) -> ConfidenceModel | None:
        """How confidence is computed, as learned from held-out text; None for a rule of thumb."""
        return None

    def match(self, sentence: Source, *, tokenized: bool = False, context: str = "") -> Match | None:
        """The translation of a sentence that is known already, and is returned as it is; here none is."""
        return None

    def near_matches(
        self, sentences: Sequence[Source], drafts: NbestStore, rows: Int64, *, threads: int = 1
    ) -> list[NearMatch | None]:
        """What to use in place of translations of tokenized sentences; here nothing is.

        ``rows`` are the chosen translations in the list ``drafts``.
        """
        return [None] * len(sentences)

    @abstractmethod
    def _decoded(
        self, batch: list[Source], *, threads: int, max_words: int, time_limit: float | None
    ) -> DecodedBatch:
        """Translate sentences and keep what their translations need later."""

    @overload  # a string is also an iterable of strings, but means one sentence
    def translate(  # type: ignore[overload-overlap]
        self,
        sentences: Source,
        *,
        threads: int = 1,
        max_words: int = DEFAULT_MAX_WORDS,
        time_limit: float | None = None,
        tokenized: bool = False,
    ) -> Translation: ...
    @overload
    def translate(
        self,
        sentences: Iterable[Source],
        *,
        threads: int = 1,
        max_words: int = DEFAULT_MAX_WORDS,
        time_limit: float | None = None,
        tokenized: bool = False,
    ) -> Iterator[Translation]: ...
    def translate(
        self,
        sentences: Source | Iterable[Source],
        *,
        threads: int = 1,
        max_words: int = DEFAULT_MAX_WORDS,
        time_limit: float | None = None,
        tokenized: bool = False,
    ) -> Translation | Iterator[Translation]:
        """Translate a sentence (text or ``Sentence``) or a lattice, or many of them.

        >>> print(system.translate("Der König ist alt."))                # doctest: +SKIP
        The king is old.
        >>> list(system.translate(["Der König ist alt.", "Das Haus"]))   # doctest: +SKIP
        ['The king is old.', 'The house']

        A ``Translation`` is a string with a score, features and more. Many sentences are translated lazily,
        in batches, and returned in order. Results do not depend on ``threads``. Sentences longer than
        ``max_words`` are translated in windows. An empty sentence has an empty translation. With a
        ``time_limit`` (seconds per sentence), results depend on the speed of the machine.

        If the system was trained with a tokenizer, input and output are plain text; otherwise, or with
        ``tokenized``, they are tokens separated by spaces. A ``Sentence`` and a lattice always contain
        tokens.
        """
        limits = _Limits(threads, max_words, time_limit)
        if isinstance(sentences, Source):
            return next(self._translated([sentences], tokenized, limits))
        return self._translated(sentences, tokenized, limits)

    def _translated(
        self, sentences: Iterable[Source], tokenized: bool, limits: _Limits
    ) -> Iterator[Translation]:
        text = None if tokenized else self.text
        waiting = iter(sentences)
        while batch := list(islice(waiting, _BATCH * max(1, limits.threads))):
            matches = [self.match(item, tokenized=text is None) for item in batch]
            given = [item for item, match in zip(batch, matches, strict=True) if match is None]
            searched = self._searched(given, text, limits) if given else iter(())
            for item, match in zip(batch, matches, strict=True):
                yield next(searched) if match is None else self._matched(item, match, text)

    def _searched(
        self, given: list[Source], text: TextProcessing | None, limits: _Limits
    ) -> Iterator[Translation]:
        batch = given
        if text is not None:
            batch = [text.tokenize(item) if isinstance(item, str) else item for item in given]
        found = self._decoded(
            batch, threads=limits.threads, max_words=limits.max_words, time_limit=limits.time_limit
        )
        lines = list(best_lines(found.store, batch, found.chosen))
        near = self.near_matches(batch, found.store, found.chosen, threads=limits.threads)
        lines = [line if match is None else match.line for line, match in zip(lines, near, strict=True)]
        origins = [(found, number) for number in range(len(batch))]
        if text is not None and (wrong := lines_without_marks(batch, lines)):
            again = self._decoded(
                [fixed_marks(batch[at]) for at in wrong],
                threads=limits.threads,
                max_words=limits.max_words,
                time_limit=limits.time_limit,
            )
            for number, line in enumerate(best_lines(again.store, list(again.inputs), again.chosen)):
                lines[wrong[number]] = with_marks(batch[wrong[number]], line)
                origins[wrong[number]] = again, number
        for (origin, number), line, item, match in zip(origins, lines, given, near, strict=True):
            source = source_text(item)
            written = line if text is None else text.detokenize(line, source)
            made = origin.translation(number, written, source if source or text else _words(item))
            yield made if match is None else _near(made, match)

    def _matched(self, item: Source, match: Match, text: TextProcessing | None) -> Translation:
        source = source_text(item) or _words(item)
        tokens = source, match.text
        if text is not None:
            tokens = text.tokenize(source), text.tokenize_target(match.text, source)
        facts = TranslationFacts(
            source=source,
            source_tokens=tuple(split_words(tokens[0])),
            tokens=tuple(split_words(tokens[1])),
            match=match.kind,
        )
        return Translation.known(match.text, facts)


def _near(draft: Translation, match: NearMatch) -> Translation:
    """A near match instead of the decoder's translation of the same source."""
    facts = TranslationFacts(
        source=draft.source,
        confidence=match.confidence(draft.confidence),
        source_tokens=draft.source_tokens,
        tokens=tuple(match.line.split(" ")),
        match="near",
        example=match.example,
    )
    return Translation.known(str(draft), facts)


class _Limits:
    __slots__ = ("max_words", "threads", "time_limit")

    def __init__(self, threads: int, max_words: int, time_limit: float | None) -> None:
        self.threads, self.max_words, self.time_limit = threads, max_words, time_limit


def source_text(item: Source) -> str:
    """The plain text of a source; empty if there is none."""
    return item if isinstance(item, str) else getattr(item, "text", "")


def _words(item: Source) -> str:
    return "" if isinstance(item, str | Lattice) else " ".join(item.words)


def best_lines(store: NbestStore, inputs: list[Source], rows: Int64 | None = None) -> Iterator[str]:
    """The best or the chosen translation of every input as text.

    An input word that an n-best list cannot hold is written in its original form.
    """
    chosen = best_rows(store) if rows is None else rows
    for item, line in zip(inputs, store.lines(chosen, len(inputs)), strict=True):
        if "&#124;" in line:
            for word in _own_words(item):
                if "|||" in word:
                    line = line.replace(word.replace("|", "&#124;"), word)
        yield line


def _own_words(item: Source) -> list[str]:
    """Words that may be copied to the translation."""
    if isinstance(item, str):
        return split_words(item)
    if isinstance(item, Lattice):
        return [arc.word for arc in item.arcs]
    return [*item.words, *(word for part in item.fixed for word in part.translation)]
