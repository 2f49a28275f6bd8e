"""Local weights against general solvers and finite differences."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss import _engine
from isogloss.adapt.lists import Candidates
from isogloss.adapt.options import LOCAL_PRESETS, LocalOptions
from isogloss.adapt.update import gate, local_weights
from isogloss.adapt.weight_scale import find_units
from isogloss.io.errors import ConfigError
from isogloss.metric import BleuOptions, bleu_scores
from isogloss.nbest.store import CsrRows
from support.properties import examples


class Problem:
    """Random candidate lists, dense with a sparse part or without."""

    def __init__(
        self, seed: int, examples: int = 5, candidates: int = 6, dense: int = 3, sparse: int = 0
    ) -> None:
        rng = np.random.default_rng(seed)
        sizes = rng.integers(1, candidates + 1, examples)
        self.offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        rows = int(self.offsets[-1])
        self.dense = rng.normal(0, 1, (rows, dense)) * rng.uniform(0.3, 3, dense)
        self.dense[rng.random(rows) < 0.2] = self.dense[0]
        full = rng.normal(0, 1, (rows, sparse)) * (rng.random((rows, sparse)) < 0.4)
        full = full.astype(np.float32)
        row, column = np.nonzero(full)
        self.sparse = CsrRows(
            np.searchsorted(row, np.arange(rows + 1)).astype(np.int64),
            column.astype(np.uint32),
            full[row, column],
        )
        self.matrix = np.concatenate((self.dense, full.astype(np.float64)), axis=1)
        self.gains = rng.uniform(0, 10, rows)
        self.strengths = rng.uniform(0, 0.3, examples)
        self.baseline = rng.normal(0, 0.3, dense + sparse)
        self.lists = _engine.CandidateLists(
            offsets=self.offsets,
            dense=self.dense,
            sparse_offsets=self.sparse.offsets,
            sparse_columns=self.sparse.columns,
            sparse_values=self.sparse.values,
            sparse_size=sparse,
        )

    def spans(self) -> list[slice]:
        return [slice(a, b) for a, b in zip(self.offsets, self.offsets[1:], strict=False)]

    def slow_margin(self, change: np.ndarray) -> float:
        value = float(change @ change) / 2
        for span, strength in zip(self.spans(), self.strengths, strict=True):
            gains, scores = self.gains[span], self.matrix[span] @ (self.baseline + change)
            oracle = int(np.argmax(gains))
            value += strength * max(gains[oracle] - gains - (scores[oracle] - scores))
        return value

    def general_minimum(self) -> float:
        """The same as a quadratic program with slacks, by a solver that knows nothing of it."""
        optimize = pytest.importorskip("scipy.optimize")
        size, examples = len(self.baseline), len(self.strengths)
        rows, bounds = [], []
        for j, span in enumerate(self.spans()):
            oracle = span.start + int(np.argmax(self.gains[span]))
            for n in range(span.start, span.stop):
                delta = self.matrix[oracle] - self.matrix[n]
                rows.append(np.concatenate((delta, np.eye(examples)[j])))
                bounds.append(self.gains[oracle] - self.gains[n] - self.baseline @ delta)
        rows, bounds = np.array(rows), np.array(bounds)
        result = optimize.minimize(
            lambda x: x[:size] @ x[:size] / 2 + self.strengths @ x[size:],
            np.concatenate((np.zeros(size), np.full(examples, 20.0))),
            jac=lambda x: np.concatenate((x[:size], self.strengths)),
            constraints={"type": "ineq", "fun": lambda x: rows @ x - bounds, "jac": lambda x: rows},
            method="SLSQP",
            options={"ftol": 1e-13, "maxiter": 500},
        )
        return self.slow_margin(result.x[:size])


@pytest.mark.parametrize("sparse", [0, 4])
@pytest.mark.parametrize("seed", range(6))
def test_margin_update_reaches_the_minimum(seed: int, sparse: int) -> None:
    problem = Problem(seed, sparse=sparse)
    facts = {"gains": problem.gains, "strengths": problem.strengths, "baseline": problem.baseline}
    change, objective, gap, _ = problem.lists.margin_update(**facts)
    assert gap <= 1e-7
    assert objective == pytest.approx(problem.slow_margin(change), abs=1e-12)
    assert objective == pytest.approx(problem.general_minimum(), abs=1e-6)
    assert problem.lists.margin_objective(**facts, change=change) == objective


@examples(40)
@given(st.integers(0, 10**6), st.sampled_from([0, 5]), st.floats(0.1, 30))
def test_error_gradient_and_descent(seed: int, sparse: int, sharpness: float) -> None:
    problem = Problem(seed, sparse=sparse)
    facts = {
        "errors": -problem.gains / 10,
        "strengths": problem.strengths,
        "baseline": problem.baseline,
        "sharpness": sharpness,
    }
    rng = np.random.default_rng(seed)
    at = rng.normal(0, 0.2, len(problem.baseline))
    _, gradient = problem.lists.error_objective(**facts, change=at)
    step = 1e-6
    for i in range(len(at)):
        aside = np.eye(len(at))[i] * step
        high, low = (problem.lists.error_objective(**facts, change=at + by)[0] for by in (aside, -aside))
        assert gradient[i] == pytest.approx((high - low) / (2 * step), abs=1e-5 * (1 + sharpness))

    change, objective, start, _ = problem.lists.error_update(**facts)
    assert start == problem.lists.error_objective(**facts, change=np.zeros_like(at))[0]
    assert objective <= start
    value, gradient = problem.lists.error_objective(**facts, change=change)
    assert value == objective
    again = problem.lists.error_update(**facts, start=change)
    assert again[1] <= objective
    if np.abs(gradient).max() <= 1e-7:  # a warm start from the solution stays there
        assert again[3] == 0


def statistics_of(rows: int, seed: int) -> np.ndarray:
    """BLEU statistics that sentences could have."""
    rng = np.random.default_rng(seed)
    length = rng.integers(4, 12, rows)
    totals = np.stack([length - n for n in range(4)], axis=1)
    matches = (totals * rng.random((rows, 4))).astype(int)
    return np.column_stack((length, rng.integers(4, 12, rows), matches, totals)).astype(np.int32)


@examples(40)
@given(st.integers(0, 10**6), st.sampled_from([0, 5]), st.floats(0.1, 30))
def test_expected_bleu_gradient_and_descent(seed: int, sparse: int, sharpness: float) -> None:
    problem = Problem(seed, sparse=sparse)
    facts = {
        "statistics": statistics_of(len(problem.dense), seed),
        "strengths": problem.strengths,
        "baseline": problem.baseline,
        "sharpness": sharpness,
    }
    at = np.random.default_rng(seed).normal(0, 0.2, len(problem.baseline))
    _, gradient = problem.lists.bleu_objective(**facts, change=at)
    step = 1e-6
    for i in range(len(at)):
        aside = np.eye(len(at))[i] * step
        high, low = (problem.lists.bleu_objective(**facts, change=at + by)[0] for by in (aside, -aside))
        assert gradient[i] == pytest.approx((high - low) / (2 * step), abs=1e-5 * (1 + sharpness))
    change, objective, start, _ = problem.lists.bleu_update(**facts)
    assert start == problem.lists.bleu_objective(**facts, change=np.zeros_like(at))[0]
    assert objective <= start
    assert problem.lists.bleu_objective(**facts, change=change)[0] == objective
    nothing = problem.lists.bleu_update(**{**facts, "strengths": np.zeros_like(problem.strengths)})
    assert not nothing[0].any()


def test_expected_bleu_is_that_of_the_corpus() -> None:
    """Where one candidate of each example has all the probability, it is the BLEU of these candidates."""
    problem = Problem(4)
    statistics = statistics_of(len(problem.dense), 4)
    statistics[:, 1] = statistics[:, 0] - 2  # no brevity penalty, whose edge is blurred
    chosen = problem.lists.best(problem.baseline)
    same = np.full(len(problem.strengths), 0.2)
    value, _ = problem.lists.bleu_objective(
        statistics=statistics,
        strengths=same,
        baseline=problem.baseline,
        change=np.zeros_like(problem.baseline),
        sharpness=1e6,
    )
    added = BleuOptions(smoothing="add-k", smoothing_value=1.0)
    whole = bleu_scores(statistics[chosen].sum(axis=0, keepdims=True), added)[0]
    assert value == pytest.approx(-0.2 * len(same) * whole, rel=1e-3)
    with pytest.raises(ValueError, match="one error for each candidate"):
        problem.lists.bleu_objective(
            statistics=statistics[1:],
            strengths=same,
            baseline=problem.baseline,
            change=np.zeros_like(problem.baseline),
            sharpness=1.0,
        )


def test_error_objective_is_the_expectation() -> None:
    problem = Problem(3)
    change = np.array([0.1, -0.2, 0.05])
    value, _ = problem.lists.error_objective(
        errors=problem.gains,
        strengths=problem.strengths,
        baseline=problem.baseline,
        change=change,
        sharpness=2.0,
    )
    slow = change @ change / 2
    for span, strength in zip(problem.spans(), problem.strengths, strict=True):
        shares = np.exp(2.0 * problem.matrix[span] @ (problem.baseline + change))
        slow += strength * (shares / shares.sum()) @ problem.gains[span]
    assert value == pytest.approx(slow)


def test_document_gains() -> None:
    offsets = np.array([0, 3, 4, 8], np.int64)
    statistics = statistics_of(8, 5)
    document = 9 * statistics[offsets[:-1]].mean(axis=0)
    floor = BleuOptions(smoothing="floor", smoothing_value=0.1)
    expected = []
    for a, b in itertools.pairwise(offsets):
        rows = statistics[a:b].astype(np.float64)
        expected += (bleu_scores(rows + document, floor) * (document[1] + rows[:, 1])).tolist()
        document = 0.9 * (document + rows[0])
    found = _engine.document_gains(
        statistics=statistics, offsets=offsets, chosen=offsets[:-1].copy(), decay=0.9
    )
    assert found.tolist() == pytest.approx(expected)


def candidates(seed: int, sparse: int = 0) -> Candidates:
    problem = Problem(seed, sparse=sparse)
    return Candidates(
        offsets=problem.offsets,
        dense=problem.dense,
        statistics=statistics_of(len(problem.dense), seed),
        sparse=problem.sparse if sparse else None,
        sparse_ids=np.arange(100, 100 + sparse).astype(np.uint64) if sparse else None,
    )


BASELINE = {"lm": 0.7, "tm": 1.9, "words": -0.3}


@pytest.mark.parametrize("method", ["mbuu", "ebuu"])
@pytest.mark.parametrize("sparse", [0, 4])
def test_local_weights(method: str, sparse: int) -> None:
    found = candidates(1, sparse)
    similar = [0.9, 0.5, 0.4, 0.3, 0.3]
    free = {"method": method, "gate": 0.0, "gate_examples": 0}
    assert local_weights(found, similar, BASELINE, LocalOptions(**free, strength=0.0)).weights == BASELINE
    moved = local_weights(found, similar, BASELINE, LocalOptions(**free, strength=0.1))
    assert moved.objective < moved.start
    assert moved.weights != BASELINE
    assert bool(moved.sparse) == bool(sparse)
    assert list(moved.moved(BASELINE)) == sorted(
        BASELINE, key=lambda name: -abs(moved.weights[name] - BASELINE[name])
    )
    # λ means the same whatever the scale of the weights.
    doubled = {name: 2 * value for name, value in BASELINE.items()}
    twice = local_weights(found, similar, doubled, LocalOptions(**free, strength=0.1))
    assert twice.weights == pytest.approx({name: 2 * value for name, value in moved.weights.items()})


def test_weights_that_decide_nothing_do_not_count() -> None:
    """A tuner may leave any weight at a feature that is the same for all candidates."""
    found = candidates(1)
    found.dense[:, 2] = 7.0
    options = LocalOptions(strength=0.1, gate=0.0, gate_examples=0)
    small = local_weights(found, [0.5] * 5, BASELINE, options).weights
    large = local_weights(found, [0.5] * 5, {**BASELINE, "words": 1e4}, options).weights
    assert large["words"] == 1e4
    assert [large[name] for name in ("lm", "tm")] == pytest.approx([small[name] for name in ("lm", "tm")])


def test_the_paper_s_ebuu_minimizes_its_formula() -> None:
    """½‖W - W_b‖² + λ/K Σ_j Σ_e -BLEU(e) P(e), W_b of absolute sum 1, by a solver that knows nothing else."""
    optimize = pytest.importorskip("scipy.optimize")
    found, own = candidates(2), LOCAL_PRESETS["paper"]["ebuu"]
    assert (own.strength, own.loss, own.gate, own.gate_examples) == (0.06, "sentence", 0.0, 0)
    options = replace(own, sharpness=3.0, strength=2.0, iterations=500)
    start = np.array(list(BASELINE.values()))
    start /= np.abs(start).sum()
    errors = -bleu_scores(found.statistics, BleuOptions(smoothing="add-k", smoothing_value=1.0))

    def objective(weights: np.ndarray) -> float:
        value = np.sum((weights - start) ** 2) / 2
        for a, b in itertools.pairwise(found.offsets):
            shares = np.exp(3.0 * found.dense[a:b] @ weights)
            value += 2.0 / (len(found.offsets) - 1) * (shares / shares.sum()) @ errors[a:b]
        return float(value)

    best = optimize.minimize(objective, start, tol=1e-12)
    local = local_weights(found, [0.1] * 5, BASELINE, options)  # similarities do not matter
    reached = np.array(list(local.weights.values())) / np.abs(list(BASELINE.values())).sum()
    assert objective(reached) == pytest.approx(best.fun, abs=1e-6)
    assert reached == pytest.approx(best.x, abs=1e-3)
    assert np.abs(reached - start).max() > 0.01


def test_the_paper_s_mbuu_minimizes_its_formula() -> None:
    """½‖W - W_b‖² + λ/K Σ_j max_n (l_jn - W·Δh_jn), with the losses of the pseudo-document."""
    found, own = candidates(2), LOCAL_PRESETS["paper"]["mbuu"]
    assert (own.strength, own.loss, own.sharpness, own.gate) == (0.018, "document", 1.0, 0.0)
    size = np.abs(list(BASELINE.values())).sum()
    problem = Problem(2)
    problem.baseline = np.array(list(BASELINE.values())) / size
    problem.strengths = np.full(5, own.strength / 5)
    problem.gains = _engine.document_gains(
        statistics=found.statistics,
        offsets=found.offsets,
        chosen=problem.lists.best(problem.baseline),
        decay=own.decay,
    )
    local = local_weights(found, [0.1] * 5, BASELINE, own)
    change = np.array(list(local.weights.values())) / size - problem.baseline
    assert problem.slow_margin(change) == pytest.approx(problem.general_minimum(), abs=1e-6)
    assert np.abs(change).max() > 1e-3


def test_a_second_round_takes_the_document_of_the_first_one_s_weights() -> None:
    found = candidates(2)
    one = LocalOptions(method="mbuu", units="plain", gate=0.0, gate_examples=0, strength=0.5)
    size = np.abs(list(BASELINE.values())).sum()
    problem = Problem(2)
    problem.baseline = np.array(list(BASELINE.values())) / size
    problem.strengths = np.full(5, 0.1)

    def solved(weights: np.ndarray) -> np.ndarray:
        problem.gains = _engine.document_gains(
            statistics=found.statistics,
            offsets=found.offsets,
            chosen=problem.lists.best(weights),
            decay=one.decay,
        )
        facts = {"gains": problem.gains, "strengths": problem.strengths, "baseline": problem.baseline}
        return problem.baseline + problem.lists.margin_update(**facts)[0]

    first = solved(problem.baseline)
    second = solved(first)
    assert np.abs(second - first).max() > 1e-3
    for rounds, expected in ((1, first), (2, second)):
        local = local_weights(found, [0.1] * 5, BASELINE, replace(one, rounds=rounds))
        assert np.array(list(local.weights.values())) / size == pytest.approx(expected, abs=1e-6)


def test_prohibitions_say_nothing_of_the_scale() -> None:
    """A tuner may make a rare feature forbid: what decides among all others moves as if it had not."""
    found = candidates(1)
    rare = found.dense.copy()
    rare[:, 2] = 0.0
    rare[1, 2] = -1.0
    found = replace(found, dense=rare)
    for method in ("mbuu", "ebuu"):
        options = LocalOptions(method=method, gate=0.0, gate_examples=0)
        scores = {large: found.dense @ np.array([0.7, 1.9, large]) for large in (50.0, 5e4)}
        units = {large: find_units(found, of, np.array([0.7, 1.9, large])) for large, of in scores.items()}
        assert units[50.0].score == units[5e4].score
        moved = {
            large: local_weights(found, [0.5] * 5, {**BASELINE, "words": large}, options).moved(
                {**BASELINE, "words": large}
            )
            for large in scores
        }
        for name in ("lm", "tm"):
            assert moved[5e4][name] == pytest.approx(moved[50.0][name], rel=0.05)


def test_units() -> None:
    """In units of scores, the length of a change is what it does to the scores of candidates."""
    found = candidates(2)
    weights = np.array(list(BASELINE.values()))
    units = find_units(found, found.dense @ weights, weights)
    assert units is not None
    assert units.steps @ units.back == pytest.approx(np.eye(3), abs=1e-9)
    spans = list(itertools.pairwise(found.offsets))
    of_scores = [np.std((found.dense @ weights)[a:b]) for a, b in spans]
    several = [value for (a, b), value in zip(spans, of_scores, strict=True) if b > a + 1]
    assert units.score == pytest.approx(np.median(several))
    change = np.array([0.1, -0.2, 0.3])
    effect = np.mean(
        [
            np.var((found.dense @ change)[a:b]) / max(value, units.score * 0.1) ** 2
            for (a, b), value in zip(spans, of_scores, strict=True)
            if b > a + 1
        ]
    )
    length = np.sum((units.back @ change) ** 2) / units.score**2
    assert length >= effect * (1 - 1e-9)  # equal but for directions that hardly vary
    raw = find_units(found, found.dense @ weights, weights, "raw")
    assert raw is not None
    assert np.ptp(np.diag(raw.steps)) == 0
    # Nothing to tell apart, nothing to measure with.
    nothing = replace(found, dense=np.ones_like(found.dense))
    assert find_units(nothing, np.ones(len(found.dense)), weights) is None
    plain = find_units(found, found.dense @ weights, weights, "plain")
    assert plain is not None
    assert plain.score == pytest.approx(np.abs(weights).sum())
    assert np.array_equal(plain.steps, np.eye(3))


def test_gate() -> None:
    options = LocalOptions(gate=0.4, gate_examples=4)
    assert gate([], options) == 0
    assert gate([0.2] * 4, options) == pytest.approx(0.5)
    assert gate([0.2] * 2, options) == pytest.approx(0.25)
    assert gate([0.9] * 9, options) == 1
    empty = Candidates(
        offsets=np.zeros(1, np.int64), dense=np.zeros((0, 3)), statistics=np.zeros((0, 10), np.int32)
    )
    assert local_weights(empty, [], BASELINE, options).weights == BASELINE


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("method", "mert", "method must be one of mbuu, ebuu"),
        ("strength", -1.0, "strength must be at least 0, got -1.0"),
        ("loss", "x", "loss must be one of"),
        ("decay", 1.0, "decay must be at least 0 and below 1"),
        ("iterations", -1, "iterations must be at least 0"),
    ],
)
def test_options(field: str, value: object, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        LocalOptions(**{field: value})
