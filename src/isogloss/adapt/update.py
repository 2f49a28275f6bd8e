"""Train the weights of one sentence on its examples: MBUU and EBUU (Liu et al. 2012).

Both minimize ½‖W − W_b‖² + λ·Loss over the candidates of the examples, starting from the baseline W_b.
Weights are first converted to units (``weight_scale.py``) in which λ and α mean the same for every system,
and the change is converted back. λ = 0 gives exactly the baseline.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.adapt.lists import Candidates
from isogloss.adapt.options import LocalOptions
from isogloss.adapt.weight_scale import Units, find_units
from isogloss.io.errors import ConfigError
from isogloss.metric.bleu import BleuOptions, bleu_scores

__all__ = ["LocalWeights", "gate", "local_weights"]

Floats = npt.NDArray[np.float64]

_SENTENCE = BleuOptions(smoothing="add-k", smoothing_value=1.0)
"""BLEU with add-one smoothing for all orders above unigrams."""
_REFERENCE_LENGTH = 1  # the column
_REACH = 20.0  # typical distances of candidates
_TOLERANCE = 1e-5
"""EBUU stops when the gradient or the gain of a step is this small, as a share of λ: a thousandth of a BLEU
point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalWeights:
    """The weights of one sentence."""

    weights: Mapping[str, float]
    sparse: Mapping[int, float]
    """Changes of sparse weights, by feature id."""
    strength: float
    """The strength (λ) that was used, after the gate."""
    objective: float
    start: float
    """The objective at the baseline."""
    iterations: int

    def moved(self, baseline: Mapping[str, float]) -> dict[str, float]:
        """The difference of each weight from the baseline, largest first."""
        changes = {name: value - baseline[name] for name, value in self.weights.items()}
        ranked = sorted(changes.items(), key=lambda item: -abs(item[1]))
        return {name: change for name, change in ranked if change != 0}


def gate(similarities: Sequence[float], options: LocalOptions) -> float:
    """The share of λ to use: less if the examples are few or dissimilar."""
    if not similarities:
        return 0.0
    near = float(np.mean(similarities))
    share = 1.0 if options.gate == 0 else min(1.0, near / options.gate)
    if options.gate_examples:
        share *= min(1.0, len(similarities) / options.gate_examples)
    return share


def local_weights(
    candidates: Candidates,
    similarities: Sequence[float],
    baseline: Mapping[str, float],
    options: LocalOptions | None = None,
    *,
    units: Units | None = None,
    sparse_baseline: Mapping[int, float] | None = None,
    start: Mapping[str, float] | None = None,
    beside: int = 0,
) -> LocalWeights:
    """Train the weights of a sentence on the candidates of its examples.

    ``baseline`` has a weight for every dense column, in order; ``sparse_baseline`` has weights of sparse
    features by id. ``units`` are measured on these candidates unless given. EBUU starts from ``start``
    instead of the baseline if that is better. The last ``beside`` examples were not retrieved for the
    sentence, such as a development set: they have similarity 1 and do not affect the gate.
    """
    options = options or LocalOptions()
    strength = (options.strength or 0.0) * gate(similarities, options)
    similarities = [*similarities, *[1.0] * beside]
    unchanged = LocalWeights(
        weights=dict(baseline), sparse={}, strength=strength, objective=0.0, start=0.0, iterations=0
    )
    if strength == 0 or len(candidates.dense) == 0:
        return unchanged
    if candidates.dense.shape[1] != len(baseline):
        raise ConfigError(
            f"the examples have {candidates.dense.shape[1]} features, but the baseline has weights for "
            f"{len(baseline)}"
        )
    ids = [] if candidates.sparse_ids is None else candidates.sparse_ids.tolist()
    known = sparse_baseline or {}
    sparse_weights = np.array([known.get(number, 0.0) for number in ids])
    weights = np.array(list(baseline.values()))
    scores = candidates.scores(weights, sparse_weights)
    units = units or find_units(candidates, scores, weights, options.units)
    if units is None:
        return unchanged

    def in_units(dense: Floats, sparse: Floats) -> Floats:
        return np.concatenate((units.back @ dense, sparse)) / units.score

    # Scores that the units leave out, such as features that do not vary in the examples they were measured
    # on.
    rest = (scores - candidates.dense @ (units.steps @ (units.back @ weights))) / units.score
    if candidates.sparse is not None:
        rest -= candidates.sparse_scores(sparse_weights) / units.score
    measured = replace(candidates, dense=candidates.dense @ units.steps, constants=rest)
    strengths = _shares(similarities, options.emphasis) * strength
    begin = None
    if start is not None:
        begin = in_units(np.array([start[name] for name in baseline]) - weights, np.zeros(len(ids)))
    reachable = _reachable(candidates.offsets, scores, units.score)
    training = _Training(measured, in_units(weights, sparse_weights), strengths, reachable, options)
    change, objective, begun, iterations = training.run(begin)
    size = units.steps.shape[1]
    dense = (units.steps @ change[:size]) * units.score
    sparse = (change[size:] * units.score).tolist()
    return LocalWeights(
        weights={
            name: value + by for (name, value), by in zip(baseline.items(), dense.tolist(), strict=True)
        },
        sparse={number: by for number, by in zip(ids, sparse, strict=True) if by != 0},
        strength=strength,
        objective=objective,
        start=begun,
        iterations=iterations,
    )


