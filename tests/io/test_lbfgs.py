"""Minimizing a smooth function: the same point as SciPy finds."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize as scipy_minimize

from isogloss.io.lbfgs import minimize

ROWS = np.random.default_rng(5).normal(size=(60, 12))
SIDES = np.sign(ROWS @ np.linspace(-1, 1, 12) + np.random.default_rng(6).normal(size=60))


def logistic(weights: np.ndarray) -> tuple[float, np.ndarray]:
    margins = SIDES * (ROWS @ weights)
    pulls = -SIDES / (1 + np.exp(margins))
    return float(np.logaddexp(0, -margins).sum() + weights @ weights / 4), ROWS.T @ pulls + weights / 2


def test_it_finds_the_minimum_that_scipy_finds() -> None:
    *values, (point, value) = minimize(logistic, np.zeros(12), iterations=200, tolerance=1e-9)
    expected = scipy_minimize(logistic, np.zeros(12), jac=True, tol=1e-12)
    np.testing.assert_allclose(point, expected.x, atol=1e-4)
    assert value <= expected.fun + 1e-8
    falling = [one for _, one in values]
    assert falling == sorted(falling, reverse=True)
    assert len(list(minimize(logistic, np.zeros(12), iterations=3))) == 3
