from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF

from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.learn import BatchMira, Mert, Problem, WeightVector
from isogloss.metric import METRIC_NAMES, References, SacreMetric, metric_named
from support.learn_problems import WORDS, brute_choice, quality_problem, random_store
from support.properties import examples

LINES = ["the cat sat on the mat", "a big old dog ran", "the moon", "old cat under moon"]


@pytest.mark.parametrize("name", METRIC_NAMES)
def test_every_metric_scores_a_choice_as_it_scores_text(name: str) -> None:
    store, references, metric = random_store(4), References([LINES]), metric_named(name)
    problem = Problem.of(store, references, metric)
    rows = problem.choose(np.random.default_rng(1).random(store.num_candidates))
    texts = list(store.texts(rows.tolist()))
    expected = metric.score(metric.statistics(texts, references).sum(axis=0))
    assert problem.reported(problem.score_of_rows(rows)) == pytest.approx(expected)
    sums = problem.stats()[np.random.default_rng(2).integers(0, store.num_candidates, (20, 4))].sum(axis=1)
    assert metric.scores(sums) == pytest.approx([metric.score(row) for row in sums])
    # All learners can use it, and higher is better for all of them.
    for learner in (Mert(restarts=1), BatchMira(iterations=2)):
        assert learner.learn(problem, {"d0": 1.0}).score >= problem.score_of({"d0": 0.0}) - 0.5


def test_a_metric_object_with_sacrebleus_methods() -> None:
    store, references = random_store(4), References([LINES])
    problem = Problem.of(store, references, SacreMetric(CHRF(word_order=2), "chrF2++"))
    learned = Mert(restarts=1).learn(problem, {"d0": 1.0})
    assert learned.score >= problem.score_of({"d0": 1.0})


@examples(20)
@given(seed=st.integers(0, 1000), coarse=st.booleans())
def test_choices_are_brute_force(seed: int, coarse: bool) -> None:
    problem = quality_problem(seed, coarse=coarse)
    dense = np.random.default_rng(seed).integers(-2, 3, 2).astype(float)
    assert problem.score_of(WeightVector(dense, np.zeros(0))) == pytest.approx(brute_choice(problem, dense))


@examples(20)
@given(seed=st.integers(0, 1000), coarse=st.booleans())
def test_several_vectors_at_once_are_scored_as_one_by_one(seed: int, coarse: bool) -> None:
    problem = quality_problem(seed, coarse=coarse)
    drawn = np.random.default_rng(seed).integers(-2, 3, (5, 2)).astype(float)
    vectors = [WeightVector(dense, np.zeros(0)) for dense in drawn]
    assert problem.scores_of(vectors) == pytest.approx([brute_choice(problem, dense) for dense in drawn])
    assert problem.scores_of([]) == []


def test_names_and_columns() -> None:
    store = random_store(2, sparse=4)
    problem = Problem.of_quality(store, np.ones(store.num_candidates))
    name = problem.sparse_names[1]
    vector = problem.vector({"d1": 2.0, name: -1.0, "unknown": 5.0})
    assert problem.named(vector) == {"d0": 0.0, "d1": 2.0, name: -1.0}
    sparse = problem.sparse(np.arange(store.num_candidates))
    expected = 2 * store.dense[:, 1]
    for row in range(store.num_candidates):
        begin, end = sparse.offsets[row : row + 2]
        expected[row] -= sparse.values[begin:end][sparse.columns[begin:end] == 1].sum()
    assert problem.model_scores(vector) == pytest.approx(expected)


def test_the_decoders_weights_are_found_again() -> None:
    store = random_store(1, sentences=10)
    truth = {"d0": 0.3, "d1": -1.7}
    scores = store.dense @ np.array(list(truth.values())) - 100.0 * store.sentence_of_row()
    problem = Problem.of_quality(replace(store, scores=scores), np.ones(store.num_candidates))
    assert problem.decoder_weights() == pytest.approx(truth)
    unscored = Problem.of_quality(
        replace(store, scores=np.full(store.num_candidates, np.nan)), np.ones(store.num_candidates)
    )
    assert unscored.decoder_weights() == {"d0": 0, "d1": 0}


def test_a_constant_feature_has_no_deviation() -> None:
    store = random_store(1)
    per_sentence = 0.1 * store.sentence_of_row()
    store = replace(store, dense=np.column_stack([store.dense[:, 0], per_sentence]))
    deviations = Problem.of_quality(store, np.ones(store.num_candidates)).deviations()
    assert deviations[0] > 0
    assert deviations[1] == 0


def test_what_does_not_fit_is_refused() -> None:
    store = random_store(1)
    with pytest.raises(ConfigError, match="3 values for"):
        Problem.of_quality(store, [1.0, 2.0, 3.0])
    with pytest.raises(ConfigError, match="statistics of candidate 1 are not finite"):
        Problem.of_quality(store, np.full(store.num_candidates, np.nan))
    broken = replace(store, dense=np.where(np.arange(2) == 1, np.inf, store.dense))
    with pytest.raises(ConfigError, match="features of candidate 1 are not finite"):
        Problem.of_quality(broken, np.ones(store.num_candidates))
    huge = replace(store, dense=np.where(np.arange(2) == 1, -1e308, store.dense))
    with pytest.raises(DataFormatError, match=r"of candidate 1 is -1e\+308; values above 1e\+30 cannot"):
        Problem.of_quality(huge, np.ones(store.num_candidates))
    for name in ("bleu", "chrf"):
        with pytest.raises(DataFormatError, match="references for 2 sentences only"):
            Problem.of(store, References([LINES[:2]]), metric_named(name))
    with pytest.raises(ConfigError, match="unknown metric 'wer'; choose one of: bleu"):
        metric_named("wer")
    assert WORDS