def _reachable(offsets: npt.NDArray[np.int64], scores: Floats, usual: float) -> npt.NDArray[np.bool_]:
    """Which candidates are so close to the best of their example that weights near these could choose
    them."""
    best = np.maximum.reduceat(scores, offsets[:-1])
    near: npt.NDArray[np.bool_] = scores >= np.repeat(best, np.diff(offsets)) - _REACH * usual
    return near


def _shares(similarities: Sequence[float], emphasis: float) -> Floats:
    weights: Floats = np.asarray(similarities, dtype=np.float64) ** emphasis
    shares: Floats = weights / weights.sum()
    return shares


class _Training:
    """An update with what it needs, in units."""

    def __init__(
        self,
        candidates: Candidates,
        baseline: Floats,
        strengths: Floats,
        reachable: npt.NDArray[np.bool_],
        options: LocalOptions,
    ) -> None:
        self._candidates, self._options, self._reachable = candidates, options, reachable
        self._baseline, self._strengths = baseline, strengths
        self._lists = candidates.engine()

    def run(self, start: Floats | None) -> tuple[Floats, float, float, int]:
        """Change of the weights, objective, objective at the baseline, iterations."""
        options = self._options
        if options.method == "mbuu":
            change, objective, begun, passes = self._by_margin(self._baseline)
            for _ in range(options.rounds - 1 if options.loss == "document" else 0):
                change, objective, begun, passes = self._by_margin(self._baseline + change)
            return change, objective, begun, passes
        facts: dict[str, Any] = {
            "strengths": self._strengths,
            "baseline": self._baseline,
            "start": start,
            "sharpness": options.sharpness,
            "iterations": options.iterations,
            "tolerance": _TOLERANCE * float(self._strengths.sum()),
            "least_gain": _TOLERANCE * float(self._strengths.sum()),
        }
        statistics = self._candidates.statistics
        if options.loss == "corpus":
            return self._lists.bleu_update(statistics=statistics, **facts)
        return self._lists.error_update(errors=-bleu_scores(statistics, _SENTENCE), **facts)

    def _by_margin(self, weights: Floats) -> tuple[Floats, float, float, int]:
        """With gains in the document that results from these weights."""
        gains = self._gains(weights) / (self._options.sharpness or 1.0)
        # A candidate that is out of reach cannot be an oracle: reaching it would leave the baseline far
        # behind.
        ends = self._candidates.offsets
        lowest = np.repeat(np.minimum.reduceat(gains, ends[:-1]), np.diff(ends))
        gains = np.where(self._reachable, gains, lowest)
        facts: dict[str, Any] = {"gains": gains, "strengths": self._strengths, "baseline": self._baseline}
        change, objective, _, passes = self._lists.margin_update(**facts)
        begun = self._lists.margin_objective(change=np.zeros_like(self._baseline), **facts)
        return change, objective, begun, passes

    def _gains(self, weights: Floats) -> Floats:
        """The gain of each candidate in words of BLEU, so that a word counts the same in every sentence."""
        candidates, options = self._candidates, self._options
        if options.loss == "document":
            return _engine.document_gains(
                statistics=candidates.statistics,
                offsets=candidates.offsets,
                chosen=self._lists.best(weights),
                decay=options.decay,
            )
        gains: Floats = bleu_scores(candidates.statistics, _SENTENCE)
        return gains * candidates.statistics[:, _REFERENCE_LENGTH]
