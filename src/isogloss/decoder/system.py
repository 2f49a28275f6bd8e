"""A stored translation system: everything needed to translate, in one folder.

DIR/rules/        the rule table
DIR/lm/           the language model
DIR/weights.tsv   a weight for every dense feature, by name; may be edited
DIR/sparse/       the sparse features, if there are any
DIR/weights.sparse/  their weights, if they have any
DIR/joint/        the neural joint model, if there is one
DIR/text/         tokenizer, case and placeholders, if the system was trained with a tokenizer
DIR/system.json   format version, search options and the list of parts above, with a checksum

A folder written by ``isogloss train`` has all this in DIR/system; ``load`` also accepts DIR itself.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import shutil
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from isogloss._version import __version__
from isogloss.corpus.processing import TextProcessing
from isogloss.decoder.beside import CONFIDENCE, CONTEXTS, EXAMPLES, MATCHES, beside
from isogloss.decoder.confidence import ConfidenceModel, read_confidence, write_confidence
from isogloss.decoder.corrections import Correction, Corrections
from isogloss.decoder.decoder import DEFAULT_MAX_WORDS, Decoder
from isogloss.decoder.derivation import Derivation
from isogloss.decoder.matches import Match, TrainingMatches, in_context
from isogloss.decoder.near_examples import NearExamples
from isogloss.decoder.near_matches import NearChoice, NearMatch, best_near_matches, open_examples
from isogloss.decoder.options import SearchOptions
from isogloss.decoder.plf import Lattice
from isogloss.decoder.search_result import Searched
from isogloss.decoder.sentence import Source
from isogloss.decoder.stored_weights import (
    SPARSE_WEIGHTS,
    WEIGHTS,
    change_weights,
    finish_change,
    is_changing,
    read_stored,
)
from isogloss.decoder.translation import DecodedBatch
from isogloss.decoder.translator import TextTranslator, best_lines, source_text
from isogloss.decoder.weights import default_weights, read_weights, split_sparse, write_weights
from isogloss.features.model import SparseModel
from isogloss.features.weights import SparseWeights
from isogloss.grammar import storage
from isogloss.grammar.table import RuleTable
from isogloss.io.durable import move_into_place
from isogloss.io.errors import (
    ConfigError,
    DataFormatError,
    InputFileError,
    ModelFormatError,
    OutputError,
    UserError,
)
from isogloss.io.streams import StrPath, atomic_output
from isogloss.lm.model import LanguageModel
from isogloss.nbest.edit import best_rows
from isogloss.nbest.store import Int64, NbestStore
from isogloss.storage.folder import open_folder, read_regular, write_folder
from isogloss.storage.inspection import Inspection, inspect_folder, is_stored_folder

if TYPE_CHECKING:
    from isogloss.decoder.completion import Completion
    from isogloss.decoder.explanation import Explanation
    from isogloss.neural.model import JointModel

__all__ = [
    "TRAINED",
    "System",
    "best_lines",
    "create_system",
    "inspect_system",
    "is_system",
    "load",
    "source_text",
]

VERSION = 1
_FACTS, _RULES, _LM, _WEIGHTS = "system.json", "rules", "lm", WEIGHTS
_SPARSE, _SPARSE_WEIGHTS, _JOINT, _TEXT = "sparse", SPARSE_WEIGHTS, "joint", "text"
_MOST_FACTS = 1 << 24  # bytes
_PARTS = (_RULES, _LM, _WEIGHTS, _SPARSE, _SPARSE_WEIGHTS, _JOINT, _TEXT)
_SHOWN = 5  # strongest sparse features to show for each template in an inspection
TRAINED = "system"  # subfolder with the system in a folder of 'isogloss train'


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
        _read_facts(self.path)
        change_weights(self.path, self.decoder.weights, sparse, partial(_settle, self.path))
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
        rules = RuleTable.open(self.path / _RULES)
        return Corrections(self.path, rules, self.text, partial(_draft, self.decoder))

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


def open_joint(path: StrPath) -> JointModel:
    """Open a stored joint model that a search can use."""
    from isogloss.neural.model import JointModel  # most systems have none
    from isogloss.neural.reading import JointReading

    model = JointModel.open(path)
    JointReading.of_facts(model.facts, path).check_search(path)
    return model


def _draft(decoder: Decoder, sources: list[str]) -> list[str]:
    """What the search alone makes of tokenized sentences."""
    store = decoder.nbest(sources, threads=os.cpu_count() or 1)
    return list(best_lines(store, list(sources)))


class _Corrected(NamedTuple):
    """A decoder with the phrases of corrections, and which weights it has."""

    decoder: Decoder
    overlay: RuleTable
    weights: Mapping[str, float]
    sparse: object


def create_system(
    path: StrPath,
    *,
    rules: StrPath,
    lm: StrPath,
    options: SearchOptions | None = None,
    weights: Mapping[str, float] | StrPath | None = None,
    sparse: SparseModel | None = None,
    text: TextProcessing | None = None,
    joint: StrPath | None = None,
) -> System:
    """Store a system made of a rule table, a language model (folder or ARPA file) and weights, and open it.

    With ``text``, the system translates plain text, otherwise tokens. Weights may be a file, and may include
    sparse features if there is a ``sparse`` model; without weights, the defaults of the search are used. An
    existing system in the folder is replaced; a folder with other content is an error.
    """
    options = options or SearchOptions()
    folder = Path(path)
    table, model = RuleTable.open(rules), LanguageModel.load(lm)
    joint_model = None if joint is None else open_joint(joint)
    decoder = Decoder(table, model, options, sparse=sparse, joint=joint_model)
    if weights is None:
        weights = default_weights(decoder.names, hierarchical=options.hierarchical)
    sparse_weights = _set_weights(decoder, weights)
    with _new_folder(folder) as partial:
        stored = open_folder(rules, kind=storage.KIND, version=storage.VERSION)
        write_folder(
            partial / _RULES,
            kind=storage.KIND,
            version=storage.VERSION,
            arrays=stored.arrays,
            attributes=stored.attributes,
        )
        model.save(partial / _LM)
        write_weights(partial / _WEIGHTS, decoder.weights)
        if sparse is not None:
            sparse.save(partial / _SPARSE)
        if sparse_weights is not None:
            sparse_weights.save(partial / _SPARSE_WEIGHTS)
        if joint_model is not None:
            joint_model.save(partial / _JOINT)
        if text is not None:
            text.save(partial / _TEXT)
        _write_facts(partial, options)
    return load(folder)


def load(
    path: StrPath,
    *,
    options: SearchOptions | None = None,
    weights: Mapping[str, float] | StrPath | None = None,
    changes: Mapping[str, Any] | None = None,
    corrections: bool = False,
    matches: bool = False,
    near_matches: bool | None = None,
) -> System:
    """Open a stored system; given options and weights (or a file of weights) replace the stored ones.

    ``changes`` replaces single options of the search by name. With ``corrections`` it translates as people
    have corrected it, and with ``matches`` it returns translations of the training text, as they are for the
    same source and edited for a similar one (``near_matches`` sets that alone). Without these it is the
    system alone, as it is tuned.
    """
    folder = Path(path)
    if not folder.exists():
        raise InputFileError("No such file or directory", folder)
    if not folder.is_dir():
        raise InputFileError(
            "is a file", folder, "give the folder of a system, as written by 'isogloss train'"
        )
    if not (folder / _FACTS).exists() and (folder / TRAINED / _FACTS).exists():
        folder = folder / TRAINED
    finish_change(folder, partial(_settle, folder))
    stored = options or _read_facts(folder)
    if changes:
        stored = replace(stored, **changes)
    for part in _facts(folder)["parts"]:
        if not (folder / part).exists():
            raise ModelFormatError("is missing", folder / part, "restore it or create the system again")
        if (folder / part).is_symlink():  # a stranger's folder must not name another one
            raise ModelFormatError("is a symbolic link", folder / part, "copy what it names into its place")
    sparse = SparseModel.open(folder / _SPARSE) if (folder / _SPARSE).exists() else None
    rules = RuleTable.open(folder / _RULES)
    joint = open_joint(folder / _JOINT) if (folder / _JOINT).exists() else None
    decoder = Decoder(rules, LanguageModel.load(folder / _LM), stored, sparse=sparse, joint=joint)
    if weights is not None:
        _set_weights(decoder, weights)
    else:
        decoder.set_weights(*read_stored(folder, decoder.names))
    text = TextProcessing.open(folder / _TEXT) if (folder / _TEXT).exists() else None

    near = matches if near_matches is None else near_matches

    def known(name: str) -> TrainingMatches | None:
        place = beside(folder, name)
        return TrainingMatches.open(place, text) if matches and place.exists() else None

    return System(
        decoder,
        folder,
        text,
        corrections=Corrections(folder, rules, text, partial(_draft, decoder)) if corrections else None,
        matches=known(MATCHES),
        contexts=known(CONTEXTS),
        near=open_examples(examples) if near and (examples := beside(folder, EXAMPLES)).exists() else None,
    )


def inspect_system(path: StrPath, *, verify: bool = False) -> Inspection:
    """Inspect a stored system; with ``verify``, read all of it and raise an error if it is damaged.

    The weights have no checksum, because they may be edited; they must match the features.
    """
    folder = Path(path)
    facts = _facts(folder)
    inside = [item for item in folder.iterdir() if is_stored_folder(item)]
    if is_stored_folder(own := beside(folder, CONFIDENCE)) and own not in inside:
        inside.append(own)
    parts = {item.name: inspect_folder(item, verify=verify) for item in sorted(inside)}
    verified = None
    if verify:
        load(folder)
        verified = sum(part.verified or 0 for part in parts.values())
    weights, sparse = read_stored(folder, None)
    attributes: dict[str, Any] = {"options": facts["options"], "weights": weights}
    if sparse is not None:
        attributes["sparse features"] = len(sparse)
        for template, strongest in sparse.strongest_by_template(_SHOWN).items():
            attributes[f"strongest of {template}"] = dict(strongest)
    return Inspection(
        path=folder,
        kind=facts["kind"],
        version=facts["version"],
        made_by=facts["made_by"],
        attributes=attributes,
        parts=parts,
        verified=verified,
    )


def is_system(path: StrPath) -> bool:
    """Whether a folder is a stored system."""
    return (Path(path) / _FACTS).is_file()


def _set_weights(decoder: Decoder, weights: Mapping[str, float] | StrPath) -> SparseWeights | None:
    """Set dense and sparse weights by name; return the sparse ones."""
    dense, by_name = split_sparse(weights if isinstance(weights, Mapping) else read_weights(weights))
    try:
        sparse = None
        if by_name:
            signature = "" if decoder.sparse is None else decoder.sparse.signature
            sparse = SparseWeights.from_names(by_name, signature=signature)
        decoder.set_weights(dense, sparse)
    except ConfigError as error:
        if isinstance(weights, Mapping):
            raise
        raise DataFormatError(str(error), weights) from None
    return sparse


def _settle(folder: Path, sparse: bool) -> None:
    """Bring the rest of a system up to date with new weights."""
    _write_facts(folder, _read_facts(folder), without=() if sparse else (_SPARSE_WEIGHTS,))
    shutil.rmtree(beside(folder, CONFIDENCE), ignore_errors=True)


def _checksum(facts: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _write_facts(folder: Path, options: SearchOptions, *, without: Sequence[str] = ()) -> None:
    """Write the description of a folder, which lists its parts."""
    parts = [part for part in _PARTS if part not in without and (folder / part).exists()]
    facts: dict[str, Any] = {
        "format": "isogloss",
        "kind": "system",
        "version": VERSION,
        "made_by": f"isogloss {__version__}",
        "options": asdict(options),
        "parts": parts,
    }
    with atomic_output(folder / _FACTS) as stream:
        stream.write(json.dumps({**facts, "checksum": _checksum(facts)}, indent=1) + "\n")


def _read_facts(folder: Path) -> SearchOptions:
    facts = _facts(folder)
    try:
        return SearchOptions.from_mapping(facts["options"])
    except (ConfigError, KeyError, TypeError, AttributeError) as error:
        raise ModelFormatError(f"the search options are invalid ({error})", folder / _FACTS) from None


def _facts(folder: Path) -> dict[str, Any]:
    path = folder / _FACTS
    try:
        facts = json.loads(read_regular(path, at_most=_MOST_FACTS))
        intact = facts.pop("checksum") == _checksum(facts) and facts["format"] == "isogloss"
        kind, version = facts["kind"], facts["version"]
        facts["parts"] = [part for part in _PARTS if part in facts.get("parts", _PARTS[:3])]
    except FileNotFoundError:
        raise ModelFormatError(
            f"no {_FACTS} here",
            folder,
            "give a system made by 'isogloss train' or 'isogloss system create'",
        ) from None
    except OSError as error:
        raise InputFileError(error.strerror or str(error), path) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, ModelFormatError):
            raise
        raise ModelFormatError("not the description of a system", path) from None
    if not intact or kind != "system" or not isinstance(version, int):
        raise ModelFormatError("is damaged or was edited", path, "create the system again")
    if version > VERSION:
        raise ModelFormatError(
            f"format version {version} is newer than this version of isogloss supports ({VERSION})",
            path,
            "upgrade isogloss",
        )
    return {"made_by": "", "options": {}, **facts}


@contextlib.contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """A temporary folder to fill, which replaces ``folder`` once it is complete."""
    final = Path(os.path.realpath(folder))
    if final.is_file():
        raise OutputError("is a file", folder, "a folder is needed here; choose another name")
    if final.is_dir() and any(final.iterdir()) and not (final / _FACTS).is_file():
        raise OutputError(
            "the folder holds something that is not a system", folder, "choose a new or empty folder"
        )
    mark = secrets.token_hex(4)
    partial, old = (final.with_name(f".{final.name}.{mark}.{end}") for end in ("part", "old"))
    try:
        try:
            partial.mkdir(parents=True)
            yield partial
            move_into_place(partial, final, old)
        except OSError as error:
            if isinstance(error, UserError):
                raise
            raise OutputError(error.strerror or str(error), folder) from None
    finally:
        for leftover in (partial, old):
            shutil.rmtree(leftover, ignore_errors=True)
