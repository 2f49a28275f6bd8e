"""Minimizing a smooth function of many weights: L-BFGS with a line search."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

__all__ = ["minimize"]

_HISTORY = 10
_DECREASE, _CURVATURE = 1e-4, 0.9  # the Wolfe conditions, as in Nocedal and Wright
_LINE_STEPS = 30

FloatArray = npt.NDArray[np.float64]
Function = Callable[[FloatArray], tuple[float, FloatArray]]
"""Gives value and gradient."""
_Pair = tuple[FloatArray, FloatArray, float]
"""A step, the change of the gradient, and their product."""


def minimize(
    function: Function, start: FloatArray, *, iterations: int, tolerance: float = 1e-6
) -> Iterator[tuple[FloatArray, float]]:
    """Points of falling value, each with its value, until the gradient or the progress is negligible.

    >>> def parabola(x):
    ...     return float(np.sum((x - 3) ** 2)), 2 * (x - 3)
    >>> *_, (point, value) = minimize(parabola, np.zeros(2), iterations=20)
    >>> point.round(6).tolist()
    [3.0, 3.0]
    """
    point = np.array(start, dtype=np.float64)
    value, gradient = function(point)
    pairs: deque[_Pair] = deque(maxlen=_HISTORY)
    for _ in range(iterations):
        if np.max(np.abs(gradient), initial=0.0) <= tolerance * max(1.0, abs(value)):
            return
        direction = -_preconditioned(gradient, pairs)
        first = 1.0 if pairs else min(1.0, 1 / float(np.abs(gradient).sum()))
        found = _line_search(function, point, value, gradient, direction, first)
        if found is None:
            return
        moved, moved_value, moved_gradient = found
        step, change = moved - point, moved_gradient - gradient
        curvature = _dot(step, change)
        if curvature > 1e-12 * _dot(change, change):
            pairs.append((step, change, curvature))
        progress = value - moved_value
        point, value, gradient = moved, moved_value, moved_gradient
        yield point, value
        if progress <= 1e-3 * tolerance * max(1.0, abs(value)):
            return


def _dot(first: FloatArray, second: FloatArray) -> float:
    """The product of two vectors; the result of BLAS would depend on its threads, which also wait busily."""
    return float(np.einsum("i,i->", first, second))


def _preconditioned(gradient: FloatArray, pairs: deque[_Pair]) -> FloatArray:
    """The inverse Hessian, as far as the last steps tell, times the gradient."""
    result = gradient.copy()
    kept = []
    for step, change, curvature in reversed(pairs):
        share = _dot(step, result) / curvature
        kept.append(share)
        result -= share * change
    if pairs:
        _, change, curvature = pairs[-1]
        result *= curvature / _dot(change, change)
    for (step, change, curvature), share in zip(pairs, reversed(kept), strict=True):
        result += (share - _dot(change, result) / curvature) * step
    return result


def _line_search(
    function: Function,
    point: FloatArray,
    value: float,
    gradient: FloatArray,
    direction: FloatArray,
    first: float,
) -> tuple[FloatArray, float, FloatArray] | None:
    """A step by bisection that decreases enough and flattens enough; None if there is no descent."""
    slope = _dot(gradient, direction)
    if slope >= 0:
        return None
    low, high, size = 0.0, np.inf, first
    best = None
    for _ in range(_LINE_STEPS):
        moved = point + size * direction
        moved_value, moved_gradient = function(moved)
        if not np.isfinite(moved_value) or moved_value > value + _DECREASE * size * slope:
            high = size
        else:
            best = (moved, moved_value, moved_gradient)
            if _dot(moved_gradient, direction) >= _CURVATURE * slope:
                return best
            low = size
        size = 2 * size if high == np.inf else (low + high) / 2
    return best
