"""The scale on which changes of weights are measured.

Tuned weights have no common scale. MERT may make the weight of a rare feature so large that it forbids the
feature, and then the weights that matter for typical candidates are a tiny part of the total; a step of the
same size has no effect on one feature and a huge effect on another. So a change is measured by its effect on
the scores of candidates:

- A score difference of 1 is a typical difference between the candidates of an example under the baseline: the
standard deviation of their scores, as the median over examples, which is robust to outliers.
- The length of a change of the dense weights is, in units ``scores``, how much it changes those scores, in
  the same measure; in units ``raw`` it is that of the weights themselves times the size of a usual feature.

In units ``plain``, nothing is measured: the weights are divided by the sum of their absolute values, and the
length of a change is that of the weights themselves, as in Liu et al. (2012).

Both measures are taken from examples of the memory, whatever sentence they serve.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isogloss.adapt.lists import Candidates
from isogloss.adapt.options import UnitKind

__all__ = ["Units", "find_units"]

Floats = npt.NDArray[np.float64]

_LEAST_SHARE = 0.1
"""Directions in which scores hardly vary get at least this share of the variance of a single feature, because
few examples are not reliable evidence. The same holds for an example whose scores hardly vary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """Units as changes of the dense weights, the inverse, and the size of a score difference of 1."""

    steps: Floats
    """A row for each feature and a column for each unit; there is one unit per feature that varies."""
    back: Floats
    """Matrix from weights to units."""
    score: float


def find_units(
    candidates: Candidates, scores: Floats, weights: Floats, kind: UnitKind = "scores"
) -> Units | None:
    """Measure units on the candidates of some examples and their scores under the baseline's dense weights;
    None if all candidates tie."""
    if kind == "plain":
        same = np.eye(len(weights))
        total = float(np.abs(weights).sum())
        return Units(steps=same, back=same, score=total) if total > 0 else None
    begin, sizes = candidates.offsets[:-1], np.diff(candidates.offsets)
    several = sizes > 1
    if not several.any():
        return None
    example = np.repeat(np.arange(len(sizes)), sizes)

    def centered(values: Floats) -> Floats:
        means = np.add.reduceat(values, begin, axis=0) / sizes.reshape(-1, *[1] * (values.ndim - 1))
        out: Floats = values - means[example]
        return out

    spread = np.sqrt(np.add.reduceat(centered(scores) ** 2, begin) / sizes)
    usual = float(np.median(spread[several]))
    if usual == 0:
        usual = float(spread.max())
    if usual == 0:
        return None
    # Every example has the same influence, whatever the scale of its scores.
    weights = (usual / np.maximum(spread, usual * _LEAST_SHARE)) ** 2 / sizes
    features = centered(candidates.dense)
    covariance = (features * weights[example, np.newaxis]).T @ features / np.count_nonzero(several)
    size = np.sqrt(np.diag(covariance))
    varies = np.flatnonzero(size > 1e-9)
    if len(varies) == 0:
        return None
    size, covariance = size[varies], covariance[np.ix_(varies, varies)]
    into = np.eye(candidates.dense.shape[1])[:, varies]
    if kind == "raw":
        each = float(np.sqrt(np.mean(size**2)))
        return Units(steps=into / each, back=into.T * each, score=usual)
    values, vectors = np.linalg.eigh(covariance / np.outer(size, size))
    roots = np.sqrt(np.maximum(values, _LEAST_SHARE))
    steps, back = vectors / roots / size[:, np.newaxis], (vectors * roots).T * size
    return Units(steps=into @ steps, back=back @ into.T, score=usual)
