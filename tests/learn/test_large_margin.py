from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import minimize

from isogloss.io.errors import ConfigError
from isogloss.learn.large_margin import LargeMarginOptions, LargeMarginUpdate, large_margin_update
from isogloss.nbest.store import CsrRows
from support.properties import examples


def random_case(seed: int, *, oracles: int = 3, others: int = 3, dense: int = 3, sparse: int = 12):
    """Rows, their sparse part, scores under random weights, and all pairs of oracles and others."""
    random = np.random.default_rng(seed)
    rows = oracles + others
    dense_rows = random.normal(size=(rows, dense)) * 10.0 ** random.integers(-1, 2)
    flat = random.integers(0, 3, (rows, sparse)) * (random.random((rows, sparse)) < 0.4)
    flat[:, 0] = 1  # shared by all
    csr = as_csr(flat, random.permutation(1_000_000)[:sparse])
    features = np.hstack([dense_rows, flat])
    scores = features @ random.normal(size=features.shape[1])
    pairs = np.array([(i, oracles + j) for i in range(oracles) for j in range(others)], np.uint32)
    losses = random.normal(0.5, 1, len(pairs))
    first, second = np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
    return dense_rows, csr, scores, first, second, losses, features


def as_csr(flat, slots) -> CsrRows:
    offsets, columns, values = [0], [], []
    for row in flat:
        used = np.flatnonzero(row)
        columns += slots[used].tolist()  # in any order, as slots of a hash table come
        values += row[used].tolist()
        offsets.append(len(columns))
    return CsrRows(np.array(offsets, np.int64), np.array(columns, np.uint32), np.array(values, np.float32))


def solve(case, options: LargeMarginOptions) -> LargeMarginUpdate:
    return large_margin_update(*case[:-1], options)


def scipy_dual(case, options: LargeMarginOptions) -> float:
    """The best dual objective by a general solver."""
    _, _, scores, oracles, others, losses, features = case
    differences = features[oracles] - features[others]
    violations = losses - (scores[oracles] - scores[others])
    taken = np.any(differences != 0, axis=1) & (options.keep | (losses > 0))
    differences, violations = differences[taken], violations[taken]
    if len(violations) == 0:
        return 0.0
    bound, gram = options.aggressiveness, differences @ differences.T
    scale = max(1.0, float(np.abs(violations).max()) * bound)  # the solver stops at absolute differences
    best = 0.0
    for begin in (np.zeros(len(violations)), np.full(len(violations), bound / len(violations))):
        found = minimize(
            lambda a: (a @ gram @ a / 2 - violations @ a) / scale,
            begin,
            jac=lambda a: (gram @ a - violations) / scale,
            bounds=[(0, bound)] * len(violations),
            constraints=[]
            if options.slack == "pair"
            else [{"type": "ineq", "fun": lambda a: bound - a.sum(), "jac": lambda a: -np.ones(len(a))}],
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 1000},
        )
        alphas = np.clip(found.x, 0, bound)
        if options.slack == "sentence":  # the solver keeps to the limit only nearly
            alphas *= min(1.0, bound / max(alphas.sum(), 1e-300))
        best = max(best, float(violations @ alphas - alphas @ gram @ alphas / 2))
    return best


@examples(15)
@given(
    seed=st.integers(0, 10_000),
    bound=st.sampled_from([1e-3, 0.01, 0.1, 1.0]),
    slack=st.sampled_from(["sentence", "pair"]),
    keep=st.booleans(),
)
@example(seed=5605, bound=0.1, slack="sentence", keep=True)  # rounding once made the alphas' sum exceed C
def test_the_dual_is_a_general_solvers(seed: int, bound: float, slack: str, keep: bool) -> None:
    case = random_case(seed)
    options = LargeMarginOptions(aggressiveness=bound, slack=slack, keep=keep)
    update = solve(case, options)
    assert update.dual == pytest.approx(scipy_dual(case, options), rel=1e-6, abs=1e-9)
    assert update.primal - update.dual <= 1e-7 * max(update.primal, 1e-9)
    assert np.all(update.alphas >= 0)
    total = update.alphas.sum() if slack == "sentence" else update.alphas.max()
    assert total <= bound * (1 + 1e-12)


@examples(10)
@given(seed=st.integers(0, 10_000))
def test_objectives_and_coefficients_follow_from_the_alphas(seed: int) -> None:
    case = random_case(seed)
    _, _, scores, oracles, others, losses, features = case
    update = solve(case, LargeMarginOptions(aggressiveness=0.1))
    differences = features[oracles] - features[others]
    moved = update.alphas @ differences
    assert update.coefficients @ features == pytest.approx(moved, rel=1e-9, abs=1e-9)
    violations = losses - (scores[oracles] - scores[others])
    assert update.dual == pytest.approx(update.alphas @ violations - moved @ moved / 2, rel=1e-9, abs=1e-12)
    missed = (violations - differences @ moved)[losses > 0]
    slack = max(0.0, missed.max(initial=0.0))
    assert update.primal == pytest.approx(moved @ moved / 2 + 0.1 * slack, rel=1e-6, abs=1e-9)


