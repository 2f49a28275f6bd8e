"""Search results that keep the search.

Sparse features are computed on demand for some candidates. The graph of all derivations gives posterior
probabilities of rules and n-grams.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.decoder.derivation import Derivation, DerivationStep, read_step
from isogloss.io.errors import ConfigError
from isogloss.nbest.store import NbestStore, Ragged, SparseFeatures

__all__ = ["FeatureRows", "Posteriors", "Searched"]

UInt64 = npt.NDArray[np.uint64]

_MOST_ORDER = 16


@dataclass(frozen=True, slots=True, eq=False)
class FeatureRows:
    """Sparse rows: row i has ``features[offsets[i]:offsets[i + 1]]``, sorted by id, with ``counts``."""

    offsets: npt.NDArray[np.int64]
    features: UInt64
    counts: npt.NDArray[np.float32]

    @classmethod
    def empty(cls, rows: int = 0) -> FeatureRows:
        """Rows without features."""
        return cls(np.zeros(rows + 1, np.int64), np.zeros(0, np.uint64), np.zeros(0, np.float32))

    @classmethod
    def join(cls, parts: Sequence[FeatureRows]) -> FeatureRows:
        """Concatenate several sets of rows."""
        lengths = [np.diff(part.offsets) for part in parts]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(lengths))])
        return cls(
            offsets,
            np.concatenate([part.features for part in parts]),
            np.concatenate([part.counts for part in parts]),
        )

    def row(self, index: int) -> FeatureRows:
        """A copy of one row that does not reference the others."""
        begin, end = self.offsets[index], self.offsets[index + 1]
        return FeatureRows(
            np.array([0, end - begin]), self.features[begin:end].copy(), self.counts[begin:end].copy()
        )

    def varying(self) -> UInt64:
        """Only features whose counts differ between rows."""
        different, inverse = np.unique(self.features, return_inverse=True)
        present = np.bincount(inverse, minlength=len(different))
        sums = np.bincount(inverse, self.counts, minlength=len(different))
        squares = np.bincount(inverse, self.counts.astype(np.float64) ** 2, minlength=len(different))
        constant = (present == len(self.offsets) - 1) & (squares * present == sums**2)
        found: UInt64 = different[~constant]
        return found

    def only(self, features: UInt64) -> FeatureRows:
        """The rows restricted to these features, which must be sorted."""
        kept = np.isin(self.features, features)
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])
        return FeatureRows(before[self.offsets], self.features[kept], self.counts[kept])

    def sums(self, weights: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        """The weighted sum of counts of each row; ``weights`` are parallel to ``features``."""
        products = np.concatenate([np.zeros(1), np.cumsum(weights.astype(np.float64) * self.counts)])
        found: npt.NDArray[np.float64] = products[self.offsets[1:]] - products[self.offsets[:-1]]
        return found


@dataclass(frozen=True, slots=True)
class Posteriors:
    """Posterior probabilities over the derivations of a sentence: P(derivation) ∝ exp(scale · score)."""

    log_total: float
    """Logarithm of the sum of exp(scale · score) over all derivations that the search kept; -inf if there are
    none."""
    rules: tuple[tuple[DerivationStep, float], ...]
    """Every step with the probability that a derivation contains it, the most probable first. Target spans
    begin at 0, because the position of a step in the translation varies."""
    ngrams: dict[tuple[str, ...], float]
    """Expected count of each n-gram in the translation."""


@dataclass(frozen=True, slots=True, eq=False)
class Searched:
    """An n-best list with its searches; sentence i of the input is sentence i here.

    A sentence without a translation has no candidates; ``store.sentence_ids`` lists those that have some.
    """

    store: NbestStore
    engine: _engine.SearchResult
    words: Sequence[Sequence[str] | None] = ()
    """The words of each sentence; None for a lattice."""
    derivations: Sequence[Derivation] = ()
    """The derivation of every candidate, if requested."""

    def sparse(self, sentence: int, rows: Sequence[int]) -> FeatureRows:
        """Sparse features of some candidates of a sentence, counted from 0 within the sentence."""
        return FeatureRows(*self.engine.sparse(sentence, rows))

    def names(self, sentence: int, rows: Sequence[int], wanted: UInt64) -> dict[int, str]:
        """Names of the requested features of some candidates."""
        return self.engine.names(sentence, rows, wanted)

    def with_sparse(self, weights: _engine.SparseWeights) -> NbestStore:
        """The list with the sparse features of all candidates, by name, of those that have a weight."""
        store = self.store
        sentences = store.sentence_ids[store.sentence_of_row()].tolist()
        first = np.repeat(store.sentence_offsets[:-1], np.diff(store.sentence_offsets))
        ranks = (np.arange(store.num_candidates) - first).tolist()
        rows = FeatureRows(*self.engine.sparse_of(sentences, ranks))
        known = np.unique(rows.features)
        rows = rows.only(known[weights.weights(known) != 0])
        found, text, ends = self.engine.names_of(sentences, ranks, np.unique(rows.features))
        names = _engine.Vocabulary()
        encoded, begin = text.tobytes(), 0
        for end in ends.tolist():
            names.add(encoded[begin:end].decode(errors="replace"))
            begin = end
        order = np.argsort(found)
        columns = order[np.searchsorted(found[order], rows.features)].astype(np.uint32)
        return replace(store, sparse=SparseFeatures(names, Ragged(rows.offsets, columns), rows.counts))

    def posteriors(self, sentence: int, *, scale: float = 1.0, order: int = 1) -> Posteriors:
        """Posterior probabilities of rules and of n-grams of up to ``order`` words, over all derivations
        kept.

        ``scale`` times the score is the log probability of a derivation, up to a constant: 0 makes all
        derivations equally probable; a large scale leaves only the best one.
        """
        if not math.isfinite(scale):
            raise ConfigError(f"scale must be a finite number, got {scale}")
        if not 1 <= order <= _MOST_ORDER:
            raise ConfigError(f"order must be between 1 and {_MOST_ORDER}, got {order}")
        source = self.words[sentence] if self.words else None
        rules: dict[DerivationStep, float] = {}  # the search may have several ids for one step
        for row, words, probability in self.engine.rule_posteriors(sentence, scale):
            step = read_step(row, source, words)
            rules[step] = rules.get(step, 0.0) + probability
        return Posteriors(
            log_total=self.engine.log_total(sentence, scale),
            rules=tuple(sorted(rules.items(), key=lambda item: -item[1])),
            ngrams=self.engine.ngram_posteriors(sentence, scale, order),
        )
