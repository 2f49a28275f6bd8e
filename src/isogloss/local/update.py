"""From examples to the weights of one sentence: MBUU and EBUU (Liu et al. 2012).

Both minimise ½‖W − W_b‖² + λ·Loss over the candidates of the examples, beginning at the baseline W_b. The
baseline is scaled to a sum of absolute values of 1 first, and the change is scaled back: λ then means the
same for every system, and λ = 0 gives exactly the baseline.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

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


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalWeights:
    """The weights of one sentence."""

    weights: Mapping[str, float]
    sparse: Mapping[int, float]
    """Changes of sparse features, by the hash of their names."""
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
) -> LocalWeights:
    """Weights for a sentence from the candidates of its examples.

    ``baseline`` has a weight for every dense column, in order; ``sparse_baseline`` weights of sparse features
    by hash. ``start`` are weights at which EBUU begins instead of the baseline, if they are better.
    """
    options = options or UpdateOptions()
    strength = (options.strength or 0.0) * gate(similarities, options)
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
    scale = float(np.abs(own[: len(baseline)]).sum())
    if scale == 0:
        return unchanged
    scaled = own / scale
    strengths = _shares(similarities, options.emphasis) * strength
    lists = candidates.engine()
    if options.method == "mbuu":
        gains = _gains(candidates, options)
        change, objective, _, iterations = lists.margin_update(
            gains=gains, strengths=strengths, baseline=scaled
        )
        begun = lists.margin_objective(
            gains=gains, strengths=strengths, baseline=scaled, change=np.zeros_like(scaled)
        )
    else:
        change, objective, begun, iterations = lists.error_update(
            errors=-bleu_scores(candidates.statistics, _SENTENCE),
            strengths=strengths,
            baseline=scaled,
            start=None if start is None else _start(start, baseline, len(ids)) * units / scale,
            sharpness=options.sharpness,
            iterations=options.iterations,
        )
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


def _gains(candidates: Candidates, options: UpdateOptions) -> Floats:
    if options.loss == "document":
        return _engine.document_gains(
            statistics=candidates.statistics, offsets=candidates.offsets, decay=options.decay
        )
    # Times the length, as the document's: a word is worth the same in a long sentence and in a short one.
    lengths = candidates.statistics[:, 1].astype(np.float64)
    gains: Floats = bleu_scores(candidates.statistics, _SENTENCE) * lengths
    return gains


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
