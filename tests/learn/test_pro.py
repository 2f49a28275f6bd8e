from __future__ import annotations

import numpy as np
import pytest

from isogloss.io.errors import ConfigError
from isogloss.learn import Constraints, Prior, Pro, Problem
from support.learn_problems import bleu_problem, random_store

QUICK = {"samples": 200, "draws": 2}


def test_pairs_are_of_one_sentence_and_the_better_comes_first() -> None:
    problem = bleu_problem()
    quality = problem.sentence_scores()
    good, bad = Pro(samples=100, pairs=10).draw(problem, quality, np.random.default_rng(1))
    sentence = problem.store.sentence_of_row()
    assert np.array_equal(sentence[good], sentence[bad])
    assert np.all(quality[good] - quality[bad] >= 0.05)
    assert np.bincount(sentence[good]).max() <= 10


def test_bleu_improves_and_runs_repeat() -> None:
    problem = bleu_problem()
    start = problem.decoder_weights()
    learned = Pro(**QUICK).learn(problem, start)
    assert learned == Pro(**QUICK).learn(problem, start)
    assert learned.score == problem.score_of(learned.weights) > problem.score_of(start)


def test_the_gradient_leads_to_the_optimum() -> None:
    # One feature tells good from bad most of the time, another never does.
    store = random_store(7, sentences=40, dense=2)
    problem = Problem.of_quality(store, store.dense[:, 0] + 0.1 * store.dense[:, 1])
    weights = Pro(**QUICK).learn(problem, {}).weights
    assert weights["d0"] > 5 * abs(weights["d1"])


def test_sparse_features_are_learned() -> None:
    store = random_store(3, sentences=30, dense=0, sparse=5)
    offsets, columns, _ = store.sparse.rows(np.arange(store.num_candidates))
    good = [2 in columns[offsets[row] : offsets[row + 1]] for row in range(store.num_candidates)]
    problem = Problem.of_quality(store, np.array(good, dtype=float))
    weights = Pro(**QUICK).learn(problem, {}).weights
    assert max(weights, key=weights.__getitem__) == problem.sparse_names[2]


def test_frozen_bounded_and_expected_weights() -> None:
    problem = bleu_problem()
    start = dict.fromkeys(problem.dense_names, 0.5)
    constraints = Constraints(
        frozen=["Missing"], bounds={"Order": (0.25, 0.75)}, priors={"Choice": Prior(0.6, 1e4)}
    )
    weights = Pro(constraints=constraints, **QUICK).learn(problem, start).weights
    assert weights["Missing"] == 0.5
    assert 0.25 <= weights["Order"] <= 0.75
    assert weights["Choice"] == pytest.approx(0.6, abs=0.01)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ConfigError, match="no two candidates"):
        Pro(least_difference=2.0, **QUICK).learn(bleu_problem(), {})
    for changes in ({"samples": 0}, {"pairs": 0}, {"draws": 0}, {"regularization": -1.0}, {"seed": -1}):
        with pytest.raises(ConfigError, match=next(iter(changes))):
            Pro(**changes)
