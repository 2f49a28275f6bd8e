"""Learning confidence: the fit is the one that SciPy finds, and it predicts quality that it has not seen."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from isogloss.pipeline.calibration import LEAST_CALIBRATED, _logistic, fit_confidence


def sample(count: int, seed: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Quality depends on two properties; a third is noise and a fourth is constant."""
    rng = np.random.default_rng(seed)
    properties = {
        "good": rng.normal(3, 2, count),
        "bad": rng.exponential(1, count),
        "noise": rng.normal(size=count),
        "constant": np.full(count, 7.0),
    }
    truth = 1 / (1 + np.exp(-(0.5 * properties["good"] - 1.2 * properties["bad"])))
    return properties, rng.beta(8 * truth + 1e-3, 8 * (1 - truth) + 1e-3)


@pytest.mark.parametrize("strength", [0.5, 20.0])
def test_the_regression_is_the_optimum(strength: float) -> None:
    properties, quality = sample(80, 3)
    rows = np.column_stack([properties["good"], properties["bad"]])

    def loss(weights: np.ndarray) -> float:
        total = rows @ weights[:2] + weights[2]
        likelihood = (quality * -np.logaddexp(0, -total) + (1 - quality) * -np.logaddexp(0, total)).sum()
        return float(-likelihood + strength / 2 * (weights[:2] ** 2).sum())

    best = minimize(loss, np.zeros(3), tol=1e-12).x
    weights, bias = _logistic(rows, quality, strength)
    assert [*weights, bias] == pytest.approx(best.tolist(), abs=1e-4)


def test_it_predicts_quality_of_other_sentences() -> None:
    model = fit_confidence(*sample(400, 1))
    assert model is not None
    assert (model.names, model.sentences) == (("good", "bad", "noise"), 400)
    weights = dict(zip(model.names, model.weights.tolist(), strict=True))
    assert weights["good"] > 0.5
    assert weights["bad"] < -0.5
    assert abs(weights["noise"]) < 0.2
    properties, quality = sample(4000, 2)
    predicted = model.predict(properties)
    assert predicted.mean() == pytest.approx(quality.mean(), abs=0.02)
    for low in (0.0, 0.25, 0.5, 0.75):  # what it promises is what comes, group by group
        chosen = (predicted >= low) & (predicted < low + 0.25)
        assert quality[chosen].mean() == pytest.approx(predicted[chosen].mean(), abs=0.05)


def test_few_sentences_and_perfect_ones() -> None:
    properties, quality = sample(LEAST_CALIBRATED, 4)
    assert fit_confidence({name: one[1:] for name, one in properties.items()}, quality[1:]) is None
    model = fit_confidence(properties, np.ones(LEAST_CALIBRATED))
    assert model is not None
    assert (model.predict(properties) > 0.97).all()
