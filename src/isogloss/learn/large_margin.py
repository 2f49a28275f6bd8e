"""One update of large-margin training: the smallest change of weights that keeps the margins.

Every oracle must outscore every other candidate by its loss. With ``dh`` the difference of their features,
the new weights ``w'`` minimize ``|w' - w|^2 / 2 + C * slack``, where the slack is the largest amount by which
a margin ``loss - w'·dh`` is missed (Watanabe et al. 2007, equation 4), or the sum of all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from isogloss import _engine
from isogloss.io.options import Above, AtLeast, Options, Range
from isogloss.metric.interface import FloatArray
from isogloss.nbest.store import CsrRows

__all__ = ["SLACKS", "LargeMarginOptions", "LargeMarginUpdate", "large_margin_update"]

SLACKS = ("sentence", "pair")


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeMarginOptions(Options):
    """How far an update may go, and what it counts.

    >>> LargeMarginOptions(aggressiveness=0.1).slack
    'sentence'
    """

    aggressiveness: Annotated[float, Above(0)] = 0.01
    """C: bounds the sum of the alphas, or every alpha."""
    slack: Literal["sentence", "pair"] = "sentence"
    """sentence: the worst missed margin counts (sum of alphas at most C); pair: all of them do (every alpha
    at most C)."""
    keep: bool = False
    """Take pairs whose loss is not positive too. Pairs of equal features never take part."""
    tolerance: Annotated[float, Range(low=0, high=1, above=True, below=True)] = 1e-8
    """Stop when the duality gap is at most this part of the objective."""
    max_steps: Annotated[int, AtLeast(1)] = 100_000
    """Stop after so many steps at the latest."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LargeMarginUpdate:
    """The result: add ``coefficients[i]`` times the features of row i to the weights, for all rows."""

    alphas: FloatArray
    """One per pair."""
    coefficients: FloatArray
    """One per row."""
    dual: float
    primal: float
    """The objectives; their difference is the duality gap."""
    steps: int


def large_margin_update(
    dense: FloatArray,
    sparse: CsrRows,
    scores: FloatArray,
    oracles: NDArray[np.uint32],
    others: NDArray[np.uint32],
    losses: FloatArray,
    options: LargeMarginOptions | None = None,
) -> LargeMarginUpdate:
    """Update for rows of features whose scores under the current weights are ``scores``.

    Pair p says that row ``oracles[p]`` must outscore row ``others[p]`` by ``losses[p]``.

    >>> none = CsrRows(np.zeros(3, np.int64), np.zeros(0, np.uint32), np.zeros(0, np.float32))
    >>> one, other = np.array([0], np.uint32), np.array([1], np.uint32)
    >>> options = LargeMarginOptions(aggressiveness=1)
    >>> rows = np.array([[2.0], [0.0]])
    >>> update = large_margin_update(rows, none, np.zeros(2), one, other, np.array([1.0]), options)
    >>> update.alphas.tolist(), update.coefficients.tolist()
    ([0.25], [0.25, -0.25])
    """
    options = options or LargeMarginOptions()
    alphas, coefficients, dual, primal, steps = _engine.large_margin_update(
        dense,
        sparse.offsets,
        sparse.columns,
        sparse.values,
        scores,
        oracles,
        others,
        losses,
        aggressiveness=options.aggressiveness,
        slack_per_pair=options.slack == "pair",
        keep=options.keep,
        tolerance=options.tolerance,
        max_steps=options.max_steps,
    )
    return LargeMarginUpdate(alphas=alphas, coefficients=coefficients, dual=dual, primal=primal, steps=steps)
