"""Learning confidence: the fit is the one that SciPy finds, and it predicts quality that it has not seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from isogloss.decoder import System, default_weights, load
from isogloss.metric import References, metric_named
from isogloss.pipeline import calibration
from isogloss.pipeline.calibration import (
    LEAST_CALIBRATED,
    Sample,
    _logistic,
    fit_confidence,
    learn_confidence,
    observe,
)
from isogloss.tuning import TuneIteration, TuneOptions, TuneResult


def drawn(count: int, seed: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
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
    properties, quality = drawn(80, 3)
    rows = np.column_stack([properties["good"], properties["bad"]])

    def loss(weights: np.ndarray) -> float:
        total = rows @ weights[:2] + weights[2]
        likelihood = (quality * -np.logaddexp(0, -total) + (1 - quality) * -np.logaddexp(0, total)).sum()
        return float(-likelihood + strength / 2 * (weights[:2] ** 2).sum())

    best = minimize(loss, np.zeros(3), tol=1e-12).x
    weights, bias = _logistic(rows, quality, strength)
    assert [*weights, bias] == pytest.approx(best.tolist(), abs=1e-4)


def test_it_predicts_quality_of_other_sentences() -> None:
    model = fit_confidence(*drawn(400, 1))
    assert model is not None
    assert (model.names, model.sentences) == (("good", "bad", "noise"), 400)
    weights = dict(zip(model.names, model.weights.tolist(), strict=True))
    assert weights["good"] > 0.5
    assert weights["bad"] < -0.5
    assert abs(weights["noise"]) < 0.2
    properties, quality = drawn(4000, 2)
    predicted = model.predict(properties)
    assert predicted.mean() == pytest.approx(quality.mean(), abs=0.02)
    for low in (0.0, 0.25, 0.5, 0.75):  # what it promises is what comes, group by group
        chosen = (predicted >= low) & (predicted < low + 0.25)
        assert quality[chosen].mean() == pytest.approx(predicted[chosen].mean(), abs=0.05)


def test_few_sentences_and_perfect_ones() -> None:
    properties, quality = drawn(LEAST_CALIBRATED, 4)
    assert fit_confidence({name: one[1:] for name, one in properties.items()}, quality[1:]) is None
    model = fit_confidence(properties, np.ones(LEAST_CALIBRATED))
    assert model is not None
    assert (model.predict(properties) > 0.97).all()


@pytest.fixture(scope="module")
def sample(systems: Path) -> Sample:
    """Sentences of a system that takes tokens; the references are numbered, to be recognized."""
    sources = (systems / "corpus" / "dev.src").read_text().splitlines()[:60]
    references = References([(systems / "corpus" / "dev.tgt.0").read_text().splitlines()[:60]])
    return Sample(sources, references, sources, references)


def test_each_half_is_translated_with_weights_of_the_other(
    systems: Path, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = load(systems / "phrase")
    usual = default_weights(system.decoder.names, hierarchical=False)
    before = {name: 2 * weight + 0.125 for name, weight in usual.items()}
    system.decoder.set_weights(before)
    steps: list[tuple[str, list[str], dict[str, float]]] = []

    def tune(
        given: System, sources: list[str], references: References, options: TuneOptions, **_: Any
    ) -> Any:
        steps.append(("tuned", sources, dict(given.weights)))
        for source, number in zip(sources, range(len(references)), strict=True):
            assert references.of(number)[0] == known[source]
        weights = {**before, "lm": 0.25 + len(steps)}
        step = TuneIteration(iteration=1, dev_score=1.0)
        return TuneResult(dense=weights, sparse=None, history=[step], best=step)

    def watched(given: System, part: Sample, **more: Any) -> Any:
        steps.append(("observed", list(part.sources), dict(given.weights)))
        return observe(given, part, **more)

    known = {line: sample.references.of(at)[0] for at, line in enumerate(sample.sources)}
    monkeypatch.setattr(calibration, "tune", tune)
    monkeypatch.setattr(calibration, "observe", watched)
    model = learn_confidence(system, sample, TuneOptions(method="mert"))
    assert model is not None
    assert model.sentences == 60
    assert [step[0] for step in steps] == ["tuned", "observed"] * 2
    for tuned, observed in (steps[:2], steps[2:]):
        assert not set(tuned[1]) & set(observed[1])
        assert {*tuned[1], *observed[1]} == set(sample.sources)
        assert observed[2]["lm"] == 0.25 + steps.index(tuned) + 1  # what was learned from the others
        assert tuned[2] == usual  # not those of the system, which know both halves
    assert set(steps[1][1]) != set(steps[3][1])
    assert dict(system.weights) == before


def test_without_tuning_the_system_is_taken_as_it_is(systems: Path, sample: Sample) -> None:
    system = load(systems / "phrase")
    properties, quality = observe(system, sample)
    lines = [str(line) for line in system.translate(sample.sources)]
    metric = metric_named("chrf")
    expected = metric.scores(metric.statistics(lines, sample.references))
    assert quality.tolist() == pytest.approx((expected / 100).tolist())
    assert len(properties["length"]) == 60
    model = learn_confidence(system, sample)
    fitted = fit_confidence(properties, quality)
    assert model is not None
    assert fitted is not None
    assert model.weights.tolist() == fitted.weights.tolist()


def test_of_many_sentences_some_are_used(systems: Path, sample: Sample) -> None:
    times = 8
    many = Sample(
        list(sample.sources) * times, References([[*sample.references.streams[0]] * times]), (), None
    )
    model = learn_confidence(load(systems / "phrase"), many)
    assert model is not None
    assert model.sentences == 400
