"""Problems of relevant set training in which every sequence can be listed, and slow ways to solve them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from isogloss._engine import RelevantSet, Vocabulary
from isogloss.decoder.search_result import FeatureRows
from isogloss.io.progress import Track
from isogloss.nbest.store import NbestStore, Ragged
from isogloss.tuning.sequence_decoder import RealFeature, Sequences, SequenceWeights

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Toy:
    """Every sequence of every sentence: its features as a dense row, and its quality."""

    rows: list[Array]
    qualities: list[Array]

    @classmethod
    def random(cls, seed: int, *, sentences: int = 4, sequences: int = 12, features: int = 6) -> Toy:
        """Qualities that features explain in part, so that there is something to learn."""
        rng = np.random.default_rng(seed)
        good = rng.normal(size=features)
        rows, qualities = [], []
        for _ in range(sentences):
            rows.append(np.unique(rng.integers(0, 3, (sequences, features)), axis=0).astype(float))
            worth = rows[-1] @ good + rng.normal(scale=1.5, size=len(rows[-1]))
            qualities.append(1 / (1 + np.exp(-worth)))
        return cls(rows, qualities)

    def truths(self, count: int) -> list[npt.NDArray[np.int64]]:
        """The best sequences of every sentence."""
        return [np.sort(np.argsort(-quality, kind="stable")[:count]) for quality in self.qualities]


def phi(quality: float, margin: float) -> float:
    return max(0.0, quality) * max(0.0, 1 - margin) ** 2


def full_loss(toy: Toy, weights: Array, truths: int, sets: Sequence[Sequence[int]] | None = None) -> float:
    """Mean Φ, over all alternatives or over some of every sentence."""
    total = 0.0
    for number, best in enumerate(toy.truths(truths)):
        rows, quality = toy.rows[number], toy.qualities[number]
        others = sorted(set(range(len(rows)) if sets is None else sets[number]) - set(best.tolist()))
        for truth in best:
            costs = [
                phi(quality[truth] - quality[other], float(weights @ (rows[truth] - rows[other])))
                for other in others
            ]
            total += max(costs, default=0.0) / len(best)
    return total / len(toy.rows)


def objective(
    toy: Toy, weights: Array, truths: int, strength: float, sets: Sequence[Sequence[int]] | None = None
) -> float:
    return full_loss(toy, weights, truths, sets) + 2 * strength * float(weights @ weights)


def solve(
    toy: Toy, truths: int, strength: float, sets: Sequence[Sequence[int]] | None = None
) -> tuple[Array, float]:
    """The optimum by SciPy: least bounds t on the costs, as a smooth problem with constraints."""
    pairs, differences, bounds = [], [], []
    owners = [(number, truth) for number, best in enumerate(toy.truths(truths)) for truth in best]
    for slot, (number, truth) in enumerate(owners):
        rows, quality, best = toy.rows[number], toy.qualities[number], toy.truths(truths)[number]
        others = range(len(rows)) if sets is None else sorted(sets[number])
        for other in others:
            if other not in best:
                pairs.append(rows[truth] - rows[other])
                differences.append(quality[truth] - quality[other])
                bounds.append(slot)
    features, matrix = toy.rows[0].shape[1], np.array(pairs).reshape(len(pairs), -1)
    cost, slots = np.array(differences), np.array(bounds, np.int64)
    share = np.array([1 / (len(toy.rows) * len(toy.truths(truths)[number])) for number, _ in owners])

    def violation(x: Array) -> Array:
        return np.maximum(0.0, 1 - matrix @ x[:features])

    def room(x: Array) -> Array:
        return x[features + slots] - cost * violation(x) ** 2

    def room_slope(x: Array) -> Array:
        slope = np.zeros((len(cost), len(x)))
        slope[:, :features] = 2 * (cost * violation(x))[:, np.newaxis] * matrix
        slope[np.arange(len(cost)), features + slots] += 1
        return slope

    found = minimize(
        lambda x: share @ x[features:] + 2 * strength * x[:features] @ x[:features],
        np.concatenate([np.zeros(features), np.ones(len(owners))]),
        jac=lambda x: np.concatenate([4 * strength * x[:features], share]),
        constraints=[
            {"type": "ineq", "fun": room, "jac": room_slope},
            {"type": "ineq", "fun": lambda x: x[features:]},
        ],
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-12},
    )
    weights = np.asarray(found.x[:features])
    return weights, objective(toy, weights, truths, strength, sets)


class ToyDecoder:
    """A decoder that lists everything: feature i of the toy has the number i + 1."""

    real: Sequence[RealFeature] = ()

    def __init__(self, toy: Toy, *, begin: bool = False) -> None:
        self.toy, self._begin = toy, begin

    @property
    def size(self) -> int:
        return len(self.toy.rows)

    def sequences(self, chosen: Sequence[Sequence[int]], sentences: npt.NDArray[np.int64]) -> Sequences:
        pairs = list(zip(sentences.tolist(), chosen, strict=True))
        return Sequences(
            _store([len(c) for c in chosen], sentences),
            feature_rows(np.concatenate([self.toy.rows[at][list(c)] for at, c in pairs])),
            np.concatenate([self.toy.qualities[at][list(c)] for at, c in pairs]),
            _names,
        )

    def begin(self, track: Track) -> Iterator[Sequences]:
        return iter(())

    def truths(self, count: int, track: Track) -> Iterator[Sequences]:
        yield self.sequences([best.tolist() for best in self.toy.truths(count)], np.arange(self.size))

    def decode(
        self,
        weights: SequenceWeights,
        sentences: npt.NDArray[np.int64],
        *,
        nbest: int,
        distinct: bool,
        track: Track,
    ) -> Iterator[Sequences]:
        dense = np.zeros(self.toy.rows[0].shape[1])
        dense[weights.features.astype(np.int64) - 1] = weights.values
        yield self.sequences(
            [np.argsort(-(self.toy.rows[at] @ dense), kind="stable")[:nbest].tolist() for at in sentences],
            sentences,
        )


def feature_rows(rows: Array) -> FeatureRows:
    """Dense rows as sparse ones; column i has the number i + 1."""
    where, columns = np.nonzero(rows)
    offsets = np.searchsorted(where, np.arange(len(rows) + 1))
    return FeatureRows(
        offsets.astype(np.int64), (columns + 1).astype(np.uint64), rows[where, columns].astype(np.float32)
    )


def _store(counts: Sequence[int], sentences: npt.NDArray[np.int64]) -> NbestStore:
    total = sum(counts)
    return NbestStore(
        sentence_ids=sentences,
        sentence_offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        scores=np.zeros(total),
        dense_groups=(),
        dense=np.zeros((total, 0)),
        words=Vocabulary(),
        tokens=Ragged(np.zeros(total + 1, np.int64), np.zeros(0, np.uint32)),
    )


def _names(
    wanted: npt.NDArray[np.uint64],
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint8], npt.NDArray[np.uint64]]:
    names = [f"rule:#{number}".encode() for number in wanted.tolist()]
    ends = np.cumsum([len(name) for name in names], dtype=np.uint64)
    return wanted, np.frombuffer(b"".join(names), np.uint8), ends


def engine_set(
    toy: Toy, truths: int, *, min_count: int = 1, alternatives: Sequence[Sequence[int]] | None = None
) -> RelevantSet:
    """The engine's relevant set of a toy, with all alternatives or some."""
    made = RelevantSet(sentences=len(toy.rows), truths=truths, real_columns=0, min_count=min_count)
    for number, best in enumerate(toy.truths(truths)):
        every = range(len(toy.rows[number])) if alternatives is None else alternatives[number]
        others = [row for row in every if row not in best]
        for chosen, as_truth in ((best.tolist(), True), (others, False)):
            add(made, number, toy.rows[number][chosen], toy.qualities[number][chosen], as_truth=as_truth)
    return made


def add(made: RelevantSet, sentence: int, rows: Array, qualities: Array, *, as_truth: bool) -> list[int]:
    sparse = feature_rows(rows)
    roles = made.add(
        np.full(len(rows), sentence, np.uint32),
        sparse.offsets,
        sparse.features,
        sparse.counts,
        np.zeros((len(rows), 0)),
        qualities,
        as_truth=as_truth,
    )
    return [int(role) for role in roles]


def dense_weights(made: RelevantSet, features: int, *, average: bool = False) -> Array:
    """Weights by the toy's columns."""
    _, numbers, values = made.weights(made.mean() if average else made.now())
    dense = np.zeros(features)
    dense[numbers.astype(np.int64) - 1] = values
    return dense
