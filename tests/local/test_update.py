"""Local weights against general solvers and finite differences."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss import _engine
from isogloss.errors import ConfigError
from isogloss.local.lists import Candidates
from isogloss.local.options import UpdateOptions
from isogloss.local.update import gate, local_weights
from isogloss.metric import BleuOptions, bleu_scores
from isogloss.nbest.store import CsrRows


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
        """The same as a quadratic programme with slacks, by a solver that knows nothing of it."""
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


@settings(deadline=None, max_examples=40)
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
    rng = np.random.default_rng(5)
    offsets = np.array([0, 3, 4, 8], np.int64)
    length = rng.integers(4, 12, 8)
    totals = np.stack([length - n for n in range(4)], axis=1)
    matches = (totals * rng.random((8, 4))).astype(int)
    statistics = np.column_stack((length, length + 1, matches, totals)).astype(np.int32)
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
    rng = np.random.default_rng(seed)
    rows = len(problem.dense)
    length = rng.integers(4, 12, rows)
    totals = np.stack([length - n for n in range(4)], axis=1)
    statistics = np.column_stack((length, length, (totals * rng.random((rows, 4))).astype(int), totals))
    return Candidates(
        offsets=problem.offsets,
        dense=problem.dense,
        statistics=statistics.astype(np.int32),
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
    assert local_weights(found, similar, BASELINE, UpdateOptions(**free, strength=0.0)).weights == BASELINE
    moved = local_weights(found, similar, BASELINE, UpdateOptions(**free, strength=0.1))
    assert moved.objective < moved.start
    assert moved.weights != BASELINE
    assert bool(moved.sparse) == bool(sparse)
    assert list(moved.moved(BASELINE)) == sorted(
        BASELINE, key=lambda name: -abs(moved.weights[name] - BASELINE[name])
    )
    # λ means the same whatever the scale of the weights.
    doubled = {name: 2 * value for name, value in BASELINE.items()}
    twice = local_weights(found, similar, doubled, UpdateOptions(**free, strength=0.1))
    assert twice.weights == pytest.approx({name: 2 * value for name, value in moved.weights.items()})


def test_weights_that_decide_nothing_do_not_count() -> None:
    """A tuner may leave any weight at a feature that is the same for all candidates."""
    found = candidates(1)
    found.dense[:, 2] = 7.0
    options = UpdateOptions(strength=0.1, gate=0.0, gate_examples=0)
    small = local_weights(found, [0.5] * 5, BASELINE, options).weights
    large = local_weights(found, [0.5] * 5, {**BASELINE, "words": 1e4}, options).weights
    assert large["words"] == 1e4
    assert [large[name] for name in ("lm", "tm")] == pytest.approx([small[name] for name in ("lm", "tm")])


def test_gate() -> None:
    options = UpdateOptions(gate=0.4, gate_examples=4)
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
        ("strength", -1.0, "strength must be finite and at least 0"),
        ("loss", "x", "loss must be one of"),
        ("decay", 1.0, "decay must be at least 0 and below 1"),
        ("iterations", -1, "iterations must be at least 0"),
    ],
)
def test_options(field: str, value: object, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        UpdateOptions(**{field: value})
