from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss import _engine
from isogloss.io.errors import ConfigError
from isogloss.learn import BatchMira, Constraints, Prior, Problem
from support.learn_problems import bleu_problem, random_store
from support.properties import examples


def flat_features(problem: Problem) -> np.ndarray:
    offsets, columns, values = problem.sparse(np.arange(problem.store.num_candidates))
    sparse = np.zeros((problem.store.num_candidates, len(problem.sparse_names)))
    for row in range(len(sparse)):
        sparse[row, columns[offsets[row] : offsets[row + 1]]] = values[offsets[row] : offsets[row + 1]]
    return np.hstack([problem.dense(), sparse])


def slow_average(
    problem: Problem, order: list[int], *, bound: float, decay: float, scale: float
) -> np.ndarray:
    """Batch MIRA by the book, keeping all weight vectors."""
    features, statistics = flat_features(problem), problem.stats().astype(float)
    weights = np.zeros(features.shape[1])
    background = statistics[problem.choose(np.zeros(len(features)))].mean(axis=0)
    sentences, kept = 1.0, []
    for sentence in order:
        rows = np.arange(problem.sentences()[sentence], problem.sentences()[sentence + 1])
        model = features[rows] @ weights
        worth = scale * (sentences + 1) * problem.scores(statistics[rows] + background)
        hope, fear = np.argmax(model + worth), np.argmax(model - worth)
        difference = features[rows[hope]] - features[rows[fear]]
        missed = worth[hope] - worth[fear] - (model[hope] - model[fear])
        if missed > 0 and difference @ difference > 0:
            weights = weights + min(bound, missed / (difference @ difference)) * difference
        background = decay * background + statistics[rows[hope]]
        sentences = decay * sentences + 1
        kept.append(weights)
    return np.mean(kept, axis=0)


@examples(10)
@given(seed=st.integers(0, 10_000), quality=st.booleans())
def test_the_engine_does_what_the_book_says(seed: int, quality: bool) -> None:
    if quality:
        store = random_store(seed, sentences=8, sparse=5)
        problem = Problem.of_quality(store, np.random.default_rng(seed).random(store.num_candidates))
    else:
        problem = bleu_problem(sentences=8, candidates=5, seed=seed)
    order = np.random.default_rng(seed).integers(0, problem.num_sentences, 30)
    width, statistics = len(problem.dense_names), problem.stats().astype(float)
    start = np.zeros(len(problem.sparse_names))
    mira = _engine.BatchMira(
        problem.sentences(),
        problem.dense(),
        *problem.sparse(np.arange(len(statistics))),
        len(start),
        statistics,
        np.zeros(width),
        start,
        statistics[problem.choose(np.zeros(len(statistics)))].mean(axis=0),
    )
    for part in np.array_split(order.astype(np.uint32), 3):
        mira.visit(
            part,
            aggressiveness=0.05,
            decay=0.9,
            loss_scale=3.0,
            lower=np.full(width, -np.inf),
            upper=np.full(width, np.inf),
            mean=np.zeros(width),
            strength=np.zeros(width),
            **({"scores": problem.scores} if quality else {"smoothing": "exp"}),
        )
    expected = slow_average(problem, order.tolist(), bound=0.05, decay=0.9, scale=3.0)
    assert np.concatenate(mira.average()) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_bleu_improves_and_runs_repeat() -> None:
    problem = bleu_problem()
    start = problem.decoder_weights()
    learned = BatchMira(iterations=15).learn(problem, start)
    assert learned == BatchMira(iterations=15).learn(problem, start)
    assert learned.weights != BatchMira(iterations=15, seed=2).learn(problem, start).weights
    assert learned.score == problem.score_of(learned.weights) > problem.score_of(start)
    assert learned.score == max(step.score for step in learned.history)


def test_sparse_features_are_learned() -> None:
    store = random_store(3, sentences=30, dense=0, sparse=5)
    offsets, columns, _ = store.sparse.rows(np.arange(store.num_candidates))
    good = [2 in columns[offsets[row] : offsets[row + 1]] for row in range(store.num_candidates)]
    problem = Problem.of_quality(store, np.array(good, dtype=float))
    learned = BatchMira(iterations=10).learn(problem, {})
    assert max(learned.weights, key=learned.weights.__getitem__) == problem.sparse_names[2]
    assert learned.score == pytest.approx(problem.score_of_rows(problem.choose(np.array(good, dtype=float))))


def test_frozen_bounded_and_expected_weights() -> None:
    problem = bleu_problem()
    start = dict.fromkeys(problem.dense_names, 0.5)
    constraints = Constraints(
        frozen=["Missing"], bounds={"Order": (0.25, 0.75)}, priors={"Choice": Prior(0.6, 1e8)}
    )
    weights = BatchMira(iterations=5, constraints=constraints).learn(problem, start).weights
    assert weights["Missing"] == pytest.approx(0.5)
    assert 0.25 <= weights["Order"] <= 0.75
    assert weights["Choice"] == pytest.approx(0.6, abs=0.01)


def test_what_does_not_fit_is_refused() -> None:
    for changes in ({"iterations": 0}, {"aggressiveness": math.nan}, {"decay": 2.0}, {"seed": -1}):
        with pytest.raises(ConfigError, match=next(iter(changes))):
            BatchMira(**changes)
    problem = bleu_problem(sentences=2)
    arrays = [
        problem.sentences(),
        problem.dense(),
        *problem.sparse(np.arange(30)),
        0,
        problem.stats().astype(float),
    ]
    rest = [np.zeros(5), np.zeros(0), np.zeros(10)]
    with pytest.raises(ValueError, match="sentences"):
        _engine.BatchMira(arrays[0] + 1, *arrays[1:], *rest)
    with pytest.raises(ValueError, match="weights and background"):
        _engine.BatchMira(*arrays, np.zeros(4), *rest[1:])
    broken = problem.dense().copy()
    broken[3, 1] = np.nan
    with pytest.raises(ValueError, match="finite"):
        _engine.BatchMira(arrays[0], broken, *arrays[2:], *rest)
