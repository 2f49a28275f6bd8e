from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss import _engine
from isogloss.io.errors import ConfigError
from isogloss.learn import Constraints, Mert, Prior, Problem, WeightVector
from isogloss.learn.mert import best_step
from support.learn_problems import bleu_problem, brute_choice, quality_problem, random_store
from support.properties import examples


def lines_of(problem: Problem) -> _engine.LineSearch:
    return _engine.LineSearch(problem.sentences(), problem.dense(), problem.stats().astype(float))


def score_at(problem: Problem, dense: np.ndarray) -> float:
    return problem.score_of(WeightVector(dense, np.zeros(0)))


@examples(25)
@given(seed=st.integers(0, 10_000), coarse=st.booleans(), single=st.booleans())
def test_a_line_search_is_brute_force_on_a_fine_grid(seed: int, coarse: bool, single: bool) -> None:
    problem = quality_problem(seed, coarse=coarse)
    random = np.random.default_rng(seed)
    weights = random.normal(size=2)
    direction = np.array([1.0, 0.0]) if single else random.normal(size=2)
    intercepts, lines = problem.dense() @ weights, lines_of(problem)
    found = (
        lines.along_column(intercepts, 0) if single else lines.along(intercepts, lines.products(direction))
    )
    thresholds, sums = found
    assert np.all(np.diff(thresholds) > 0)
    assert len(sums) == len(thresholds) + 1
    scores = problem.scores(sums)
    edges = np.concatenate(([-5.0], thresholds, [5.0]))
    grid = np.concatenate([np.linspace(-5, 5, 61), (edges[1:] + edges[:-1]) / 2])
    for t in grid[np.all(np.abs(grid[:, None] - thresholds) > 1e-9, axis=1)]:
        expected = brute_choice(problem, weights + t * direction)
        assert scores[np.searchsorted(thresholds, t)] == pytest.approx(expected, abs=1e-12)


@examples(10)
@given(seed=st.integers(0, 10_000), coarse=st.booleans())
def test_two_weights_are_optimized_exactly(seed: int, coarse: bool) -> None:
    # Only the angle of two weights matters: a grid of angles is the whole space. It avoids simple fractions,
    # where integer features tie and the order of candidates decides.
    problem = quality_problem(seed, coarse=coarse)
    angles = 0.0007 + np.linspace(0, 2 * np.pi, 700)
    best = max(score_at(problem, np.array([np.cos(angle), np.sin(angle)])) for angle in angles)
    learned = Mert(restarts=8, seed=seed).learn(problem, {"d0": 1.0, "d1": 0.5})
    assert learned.score >= best - 1e-12
    assert learned.score == pytest.approx(problem.score_of(learned.weights))


def test_bleu_improves_and_threads_change_nothing() -> None:
    problem = bleu_problem()
    start = problem.decoder_weights()
    one = Mert(restarts=5, seed=3).learn(problem, start)
    two = Mert(restarts=5, seed=3, threads=2).learn(problem, start)
    other = Mert(restarts=5, seed=4).learn(problem, start)
    assert one == two
    assert one.weights != other.weights
    assert one.score == problem.score_of(one.weights) > problem.score_of(start)
    assert len(one.history) == 6
    assert one.score == max(step.score for step in one.history)
    assert sum(map(abs, one.weights.values())) == pytest.approx(1)


def test_zero_weights_are_no_result() -> None:
    """All candidates tie there, and a list that is in the right order already would keep them."""
    problem = bleu_problem()
    quality = problem.sentence_scores()
    order = np.lexsort((-quality, problem.store.sentence_of_row()))
    ordered = Problem.of_quality(problem.store.select(order), quality[order])
    found = Mert(restarts=2).learn(ordered, {})
    assert ordered.score_of({}) > found.score
    assert np.count_nonzero(list(found.weights.values())) == len(ordered.dense_names)


def test_held_out_data_decide() -> None:
    problem, held_out = bleu_problem(), bleu_problem(seed=2)
    learned = Mert(restarts=5).learn(problem, problem.decoder_weights(), held_out=held_out)
    assert learned.held_out_score == pytest.approx(held_out.score_of(learned.weights))
    assert learned.held_out_score == max(step.held_out_score or 0 for step in learned.history)


def test_frozen_bounded_and_expected_weights() -> None:
    problem = bleu_problem()
    start = dict.fromkeys(problem.dense_names, 0.5)
    constraints = Constraints(
        frozen=["Missing"], bounds={"Order": (0.25, 0.75)}, priors={"Choice": Prior(0.6, 1e6)}
    )
    weights = Mert(restarts=3, constraints=constraints).learn(problem, start).weights
    assert weights["Missing"] == 0.5
    assert 0.25 <= weights["Order"] <= 0.75
    assert weights["Choice"] == pytest.approx(0.6, abs=0.01)


def test_a_prior_moves_within_the_best_interval() -> None:
    limits = Constraints(priors={"d": Prior(3.0, 0.01)}).limits(["d"], np.zeros(1))
    thresholds, scores = np.array([1.0, 2.0, 5.0]), np.array([0.1, 0.5, 0.9, 0.2])
    step, goal = best_step(thresholds, scores, np.zeros(1), np.ones(1), limits)
    assert (step, goal) == (pytest.approx(3), pytest.approx(0.9))
    far = Constraints(priors={"d": Prior(9.0, 0.01)}).limits(["d"], np.zeros(1))
    assert best_step(thresholds, scores, np.zeros(1), np.ones(1), far)[0] == pytest.approx(4.97)


def test_sparse_features_keep_their_weights() -> None:
    store = random_store(5, sentences=10, sparse=4)
    problem = Problem.of_quality(store, np.random.default_rng(5).random(store.num_candidates))
    learned = Mert(restarts=2).learn(problem, {"d0": 1, "d1": 1, "s:0": 0.25})
    assert learned.weights["s:0"] == 0.25
    assert "s:1" not in learned.weights


def test_a_list_without_dense_features_is_refused() -> None:
    store = random_store(5, sentences=10, dense=0, sparse=4)
    problem = Problem.of_quality(store, np.random.default_rng(5).random(store.num_candidates))
    with pytest.raises(ConfigError, match="dense"):
        Mert().learn(problem, {})


@pytest.mark.parametrize(
    "changes", [{"restarts": -1}, {"random_directions": -1}, {"seed": -1}, {"threads": 0}]
)
def test_impossible_options(changes: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match=next(iter(changes))):
        Mert(**changes)


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ({"frozen": ["lm"]}, "no dense feature is called lm; known are: d0, d1"),
        ({"bounds": {"d0": (1.0, 2.0)}}, "starts with 0, outside its bounds 1 to 2"),
    ],
)
def test_constraints_that_do_not_fit(constraints: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Mert(constraints=Constraints(**constraints)).learn(quality_problem(1), {})


def test_impossible_constraints() -> None:
    with pytest.raises(ConfigError, match="not a range"):
        Constraints(bounds={"d": (1, 0)})
    with pytest.raises(ConfigError, match="both frozen and bounded"):
        Constraints(frozen=["d"], bounds={"d": (0, 1)})
    with pytest.raises(ConfigError, match="strength"):
        Constraints(priors={"d": Prior(0, -1)})
