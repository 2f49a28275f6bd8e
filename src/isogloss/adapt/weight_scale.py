"""What a change of weights is measured in.

Weights as a tuner leaves them have no common measure. MERT may push the weight of a rare feature so far that
it is a prohibition, and then all that decides among the usual candidates is a ten-thousandth of the sum of
weights; a step of the same length does nothing to one feature and everything to another. So change is
measured by what it does to the scores of candidates:

- A score difference of 1 is what the baseline usually puts between the candidates of an example: the standard
  deviation of their scores, the median over examples, which prohibitions do not move.
- The length of a change of the dense weights is, in units ``scores``, how much it changes those scores, in
  the same measure; in units ``raw`` it is that of the weights themselves, as in Liu et al. (2012), times the
  size of a usual feature.

Both measures are taken from examples of the memory, whatever sentence they serve.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from isogloss.adapt.lists import Candidates

__all__ = ["Kind", "Units", "find_units"]

Kind = Literal["scores", "raw"]
Floats = npt.NDArray[np.float64]

_LEAST_SHARE = 0.1
"""Directions in which scores hardly vary are taken to have this share of the variance of a single feature:
what few examples say of them is not to be trusted far. An example whose scores hardly vary likewise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """Steps of one unit as changes of the dense weights, the way back, and what a score of 1 is worth."""

    steps: Floats
    """A row for each feature and a column for each unit; there is one unit per feature that varies."""
    back: Floats
    """Matrix from weights to units."""
    score: float


def find_units(candidates: Candidates, scores: Floats, kind: Kind = "scores") -> Units | None:
    """Units from the candidates of some examples and their scores under the baseline, or None if the baseline
    tells no candidates apart."""
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
    # Every example says the same much, whatever the size of its scores.
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
