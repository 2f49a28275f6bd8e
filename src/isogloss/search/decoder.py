"""From sentences and lattices to n-best lists, with a model that is loaded."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from isogloss import _engine
from isogloss.errors import ConfigError, DataFormatError
from isogloss.features.model import SparseModel
from isogloss.features.weights import SparseWeights
from isogloss.grammar.table import RuleTable
from isogloss.lm.model import LanguageModel
from isogloss.nbest.edit import merge
from isogloss.nbest.store import NbestStore
from isogloss.search.options import SearchOptions, engine_options
from isogloss.search.plf import Lattice
from isogloss.search.searched import Searched
from isogloss.search.weights import check_weights
from isogloss.search.windows import cut_lattice, cut_words, join_windows

__all__ = ["DEFAULT_MAX_WORDS", "Decoder", "split_words"]

DEFAULT_MAX_WORDS = 100
"""Longer inputs are cut into windows of at most so many words."""

_SPACE = re.compile(r"[ \t-\r]+")  # what separates words everywhere in isogloss
_UNFIT = re.compile(r"[\0\ud800-\udfff]")
_MOST_WORDS = 4000


def split_words(sentence: str) -> list[str]:
    """The words of a sentence: what ASCII white space separates."""
    return [word for word in _SPACE.split(sentence) if word]


class Decoder:
    """Translates with a rule table, a language model and weights. Any number of threads may use one."""

    def __init__(
        self,
        rules: RuleTable,
        lm: LanguageModel,
        options: SearchOptions,
        weights: Mapping[str, float] | None = None,
        *,
        sparse: SparseModel | None = None,
    ) -> None:
        self._rules, self._lm, self.options, self.sparse = rules, lm, options, sparse
        self._sparse_engine = None if sparse is None else sparse.engine(rules)
        self._sparse_weights: _engine.SparseWeights | None = None
        self._engine = self._make(options)
        self._fallback: _engine.Decoder | None = None
        self.names: tuple[str, ...] = tuple(self._engine.feature_names())
        """Names of the dense features."""
        self.weights: dict[str, float] = dict.fromkeys(self.names, 0.0)
        """Weights in use."""
        if weights is not None:
            self.set_weights(weights)

    def set_weights(
        self, weights: Mapping[str, float], sparse: SparseWeights | _engine.LearnedWeights | None = None
    ) -> None:
        """Use other weights from now on; sparse weights that changed must be set again.

        Sparse weights that were learned with other features than this decoder has are refused.
        """
        if isinstance(sparse, SparseWeights):
            self._check_signature(sparse)
        self.weights = check_weights(weights, self.names)
        self._sparse_weights = sparse.engine if isinstance(sparse, SparseWeights) else sparse
        self._engine.set_weights(list(self.weights.values()), self._sparse_weights)
        self._fallback = None

    def _check_signature(self, weights: SparseWeights) -> None:
        where = f"{weights.path}: " if weights.path else ""
        if self.sparse is None:
            raise ConfigError(f"{where}weights of sparse features are given, but the system has none")
        if weights.signature and weights.signature != self.sparse.signature:
            raise ConfigError(
                f"{where}the weights were learned with other sparse features than the system has "
                f"({self.sparse.describe()}); use the system they were learned with, or tune again"
            )

    def nbest(
        self,
        inputs: Sequence[str | Lattice],
        *,
        nbest: int = 1,
        threads: int = 1,
        max_words: int = DEFAULT_MAX_WORDS,
    ) -> NbestStore:
        """The best translations of every input, all different; the inputs' numbers begin at 0.

        An input of more than ``max_words`` words is translated in windows. A word that contains ``|||``,
        which an n-best list cannot carry, has its bars written as ``&#124;`` there.
        """
        if nbest < 1:
            raise ConfigError(f"nbest must be at least 1, got {nbest}")
        if threads < 1:
            raise ConfigError(f"threads must be at least 1, got {threads}")
        if not 1 <= max_words <= _MOST_WORDS:
            raise ConfigError(f"max_words must be between 1 and {_MOST_WORDS}, got {max_words}")
        windows = [_windows(item, number, max_words) for number, item in enumerate(inputs, start=1)]
        flat = [window for parts in windows for window in parts]
        store = self._decode(flat, nbest, threads)
        if len(flat) == len(windows):
            return store
        return join_windows(store, [len(parts) for parts in windows], nbest)

    def search(self, inputs: Sequence[str | Lattice], *, nbest: int = 1, threads: int = 1) -> Searched:
        """The same with the searches kept, for those who want sparse features; inputs are never cut.

        An input for which the limits leave no translation has no candidates.
        """
        sources = [_windows(item, number, _MOST_WORDS)[0] for number, item in enumerate(inputs, start=1)]
        kept = _engine.Searched()
        with self._rules.damage_named():
            columns: Any = self._engine.translate(sources, nbest=nbest, threads=threads, keep=kept)
        return Searched(NbestStore.from_columns(columns), kept)

    def _decode(self, sources: list[Any], nbest: int, threads: int) -> NbestStore:
        with self._rules.damage_named():
            columns: Any = self._engine.translate(sources, nbest=nbest, threads=threads)
        store = NbestStore.from_columns(columns)
        if store.num_sentences == len(sources):
            return store
        missing = sorted(set(range(len(sources))) - set(store.sentence_ids.tolist()))
        return merge([store, self._decode_monotone(sources, missing)])

    def _decode_monotone(self, sources: list[Any], numbers: list[int]) -> NbestStore:
        """One translation for inputs where the limits left none: from left to right there always is one."""
        if self._fallback is None:
            monotone = replace(self.options, hierarchical=False, phrase_order="monotone")
            self._fallback = self._make(monotone)
            self._fallback.set_weights(list(self.weights.values()), self._sparse_weights)
        columns: Any = self._fallback.translate([sources[number] for number in numbers])
        store = NbestStore.from_columns(columns)
        return replace(store, sentence_ids=np.array(numbers, dtype=np.int64)[store.sentence_ids])

    def _make(self, options: SearchOptions) -> _engine.Decoder:
        with self._rules.damage_named():
            return _engine.Decoder(
                table=self._rules.engine,
                source_words=self._rules.source_words,
                target_words=self._rules.target_words,
                language_model=self._lm.engine,
                column_names=list(self._rules.columns),
                options=engine_options(options),
                sparse=self._sparse_engine,
            )


def _windows(item: str | Lattice, number: int, max_words: int) -> list[Any]:
    """The input in the form the engine takes, in one piece or several."""
    if isinstance(item, Lattice):
        return [(part.places, [tuple(arc) for arc in part.arcs]) for part in cut_lattice(item, max_words)]
    if _UNFIT.search(item):
        raise DataFormatError(
            "a zero byte or half a surrogate pair, which are no text", f"sentence {number}", hint="remove it"
        )
    return [list(window) for window in cut_words(split_words(item), max_words)]
