"""Decode sentences and lattices into n-best lists with a loaded model."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isogloss import _engine
from isogloss.decoder.derivation import Derivation, DerivationStep, read_step, shifted
from isogloss.decoder.options import SearchOptions, engine_options
from isogloss.decoder.plf import Lattice
from isogloss.decoder.search_result import Searched
from isogloss.decoder.sentence import Sentence, Source, split_words
from isogloss.decoder.unknown_words import UnknownWords
from isogloss.decoder.weights import check_weights
from isogloss.decoder.windows import cut_lattice, cut_words, join_windows
from isogloss.features.model import SparseModel
from isogloss.features.weights import SparseWeights
from isogloss.grammar.table import RuleTable
from isogloss.io.errors import ConfigError, DataFormatError, ModelFormatError
from isogloss.lm.model import LanguageModel
from isogloss.metric.bleu import SENTENCE_BLEU, BleuOptions
from isogloss.nbest.store import NbestStore

if TYPE_CHECKING:
    from isogloss.neural.model import JointModel

__all__ = ["DEFAULT_MAX_WORDS", "Decoder"]

DEFAULT_MAX_WORDS = 100
"""Longer inputs are split into windows of at most this many words."""

_UNFIT = re.compile(r"[\0\ud800-\udfff]")
_MOST_WORDS = 4000
_MOST_PLACES = 4096  # between the words of an input, and inside words that are taken apart


class Decoder:
    """Translates with a rule table, a language model and weights. Several threads may share one."""

    def __init__(
        self,
        rules: RuleTable,
        lm: LanguageModel,
        options: SearchOptions,
        weights: Mapping[str, float] | None = None,
        *,
        sparse: SparseModel | None = None,
        overlay: RuleTable | None = None,
        joint: JointModel | None = None,
    ) -> None:
        self._rules, self._lm, self.options, self.sparse, self.joint = rules, lm, options, sparse, joint
        self.overlay = overlay
        """A second, small rule table used in addition to the first; see ``check_overlay``."""
        if overlay is not None:
            check_overlay(rules, overlay)
        self._sparse_engine = None if sparse is None else sparse.engine(overlay or rules)
        self._sparse_weights: _engine.SparseWeights | None = None
        self.unknown_words = UnknownWords.of(rules, overlay)
        """What is offered for words that no rule translates; None if the table knows nothing of it."""
        self._engine = self._make()
        self.names: tuple[str, ...] = tuple(self._engine.feature_names())
        """Names of the dense features."""
        self.weights: dict[str, float] = dict.fromkeys(self.names, 0.0)
        """Weights in use."""
        if weights is not None:
            self.set_weights(weights)

    def set_weights(
        self, weights: Mapping[str, float], sparse: SparseWeights | _engine.SparseWeights | None = None
    ) -> None:
        """Set the weights; calls that are already running keep theirs.

        Sparse weights that belong to other features than this decoder has are an error.
        """
        if isinstance(sparse, SparseWeights):
            self._check_signature(sparse)
        checked = check_weights(weights, self.names)
        self._sparse_weights = sparse.engine if isinstance(sparse, SparseWeights) else sparse
        self._set_dense(checked)

    def forget(self) -> None:
        """Forget what is remembered of rules between calls; needed if their scores were changed in place."""
        self._engine.forget()

    @property
    def rules(self) -> RuleTable:
        """The rule table."""
        return self._rules

    @property
    def language_model(self) -> LanguageModel:
        """The language model."""
        return self._lm

    @property
    def sparse_weights(self) -> _engine.SparseWeights | None:
        """The weights of sparse features in use."""
        return self._sparse_weights

    @contextlib.contextmanager
    def using(
        self, weights: Mapping[str, float], sparse_changes: Mapping[int, float] | None = None
    ) -> Iterator[None]:
        """Temporarily use other dense weights, and sparse weights with these changes by feature id."""
        with self.restored():
            self.change(weights, sparse_changes)
            yield

    @contextlib.contextmanager
    def restored(self) -> Iterator[None]:
        """Restore the current weights at the end."""
        own, sparse = self.weights, self._sparse_weights
        try:
            yield
        finally:
            self._sparse_weights = sparse
            self._set_dense(own)

    def change(self, weights: Mapping[str, float], sparse_changes: Mapping[int, float] | None = None) -> None:
        """Set dense weights, and sparse weights with these changes by feature id."""
        checked = check_weights(weights, self.names)
        if sparse_changes:
            features = np.fromiter(sparse_changes, np.uint64, len(sparse_changes))
            values = np.fromiter(sparse_changes.values(), np.float32, len(sparse_changes))
            self._sparse_weights = _engine.ChangedWeights(self._sparse_weights, features, values)
        self._set_dense(checked)

    def _set_dense(self, weights: dict[str, float]) -> None:
        self.weights = weights
        self._engine.set_weights(list(weights.values()), self._sparse_weights)

    def take_weights(self, other: Decoder) -> None:
        """Set the weights to those of a decoder with the same features."""
        self._sparse_weights = other._sparse_weights
        self._set_dense(check_weights(other.weights, self.names))

    def copy(self, overlay: RuleTable | None = None) -> Decoder:
        """Another decoder of the same model with independent weights."""
        overlay = overlay or self.overlay
        other = Decoder(
            self._rules, self._lm, self.options, sparse=self.sparse, overlay=overlay, joint=self.joint
        )
        other._sparse_weights = self._sparse_weights
        other._set_dense(self.weights)
        return other

    def explainer(
        self, max_words: int = DEFAULT_MAX_WORDS
    ) -> Callable[[Source], tuple[NbestStore, list[Derivation]]]:
        """A function that explains single inputs with the current weights, even if they change later."""
        weights, sparse = self.weights, self._sparse_weights

        def explain(item: Source) -> tuple[NbestStore, list[Derivation]]:
            decoder = self
            if self.weights is not weights or self._sparse_weights is not sparse:
                decoder = self.copy()
                decoder._sparse_weights = sparse
                decoder._set_dense(weights)
            return decoder.explained([item], max_words=max_words)

        return explain

    def _check_signature(self, weights: SparseWeights) -> None:
        where = f"{weights.path}: " if weights.path else ""
        if self.sparse is None:
            raise ConfigError(f"{where}the weights include sparse features, but the system has none")
        if weights.signature and weights.signature != self.sparse.signature:
            raise ConfigError(
                f"{where}the weights belong to other sparse features than the system has "
                f"({self.sparse.describe()}); use the system they were tuned with, or tune again"
            )

    def nbest(
        self,
        inputs: Sequence[Source],
        *,
        nbest: int = 1,
        threads: int = 1,
        max_words: int = DEFAULT_MAX_WORDS,
        time_limit: float | None = None,
    ) -> NbestStore:
        """The best different translations of every input; inputs are numbered from 0.

        Inputs longer than ``max_words`` are translated in windows. After ``time_limit`` seconds, the search
        of an input finishes as quickly as possible; results then depend on the speed of the machine. In a
        word that contains ``|||``, which an n-best list cannot hold, bars are written as ``&#124;``.
        """
        work = self._work(inputs, nbest, threads, max_words, time_limit)
        return self._translated(work, derivations=False)[0]

    def explained(
        self,
        inputs: Sequence[Source],
        *,
        nbest: int = 1,
        threads: int = 1,
        max_words: int = DEFAULT_MAX_WORDS,
        time_limit: float | None = None,
    ) -> tuple[NbestStore, list[Derivation]]:
        """The same as ``nbest``, with word alignments, and the derivation of every candidate."""
        work = self._work(inputs, nbest, threads, max_words, time_limit)
        return self._translated(work, derivations=True)

    def _work(
        self,
        inputs: Sequence[Source],
        nbest: int,
        threads: int,
        max_words: int,
        time_limit: float | None,
    ) -> _Work:
        _check_counts(nbest, threads)
        if not 1 <= max_words <= _MOST_WORDS:
            raise ConfigError(f"max_words must be between 1 and {_MOST_WORDS}, got {max_words}")
        if time_limit is not None and not 0 < time_limit < math.inf:
            raise ConfigError(f"time_limit must be above 0, got {time_limit}")
        windows = [self._windows(item, number, max_words) for number, item in enumerate(inputs, start=1)]
        return _Work(windows, nbest, threads, time_limit)

    def search(
        self,
        inputs: Sequence[Source],
        *,
        nbest: int = 1,
        threads: int = 1,
        distinct: bool = True,
        aligned: bool = False,
    ) -> Searched:
        """The same, but keeps the searches, which have sparse features; inputs are never split.

        An input without a translation within the limits has no candidates. Unless they must be ``distinct``,
        candidates may have the same words and differ in their derivations. Word alignments and derivations
        are there if they are to be ``aligned``.
        """
        return self._search(inputs, nbest=nbest, threads=threads, distinct=distinct, aligned=aligned)

    def oracle(
        self,
        inputs: Sequence[Source],
        references: Sequence[Sequence[str]],
        *,
        nbest: int = 1,
        threads: int = 1,
        bleu: BleuOptions = SENTENCE_BLEU,
    ) -> Searched:
        """The translations of every input with the highest sentence BLEU, all different.

        ``references[i]`` are the references of input i, tokenized. The scores are BLEU, from 0 to 1; the
        weights only determine which rules are considered. The search has the usual limits, so results are
        exact only without pruning (``beam_size``, ``pop_limit``, ``max_options`` and ``max_scanned`` 0);
        rules that match the references best come first. The derivation of a translation is arbitrary;
        ``force`` finds the one with the highest model score. Inputs are never split.
        """
        checked = _check_references(inputs, references)
        if any(not texts for texts in checked):
            raise ConfigError(f"input {checked.index([]) + 1} has no reference")
        constraint = _engine.Constraint.oracle(
            checked,
            order=bleu.order,
            length=bleu.length,
            smoothing=bleu.smoothing,
            smoothing_value=bleu.smoothing_value,
            effective_order=bleu.effective_order,
        )
        return self._search(inputs, nbest=nbest, threads=threads, constraint=constraint)

    def force(
        self,
        inputs: Sequence[Source],
        references: Sequence[Sequence[str]],
        *,
        nbest: int = 1,
        threads: int = 1,
    ) -> Searched:
        """The derivations with the highest model score whose translation is a reference of the input.

        An input whose references are out of reach, within the limits of the search, has no candidates. With
        ``nbest`` above 1, candidates differ in their derivations, not in their words. Rules that match no
        reference are removed before ``max_options`` applies. Inputs are never split.
        """
        constraint = _engine.Constraint.force(_check_references(inputs, references))
        return self._search(inputs, nbest=nbest, threads=threads, constraint=constraint, distinct=False)

    def begun(
        self,
        sentence: Source,
        typed: Sequence[str],
        half_typed: Sequence[str] = (),
        *,
        nbest: int = 1,
        but: Sequence[str] = (),
        most_edits: int = 0,
        edit_cost: float = 0.0,
    ) -> NbestStore:
        """The best different translations of an input that begin with typed words.

        ``half_typed`` are the forms of a word that follows them and may go on; ``but`` are words that must
        not come next, or not be the half-typed word. A typed word that no rule yields stands for any word;
        besides these, up to ``most_edits`` words may differ from what was typed, at ``edit_cost`` each.
        There may be no translation within the limits of the search; then the store is empty. The input is not
        split.
        """
        _check_counts(nbest, 1)
        for word in (*typed, *half_typed, *but):
            _check_text(word, "the typed words")
        constraint = _engine.Constraint.prefix(
            [[list(typed), list(half_typed), list(but)]], most_edits=most_edits, edit_cost=edit_cost
        )
        (window,) = self._windows(sentence, 1, _MOST_WORDS)
        with self._rules.report_corruption(), _finite_scores():
            columns: Any = self._engine.translate([window.source], nbest=nbest, constraint=constraint)
        return NbestStore.from_columns(columns)

    def _search(
        self,
        inputs: Sequence[Source],
        *,
        nbest: int,
        threads: int,
        constraint: _engine.Constraint | None = None,
        distinct: bool = True,
        aligned: bool = False,
    ) -> Searched:
        _check_counts(nbest, threads)
        aligned = aligned or constraint is not None
        windows = [self._windows(item, number, _MOST_WORDS)[0] for number, item in enumerate(inputs, start=1)]
        kept = _engine.SearchResult()
        with self._rules.report_corruption(), _finite_scores():
            columns: Any = self._engine.translate(
                [window.source for window in windows],
                nbest=nbest,
                distinct=distinct,
                threads=threads,
                keep=kept,
                derivations=aligned,
                constraint=constraint,
            )
        store = NbestStore.from_columns(columns)
        steps = _derivations(columns, store, windows) if aligned else []
        return Searched(store, kept, [window.words for window in windows], steps)

    def _translated(self, work: _Work, *, derivations: bool) -> tuple[NbestStore, list[Derivation]]:
        flat = [window for parts in work.windows for window in parts]
        limits: list[float] = []
        if work.time_limit is not None:
            limits = [work.time_limit / len(parts) for parts in work.windows for _ in parts]
        store, steps = self._decode(flat, limits, work, derivations)
        if len(flat) == len(work.windows):
            return store, steps
        widths = [[window.width for window in parts] for parts in work.windows]
        joined, chosen = join_windows(store, widths, work.nbest)
        if not derivations:
            return joined, []
        inside = [widths[i] for i in joined.sentence_of_row().tolist()]
        return joined, [
            _joined(store, steps, rows, sizes) for rows, sizes in zip(chosen, inside, strict=True)
        ]

    def _decode(
        self, windows: list[_Window], limits: list[float], work: _Work, derivations: bool
    ) -> tuple[NbestStore, list[Derivation]]:
        with self._rules.report_corruption(), _finite_scores():
            columns: Any = self._engine.translate(
                [window.source for window in windows],
                nbest=work.nbest,
                threads=work.threads,
                derivations=derivations,
                time_limits=limits,
                fallback=True,
            )
        store = NbestStore.from_columns(columns)
        return store, _derivations(columns, store, windows) if derivations else []

    def _windows(self, item: Source, number: int, max_words: int) -> list[_Window]:
        """The input as one or several windows, with what is offered for unknown words."""
        windows = _windows(item, number, max_words)
        if self.unknown_words is None or isinstance(item, Lattice):
            return windows
        return [window._replace(source=self._offered(window.source)) for window in windows]

    def _offered(self, units: Sequence[Any]) -> list[Any]:
        assert self.unknown_words is not None
        room = _MOST_PLACES - len(units) - 1
        offered: list[Any] = []
        for unit in units:
            offers = self.unknown_words.offers(unit) if isinstance(unit, str) else ()
            room -= sum(max(0, len(offer.words) - 1) for offer in offers)
            if not offers or room < 0:
                offered.append(unit)
            else:
                offered.append((unit, [offer.to_engine() for offer in offers]))
        return offered

    def _make(self) -> _engine.Decoder:
        words = self.overlay or self._rules  # an overlay has the words of both tables
        with self._rules.report_corruption():
            return _engine.Decoder(
                table=self._rules.engine,
                source_words=words.source_words,
                target_words=words.target_words,
                language_model=self._lm.engine,
                column_names=list(self._rules.columns),
                options={
                    **engine_options(self.options),
                    "orientation": self._rules.orientation_model,
                    "offers": self.unknown_words is not None,
                },
                sparse=self._sparse_engine,
                overlay=None if self.overlay is None else self.overlay.engine,
                lexicon=self._rules.lexicon(),
                joint=None if self.joint is None else self.joint.engine,
            )


def check_overlay(rules: RuleTable, overlay: RuleTable) -> None:
    """Raise an error if a second table does not use the word ids of the first."""
    begins_alike = all(
        np.array_equal(overlay.arrays[f"{side}_word_{part}"][: len(first)], first)
        for side in ("source", "target")
        for part in ("bytes", "offsets")
        for first in (rules.arrays[f"{side}_word_{part}"],)
    )
    if overlay.columns != rules.columns or not begins_alike:
        raise ModelFormatError("was made for a different rule table", overlay.path, "make it again")


@contextlib.contextmanager
def _finite_scores() -> Iterator[None]:
    """Explain errors caused by scores that are not finite."""
    try:
        yield
    except FloatingPointError as error:
        raise ConfigError(f"{error}: the weights are much too large, or their file is damaged") from None


class _Window(NamedTuple):
    """An input, or a part of one."""

    source: Any
    """The window in the engine's format."""
    words: tuple[str, ...] | None
    """Its words; None for a lattice."""
    width: int
    """Width in words, or in lattice nodes."""


