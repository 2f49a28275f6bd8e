"""The learning problem: the candidates of an n-best list and their quality.

A learner uses only ``sentences()``, ``dense()``, ``sparse(rows)`` and ``stats()``. The score of a choice of
candidates is a function of the sum of their statistics (``scores``), so the text is never needed again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from isogloss._engine import best_candidates
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.learn.metrics import QualityColumn, list_statistics, sentence_scores, unit
from isogloss.metric import Bleu, Metric, References
from isogloss.metric.interface import FloatArray, Statistics
from isogloss.nbest.store import CsrRows, Int64, NbestStore

__all__ = ["Problem", "WeightVector"]


_LARGEST = 1e30  # sums of squares must stay finite


def _is_moderate(values: Statistics, most: float) -> bool:
    """Whether all numbers are at most that far from 0, in two passes that write nothing; NaN is not."""
    return not values.size or bool(-most <= values.min() and values.max() <= most)


@dataclass(slots=True, eq=False)
class WeightVector:
    """Weights as numbers: one per dense column, one per sparse column (none if there are no sparse ones)."""

    dense: FloatArray
    sparse: FloatArray

    def copy(self) -> WeightVector:
        """A copy of the weights."""
        return WeightVector(self.dense.copy(), self.sparse.copy())


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """An n-best list with a metric and the metric's statistics of every candidate.

    Higher scores are always better, even for a metric where lower is better; percentages are in 0 to 1.

    >>> from isogloss.nbest.synthetic import make_nbest
    >>> lines = ["the cat sat on the mat", "a dog barks at the moon"]
    >>> store = make_nbest([line.split() for line in lines], candidates=5, seed=1)
    >>> problem = Problem.of(store, References([lines]))
    >>> problem.num_sentences, problem.dense().shape, problem.stats().shape
    (2, (10, 5), (10, 10))
    >>> 0 <= problem.score_of({"Missing": 1, "Doubled": 1, "Order": 1, "Choice": 1, "Length": 0}) <= 1
    True
    """

    store: NbestStore
    metric: Metric
    statistics: Statistics
    """One row per candidate; the metric scores sums of rows."""
    sparse_names: tuple[str, ...] = field(init=False)
    """A name for every sparse column."""

    def __post_init__(self) -> None:
        store, statistics = self.store, self.statistics
        if store.num_sentences == 0:
            raise DataFormatError("the list has no candidates", store.path or "n-best list")
        if statistics.ndim != 2 or len(statistics) != store.num_candidates:
            raise ConfigError(
                f"statistics of shape {statistics.shape} for {store.num_candidates:,} candidates: "
                "one row per candidate is expected"
            )
        names = tuple(store.sparse.names.words()) if store.sparse is not None else ()
        object.__setattr__(self, "sparse_names", names)
        twice = set(store.dense_names) & set(names)
        if twice:
            raise ConfigError(f"'{min(twice)}' is both a dense and a sparse feature; rename one of them")
        if not (_is_moderate(statistics, np.finfo(np.float64).max) and _is_moderate(store.dense, _LARGEST)):
            self._refuse_numbers()

    def _refuse_numbers(self) -> None:
        """Raise an error that names the first bad number."""
        store = self.store
        for what, values in (("statistics", self.statistics), ("features", store.dense)):
            bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
            if len(bad):
                raise ConfigError(f"the {what} of candidate {bad[0] + 1} are not finite numbers")
        row, column = np.argwhere(np.abs(store.dense) > _LARGEST)[0].tolist()
        raise DataFormatError(
            f"the feature '{store.dense_names[column]}' of candidate {row + 1} is "
            f"{store.dense[row, column]:g}",
            store.path or "n-best list",
            hint=f"values above {_LARGEST:g} cannot be learned from; scale the feature or leave it out",
        )

    @classmethod
    def of(cls, store: NbestStore, references: References, metric: Metric | None = None) -> Problem:
        """A problem from a list and references, with BLEU or any metric."""
        metric = Bleu() if metric is None else metric
        return cls(store, metric, list_statistics(store, references, metric))

    @classmethod
    def of_quality(
        cls, store: NbestStore, quality: Sequence[float] | FloatArray, *, higher_is_better: bool = True
    ) -> Problem:
        """A problem from a list and a given quality of each candidate; the score of a document is the
        mean."""
        column = np.asarray(quality, dtype=np.float64)
        if column.shape != (store.num_candidates,):
            raise ConfigError(f"{column.size:,} values for {store.num_candidates:,} candidates")
        metric = QualityColumn(higher_is_better=higher_is_better)
        return cls(store, metric, metric.rows(column))

    # What a learner sees.

    def sentences(self) -> Int64:
        """Offsets: the candidates of sentence i are the rows ``offsets[i]`` up to ``offsets[i + 1]``."""
        return self.store.sentence_offsets

    def dense(self) -> FloatArray:
        """Candidates × dense columns."""
        return self.store.dense

    def sparse(self, rows: Sequence[int] | Int64) -> CsrRows:
        """Sparse features of the given candidates, sorted by column; rows are empty if there are none."""
        chosen = np.asarray(rows, dtype=np.int64)
        if self.store.sparse is None:
            return CsrRows(
                np.zeros(len(chosen) + 1, np.int64), np.zeros(0, np.uint32), np.zeros(0, np.float32)
            )
        return self.store.sparse.rows(chosen)

    def deviations(self) -> FloatArray:
        """Standard deviation of every dense column within sentences; 0 if it never matters."""
        first, dense = self.sentences()[:-1], self.dense()
        varies = np.any(np.maximum.reduceat(dense, first) != np.minimum.reduceat(dense, first), axis=0)
        return np.where(varies, np.sqrt((self.centered(dense) ** 2).mean(axis=0)), 0.0)

    def centered(self, columns: FloatArray) -> FloatArray:
        """Columns minus their means over the candidates of each sentence."""
        sizes = np.diff(self.sentences())
        means = np.add.reduceat(columns, self.sentences()[:-1]) / sizes[:, np.newaxis]
        return np.asarray(columns - np.repeat(means, sizes, axis=0))

    def stats(self) -> Statistics:
        """Candidates × numbers of the metric, which can be summed."""
        return self.statistics

    def scores(self, rows: Statistics) -> FloatArray:
        """The score of a document with these summed statistics, for each row."""
        found = self.metric.scores(rows) * unit(self.metric)
        return found if self.metric.higher_is_better else -found

    def sentence_scores(self) -> FloatArray:
        """The quality of each candidate by itself; smoothed for BLEU."""
        found = sentence_scores(self.metric, self.statistics) * unit(self.metric)
        return found if self.metric.higher_is_better else -found

    def reported(self, score: float) -> float:
        """Convert a score of this problem to the metric's own scale."""
        return score / unit(self.metric) * (1 if self.metric.higher_is_better else -1)

    # Weights by name and by column.

    @property
    def num_sentences(self) -> int:
        """Sentences that have candidates."""
        return self.store.num_sentences

    @property
    def dense_names(self) -> list[str]:
        """A name for every dense column."""
        return self.store.dense_names

    def vector(self, weights: Mapping[str, float]) -> WeightVector:
        """Weights by column; missing weights are 0, and weights of unknown features are ignored."""
        dense, sparse = (
            np.array([weights.get(name, 0.0) for name in names], dtype=np.float64)
            for names in (self.dense_names, self.sparse_names)
        )
        return WeightVector(dense, sparse)

    def named(self, vector: WeightVector) -> dict[str, float]:
        """Weights by name: all dense ones, and the sparse ones that are not 0."""
        weights = dict(zip(self.dense_names, vector.dense.tolist(), strict=True))
        active = np.flatnonzero(vector.sparse)
        weights.update((self.sparse_names[i], float(vector.sparse[i])) for i in active.tolist())
        return weights

    def decoder_weights(self) -> dict[str, float]:
        """The dense weights that best explain the list's own scores; all 0 if it has none.

        The score of a decoder is a weighted sum of its features, so this recovers its weights, except for
        features that are not in the list.
        """
        scored = np.isfinite(self.store.scores)
        complete = np.logical_and.reduceat(scored, self.sentences()[:-1])
        taken = np.repeat(complete, np.diff(self.sentences()))
        centered = self.centered(np.column_stack([self.dense(), np.where(scored, self.store.scores, 0.0)]))
        features, scores = centered[taken, :-1], centered[taken, -1]
        products = features.T @ features
        found = np.linalg.lstsq(products, features.T @ scores, rcond=1e-12)[0]
        return dict(zip(self.dense_names, found.tolist(), strict=True))

    # What weights do.

    def model_scores(self, vector: WeightVector) -> FloatArray:
        """The score of every candidate under the weights."""
        # Not with BLAS: its sums depend on the number of threads, and it is slower for few columns.
        scores: FloatArray = np.einsum("ij,j->i", self.dense(), vector.dense)
        if np.any(vector.sparse):
            offsets, columns, values = self.sparse(np.arange(self.store.num_candidates))
            summed = np.concatenate(([0.0], np.cumsum(vector.sparse[columns] * values)))
            scores = scores + (summed[offsets[1:]] - summed[offsets[:-1]])
        return scores

    def choose(self, scores: FloatArray) -> Int64:
        """The row with the highest score of every sentence; the first in case of ties."""
        offsets = self.sentences()
        best = np.repeat(np.maximum.reduceat(scores, offsets[:-1]), np.diff(offsets))
        at_best = np.flatnonzero(scores == best)
        return at_best[np.searchsorted(at_best, offsets[:-1])]

    def score_of_rows(self, rows: Int64) -> float:
        """The score of the document of these candidates."""
        return float(self.scores(self.statistics[rows].sum(axis=0)[np.newaxis])[0])

    def score_of(self, weights: Mapping[str, float] | WeightVector) -> float:
        """The score of the candidates that the weights choose."""
        return self.scores_of([weights if isinstance(weights, WeightVector) else self.vector(weights)])[0]

    def scores_of(self, vectors: Sequence[WeightVector]) -> list[float]:
        """The same for each of several vectors; the list is read only once for all that are dense."""
        chosen = {
            at: self.choose(self.model_scores(vector))
            for at, vector in enumerate(vectors)
            if np.any(vector.sparse) or not len(vector.dense)
        }
        dense = [at for at in range(len(vectors)) if at not in chosen]
        if dense:
            weights = np.stack([vectors[at].dense for at in dense])
            chosen |= dict(zip(dense, best_candidates(self.sentences(), self.dense(), weights), strict=True))
        return [self.score_of_rows(chosen[at]) for at in range(len(vectors))]
