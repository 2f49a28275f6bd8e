"""From examples to the weights of one sentence: MBUU and EBUU (Liu et al. 2012).

Both minimise ½‖W − W_b‖² + λ·Loss over the candidates of the examples, beginning at the baseline W_b. The
baseline is scaled first, to a sum of absolute values of 1 over the weights of features that vary, and the
change is scaled back: λ then means the same for every system, and λ = 0 gives exactly the baseline.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.errors import ConfigError
from isogloss.local.lists import Candidates
from isogloss.local.options import UpdateOptions
from isogloss.metric.bleu import BleuOptions, bleu_scores

__all__ = ["LocalWeights", "gate", "local_weights"]

Floats = npt.NDArray[np.float64]

_SENTENCE = BleuOptions(smoothing="add-k", smoothing_value=1.0)
"""BLEU with one added to all counts above single words."""
_REFERENCE_LENGTH = 1  # the column


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalWeights:
    """The weights of one sentence."""

    weights: Mapping[str, float]
    sparse: Mapping[int, float]
    """Changes of sparse features, by their number."""
    strength: float
    """λ as it was used, after the gate."""
    objective: float
    start: float
    """The objective at the baseline."""
    iterations: int

    def moved(self, baseline: Mapping[str, float]) -> dict[str, float]:
        """How far each weight is from the baseline, those that moved most first."""
        changes = {name: value - baseline[name] for name, value in self.weights.items()}
        ranked = sorted(changes.items(), key=lambda item: -abs(item[1]))
        return {name: change for name, change in ranked if change != 0}


def gate(similarities: Sequence[float], options: UpdateOptions) -> float:
    """The share of λ that these examples deserve: less if they are few or distant."""
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
    options: UpdateOptions | None = None,
    *,
    sparse_baseline: Mapping[int, float] | None = None,
    start: Mapping[str, float] | None = None,
    beside: int = 0,
) -> LocalWeights:
    """Weights for a sentence from the candidates of its examples.

    ``baseline`` has a weight for every dense column, in order; ``sparse_baseline`` weights of sparse features
    by number. ``start`` are weights at which EBUU begins instead of the baseline, if they are better. The
    last ``beside`` examples were not found for the sentence, such as a development set: they have no
    similarity, count as if it were 1, and do not open the gate.
    """
    options = options or UpdateOptions()
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
    if options.units == "spread":
        spread = _spread(candidates)
        candidates = replace(candidates, dense=candidates.dense / spread)
    else:
        spread = np.ones(len(baseline))
    units = np.concatenate((spread, np.ones(len(ids))))  # what one of each weight is worth
    own = np.array([*baseline.values(), *(known.get(number, 0.0) for number in ids)]) * units
    # A feature that tells no candidate from another may have any weight: it says nothing of the scale.
    scale = float(np.abs(own[: len(baseline)])[_varying(candidates)].sum())
    if scale == 0:
        return unchanged
    scaled = own / scale
    if candidates.constants is not None:
        candidates = replace(candidates, constants=candidates.constants / scale)
    strengths = _shares(similarities, options.emphasis) * strength
    begin = None if start is None else _start(start, baseline, len(ids)) * units / scale
    training = _Training(candidates, scaled, strengths, options)
    change, objective, begun, iterations = training.run(begin)
    change = change * scale / units
    dense, sparse = change[: len(baseline)].tolist(), change[len(baseline) :].tolist()
    return LocalWeights(
        weights={name: value + by for (name, value), by in zip(baseline.items(), dense, strict=True)},
        sparse={number: by for number, by in zip(ids, sparse, strict=True) if by != 0},
        strength=strength,
        objective=objective,
        start=begun,
        iterations=iterations,
    )


def _shares(similarities: Sequence[float], emphasis: float) -> Floats:
    weights: Floats = np.asarray(similarities, dtype=np.float64) ** emphasis
    shares: Floats = weights / weights.sum()
    return shares


class _Training:
    """An update with what it needs, in scaled units."""

    def __init__(
        self, candidates: Candidates, baseline: Floats, strengths: Floats, options: UpdateOptions
    ) -> None:
        self._candidates, self._options = candidates, options
        self._baseline, self._strengths = baseline, strengths
        self._lists = candidates.engine()

    def run(self, start: Floats | None) -> tuple[Floats, float, float, int]:
        """Change of the weights, objective, objective at the baseline, iterations."""
        options = self._options
        change, objective, begun, iterations = self._update(self._gains(self._baseline), start)
        for _ in range(options.rounds - 1 if options.loss == "document" else 0):
            gains = self._gains(self._baseline + change)
            change, objective, begun, iterations = self._update(gains, start)
        return change, objective, begun, iterations

    def _update(self, gains: Floats, start: Floats | None) -> tuple[Floats, float, float, int]:
        options = self._options
        facts: dict[str, Any] = {"strengths": self._strengths, "baseline": self._baseline}
        if options.method == "mbuu":
            change, objective, _, passes = self._lists.margin_update(gains=gains, **facts)
            nothing = np.zeros_like(self._baseline)
            return (
                change,
                objective,
                self._lists.margin_objective(gains=gains, change=nothing, **facts),
                passes,
            )
        return self._lists.error_update(
            errors=-gains,
            start=start,
            sharpness=options.sharpness,
            iterations=options.iterations,
            **facts,
        )

    def _gains(self, weights: Floats) -> Floats:
        """How good each candidate is; in words for MBUU, where a word is worth the same in every sentence."""
        candidates, options = self._candidates, self._options
        if options.loss == "document":
            return _engine.document_gains(
                statistics=candidates.statistics,
                offsets=candidates.offsets,
                chosen=self._lists.best(weights),
                decay=options.decay,
            )
        statistics = candidates.statistics
        if options.loss == "balanced":
            statistics = statistics.copy()
            statistics[:, _REFERENCE_LENGTH] += 1
        gains: Floats = bleu_scores(statistics, _SENTENCE)
        if options.method == "mbuu":
            gains = gains * candidates.statistics[:, _REFERENCE_LENGTH]
        return gains


def _varying(candidates: Candidates) -> npt.NDArray[np.bool_]:
    """Which dense features differ between the candidates of some example."""
    begin, sizes = candidates.offsets[:-1], np.diff(candidates.offsets)
    varying: npt.NDArray[np.bool_] = np.any(
        candidates.dense != np.repeat(candidates.dense[begin], sizes, axis=0), axis=0
    )
    return varying


def _spread(candidates: Candidates) -> Floats:
    """The root of the mean squared distance of each dense feature from its mean over an example; never 0."""
    begin, sizes = candidates.offsets[:-1], np.diff(candidates.offsets)
    means = np.add.reduceat(candidates.dense, begin) / sizes[:, np.newaxis]
    spread: Floats = np.sqrt(np.mean((candidates.dense - np.repeat(means, sizes, axis=0)) ** 2, axis=0))
    spread[spread == 0] = 1.0
    return spread


def _start(start: Mapping[str, float], baseline: Mapping[str, float], sparse: int) -> Floats:
    dense = [start[name] - value for name, value in baseline.items()]
    return np.array([*dense, *([0.0] * sparse)])