class _Work(NamedTuple):
    """Checked arguments of a decoding."""

    windows: list[list[_Window]]
    nbest: int
    threads: int
    time_limit: float | None


def _check_counts(nbest: int, threads: int) -> None:
    if nbest < 1:
        raise ConfigError(f"nbest must be at least 1, got {nbest}")
    if threads < 1:
        raise ConfigError(f"threads must be at least 1, got {threads}")


def _check_text(text: str, where: str) -> None:
    if _UNFIT.search(text):
        raise DataFormatError("contains a NUL byte or a lone surrogate", where, hint="remove it")


def _check_references(inputs: Sequence[Source], references: Sequence[Sequence[str]]) -> list[list[list[str]]]:
    """The words of every reference of every input."""
    if len(references) != len(inputs):
        raise ConfigError(f"{len(references)} lists of references for {len(inputs)} inputs")
    if any(isinstance(texts, str) for texts in references):
        raise ConfigError("references must be a list of strings for each input, got a single string")
    for number, texts in enumerate(references, start=1):
        for text in texts:
            _check_text(text, f"a reference of sentence {number}")
    return [[split_words(text) for text in texts] for texts in references]


def _windows(item: Source, number: int, max_words: int) -> list[_Window]:
    """The input as one or several windows."""
    if isinstance(item, Lattice):
        return [
            _Window((part.places, [tuple(arc) for arc in part.arcs]), None, part.places - 1)
            for part in cut_lattice(item, max_words)
        ]
    if isinstance(item, str):
        _check_text(item, f"sentence {number}")
        item = Sentence.of(item)
    windows = []
    begin = 0
    for units in cut_words(item.units(), max_words):
        width = sum(1 if isinstance(unit, str) else len(unit[0]) for unit in units)
        windows.append(_Window(units, item.words[begin : begin + width], width))
        begin += width
    return windows


def _derivations(
    columns: Mapping[str, Any], store: NbestStore, windows: Sequence[_Window]
) -> list[Derivation]:
    sentences = store.sentence_ids[store.sentence_of_row()].tolist()
    return [
        tuple(read_step(row, windows[sentence].words, words.split(" ")) for row in rows)
        for rows, sentence, words in zip(columns["derivations"], sentences, store.texts(), strict=True)
    ]


def _joined(
    store: NbestStore, steps: Sequence[Derivation], rows: Sequence[int], widths: Sequence[int]
) -> Derivation:
    """The derivations of the windows of an input, joined."""
    joined: list[DerivationStep] = []
    source = target = 0
    for row, width in zip(rows, widths, strict=True):
        joined += shifted(steps[row], source, target)
        source += width
        target += len(store.tokens.row(row))
    return tuple(joined)