@examples(10)
@given(seed=st.integers(0, 10_000), slack=st.sampled_from(["sentence", "pair"]))
def test_one_pair_has_a_closed_form(seed: int, slack: str) -> None:
    case = random_case(seed, oracles=1, others=1)
    _, _, scores, _, _, losses, features = case
    difference = features[0] - features[1]
    violation = losses[0] - (scores[0] - scores[1])
    update = solve(case, LargeMarginOptions(aggressiveness=0.05, slack=slack, keep=True))
    expected = np.clip(violation / (difference @ difference), 0, 0.05)
    assert update.alphas[0] == pytest.approx(expected, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("slack", ["sentence", "pair"])
@pytest.mark.parametrize("bound", [1e-3, 1.0, 100.0])
def test_the_gap_closes_with_features_of_very_different_sizes(slack: str, bound: float) -> None:
    for seed in range(5):
        random = np.random.default_rng(seed)
        dense, csr, scores, oracles, others, losses, _ = random_case(
            seed, oracles=10, others=10, dense=14, sparse=200
        )
        sizes = 10 ** random.uniform(-3, 3, 14)
        options = LargeMarginOptions(aggressiveness=bound, slack=slack)
        update = large_margin_update(dense * sizes, csr, scores, oracles, others, losses, options)
        assert update.primal - update.dual <= 1e-7 * update.primal
        assert update.steps < options.max_steps
        held = update.alphas.sum() if slack == "sentence" else update.alphas.max()
        assert 0 <= update.alphas.min() <= held <= bound * (1 + 1e-9)


def test_pairs_that_cannot_learn_are_skipped() -> None:
    rows = np.array([[1.0], [1.0], [0.0]])
    none = CsrRows(np.zeros(4, np.int64), np.zeros(0, np.uint32), np.zeros(0, np.float32))
    oracles, others = np.array([0, 0], np.uint32), np.array([1, 2], np.uint32)
    scores = np.array([-3.0, -3.0, 0.0])
    update = large_margin_update(rows, none, scores, oracles, others, np.array([5.0, 0.0]))
    assert update.alphas.tolist() == [0, 0]  # equal features; no loss
    kept = large_margin_update(
        rows, none, scores, oracles, others, np.array([5.0, 0.0]), LargeMarginOptions(keep=True)
    )
    assert kept.alphas.tolist() == [0, 0.01]


def test_equal_differences_with_unequal_losses_share_nothing() -> None:
    rows = np.array([[1.0, 0.0], [0.0, 0.0], [2.0, 5.0], [1.0, 5.0]])
    none = CsrRows(np.zeros(5, np.int64), np.zeros(0, np.uint32), np.zeros(0, np.float32))
    oracles, others = np.array([0, 2], np.uint32), np.array([1, 3], np.uint32)
    update = large_margin_update(rows, none, np.zeros(4), oracles, others, np.array([1.0, 2.0]))
    assert update.alphas == pytest.approx([0, 0.01])


def test_no_pairs_and_no_rows() -> None:
    none = CsrRows(np.zeros(1, np.int64), np.zeros(0, np.uint32), np.zeros(0, np.float32))
    empty = np.zeros(0, np.uint32)
    update = large_margin_update(np.zeros((0, 2)), none, np.zeros(0), empty, empty, np.zeros(0))
    assert (update.dual, update.primal, update.steps) == (0, 0, 0)


def test_what_does_not_fit_is_refused() -> None:
    rows, scores = np.zeros((2, 1)), np.zeros(2)
    none = CsrRows(np.zeros(3, np.int64), np.zeros(0, np.uint32), np.zeros(0, np.float32))
    one = np.zeros(1, np.uint32)
    with pytest.raises(ValueError, match="row that does not exist"):
        large_margin_update(rows, none, scores, one, one + np.uint32(2), np.ones(1))
    with pytest.raises(ValueError, match="finite"):
        large_margin_update(rows, none, scores, one, one, np.array([np.nan]))
    with pytest.raises(ValueError, match="finite"):
        large_margin_update(rows, none, scores + np.inf, one, one, np.ones(1))
    broken = CsrRows(np.array([0, 5, 0]), none.columns, none.values)
    with pytest.raises(ValueError, match="offsets"):
        large_margin_update(rows, broken, scores, one, one, np.ones(1))
    with pytest.raises(ConfigError, match="slack must be one of sentence, pair, got 'word'"):
        LargeMarginOptions(slack="word")
    for changes in ({"aggressiveness": 0.0}, {"tolerance": 1.0}, {"max_steps": 0}):
        with pytest.raises(ConfigError, match=next(iter(changes))):
            LargeMarginOptions(**changes)
