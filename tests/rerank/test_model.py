"""Training, applying, storing: what a reranker gives, and what it refuses."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.io.errors import ConfigError, DataFormatError, ModelFormatError
from isogloss.learn import Problem, learner_names
from isogloss.learn.expected import ExpectedScore
from isogloss.learn.mbr import Mbr
from isogloss.learn.online_reranker import deviations
from isogloss.learn.voted import VotedPerceptron
from isogloss.metric import References
from isogloss.nbest import write_nbest
from isogloss.nbest.store import DenseGroup, NbestStore
from isogloss.rerank import (
    RerankModel,
    RerankOptions,
    method_named,
    parse_features,
    prepare,
    train_model,
)
from isogloss.rerank.scaling import Scaling
from isogloss.rerank.train import decoder_weights
from isogloss.storage.folder import ArrayFolder, update_folder
from support.damage import reseal
from support.rerank_lists import ARPA, sentences, store_of, synthetic_problem, with_dense

QUICK = {
    "splitting": {"iterations": 5},
    "ordinal": {"iterations": 5, "gap": 0, "ratio": 1.5},
    "voted-perceptron": {"iterations": 3, "average": True},
    "perceptron": {"iterations": 20},
    "expected-bleu": {},
    "mbr": {"scales": (0.5, 2.0)},
    "mert": {"restarts": 1},
    "batch-mira": {"iterations": 5},
    "pro": {"draws": 1},
}


def bleu(problem: Problem, reranker: RerankModel, store: NbestStore | None = None) -> float:
    return problem.score_of_rows(problem.choose(reranker.scores(store or problem.store)))


@pytest.mark.parametrize("method", learner_names(decoder=False))
def test_every_method_learns_stores_and_gives_the_same_again(method: str, tmp_path: Path) -> None:
    problem, other = synthetic_problem(40, seed=1), synthetic_problem(20, seed=2)
    learner = method_named(method, QUICK[method])
    trained = train_model(problem, learner, options=RerankOptions(start="decoder"))
    again = train_model(problem, learner, options=RerankOptions(start="decoder"))
    decoder = other.score_of_rows(other.choose(other.store.scores))
    assert bleu(other, trained.model) > decoder
    trained.model.save(tmp_path / "model")
    loaded = RerankModel.load(tmp_path / "model")
    for model in (loaded, again.model):
        np.testing.assert_array_equal(trained.model.scores(other.store), model.scores(other.store))
    assert loaded.weights() == trained.model.weights()
    assert loaded.made_with == trained.model.made_with
    reordered = loaded.rerank(other.store)
    assert np.all(np.diff(reordered.scores)[np.diff(reordered.sentence_of_row()) == 0] <= 0)
    assert reordered.num_candidates == other.store.num_candidates


def test_functions_are_computed_again_when_a_model_is_applied(tmp_path: Path) -> None:
    problem = synthetic_problem(30)
    functions = parse_features(["consensus:order=2", "popularity", "sparse:target_bigram"])
    source = [["x"] for _ in range(problem.num_sentences)]
    store = prepare(problem.store, functions, source=source)
    learner = ExpectedScore(sparse_regularization=0.01)
    trained = train_model(Problem(store, problem.metric, problem.statistics), learner, functions)
    assert trained.model.feature_names == (*problem.dense_names, "Consensus1", "Consensus2", "Popularity")
    assert len(trained.model.sparse_names) > 0
    trained.model.save(tmp_path / "model")
    loaded = RerankModel.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.scores(problem.store, source), trained.model.scores_of(store))
    one = problem.store.select(problem.store.rows_of(3))
    rows = problem.store.rows_of(3)
    alone = loaded.scores(one, source[:1])
    np.testing.assert_allclose(alone, loaded.scores(problem.store, source)[rows.start : rows.stop], atol=1e-9)


def test_other_columns_are_refused_by_name() -> None:
    problem = synthetic_problem(10)
    model = train_model(problem, ExpectedScore()).model
    fewer = replace(
        problem.store, dense=problem.store.dense[:, 1:].copy(), dense_groups=problem.store.dense_groups[1:]
    )
    with pytest.raises(DataFormatError, match="the list lacks Missing"):
        model.scores(fewer)
    more = replace(
        problem.store,
        dense=np.column_stack([problem.store.dense, problem.store.dense[:, 0]]),
        dense_groups=(*problem.store.dense_groups, DenseGroup("Comet", 1)),
    )
    with pytest.raises(DataFormatError, match="the list has Comet, which the model never saw"):
        model.scores(more)
    # Chosen by name, in any order, others do not matter.
    chosen = ("Order", "Missing")
    store = prepare(problem.store, [], columns=chosen)
    named = train_model(
        Problem(store, problem.metric, problem.statistics),
        ExpectedScore(),
        options=RerankOptions(columns=chosen),
    ).model
    np.testing.assert_array_equal(named.scores(problem.store), named.scores(more))
    with pytest.raises(DataFormatError, match="there is no column 'Bogus'"):
        prepare(problem.store, [], columns=["Bogus"])


def test_constant_columns_and_wild_scales_change_nothing() -> None:
    problem = synthetic_problem(30)
    dense = problem.store.dense
    plain = {f"f{i}": dense[:, i] for i in range(4)}
    scales = (1e-9, 1e9, 1e-3, 1.0)
    wild = {f"f{i}": dense[:, i] * scale for i, scale in enumerate(scales)}
    wild["constant"] = np.full(len(dense), 7e8)
    wild["per_sentence"] = 1e5 * problem.store.sentence_of_row().astype(float)
    for method, options in QUICK.items():
        if method in ("mbr", "mert", "batch-mira", "pro"):
            continue
        learner = method_named(method, options)
        first = train_model(with_dense(problem, plain), learner)
        second = train_model(with_dense(problem, wild), learner)
        assert second.constant == ("constant", "per_sentence")
        choices = [
            p.choose(t.model.scores_of(p.store))
            for p, t in ((with_dense(problem, plain), first), (with_dense(problem, wild), second))
        ]
        np.testing.assert_array_equal(*choices)
        assert second.model.weights()["constant"] == 0
    assert deviations(np.array([[1e-200], [3e-200]]), np.array([0, 2]))[0] == pytest.approx(1e-200)


def test_lists_with_gaps_single_candidates_and_duplicates() -> None:
    lines = sentences(6)
    spoiled = [" ".join(line.split()[:-1]) for line in lines]
    candidates = {
        0: [spoiled[0], lines[0], spoiled[0]],
        1: [lines[1]],
        3: [spoiled[3], lines[3]],
        5: [spoiled[5], spoiled[5]],
    }
    texts = [text for own in candidates.values() for text in own]
    store = store_of(candidates, {"Good": [float(text in lines) for text in texts]})
    problem = Problem.of(store, References([lines]))
    for method, options in QUICK.items():
        if method in ("mert", "batch-mira", "pro"):
            continue
        model = train_model(problem, method_named(method, options)).model
        best = model.rerank(store)
        out = list(best.lines(best.sentence_offsets[:-1], 6))
        assert len(out) == 6
        assert (out[2], out[4]) == ("", "")
        assert out[1] == lines[1]
        if method != "mbr":  # which has only the decoder's scores to go by
            assert (out[0], out[3]) == (lines[0], lines[3])


def test_what_is_not_a_number_is_refused() -> None:
    problem = synthetic_problem(5)
    spoiled = problem.store.dense.copy()
    spoiled[7, 2] = np.nan
    with pytest.raises(ConfigError, match="the features of candidate 8 are not finite numbers"):
        Problem(replace(problem.store, dense=spoiled), problem.metric, problem.statistics)
    model = train_model(problem, ExpectedScore()).model
    with pytest.raises(ConfigError, match="not finite numbers"):
        model.scores(replace(problem.store, dense=spoiled))
    unscored = replace(problem.store, scores=np.full(problem.store.num_candidates, np.nan))
    with pytest.raises(ConfigError, match="weights of the decoder cannot be estimated"):
        train_model(
            Problem(unscored, problem.metric, problem.statistics),
            ExpectedScore(),
            options=RerankOptions(start="decoder"),
        )


def test_files_of_features_must_be_those_of_training(tmp_path: Path) -> None:
    problem = synthetic_problem(8)
    rows = problem.store.num_candidates
    mine = tmp_path / "mine.py"
    mine.write_text("def feature(candidate):\n    return len(candidate)\n")
    (tmp_path / "a").write_text("1\n" * rows)
    functions = parse_features([f"python:{mine}", f"column:{tmp_path / 'a'}"])
    store = prepare(problem.store, functions)
    train_model(Problem(store, problem.metric, problem.statistics), ExpectedScore(), functions).model.save(
        tmp_path / "model"
    )
    model = RerankModel.load(tmp_path / "model")
    with pytest.raises(ConfigError, match="which is never run automatically"):
        model.scores(problem.store)
    named = model.with_functions(parse_features([f"python:{mine}"]))
    with pytest.raises(ConfigError, match="belongs to the list that the model learned from"):
        named.scores(problem.store)
    assert len(model.with_functions(functions).scores(problem.store)) == rows
    with pytest.raises(ConfigError, match="the model has no feature 'lm' labeled 'LM'"):
        model.with_functions(parse_features(["lm:x"]))


def test_a_changed_resource_is_refused(tmp_path: Path) -> None:
    problem = synthetic_problem(8)
    arpa = tmp_path / "lm.arpa"
    arpa.write_text(ARPA)
    functions = parse_features([f"lm:{arpa}"])
    store = prepare(problem.store, functions)
    model = train_model(Problem(store, problem.metric, problem.statistics), ExpectedScore(), functions).model
    assert len(model.scores(problem.store)) == problem.store.num_candidates
    arpa.write_text(ARPA.replace("-0.5", "-0.4"))
    with pytest.raises(ConfigError, match=r"is not the file that the feature 'lm:.*' was trained with"):
        model.scores(problem.store)
    assert len(model.with_functions(functions).scores(problem.store)) == problem.store.num_candidates


def store_naming(path: Path, spec: str, file: Path, resources: dict[str, str]) -> None:
    """A stored model as somebody else may hand it over: one function of any file, with any fingerprints."""

    def rewritten(stored: ArrayFolder) -> dict[str, Any]:
        (function,) = stored.attributes["functions"]
        options = {**function["options"], "path": str(file)}
        return {
            **stored.attributes,
            "functions": [{**function, "options": options, "resources": resources}],
        }

    placeholder = path.with_name("placeholder")
    placeholder.touch()
    functions = parse_features([f"{spec}:{placeholder}"])
    columns = len(functions[0].columns())
    replace(
        train_model(synthetic_problem(4), ExpectedScore()).model,
        columns=(),
        only_these=False,
        functions=tuple(functions),
        fingerprints=({},),
        scaling=Scaling(np.zeros(columns), np.ones(columns)),
        dense=np.ones((1, columns)),
    ).save(path)
    update_folder(path, kind="reranker", version=1, change=lambda stored: ({}, (), rewritten(stored)))


@pytest.mark.parametrize("resources", [{}, {"path": ""}, {"other": "x"}])
def test_a_stored_model_cannot_run_code_that_nobody_named(tmp_path: Path, resources: dict[str, str]) -> None:
    script, trace = tmp_path / "model" / "feature.py", tmp_path / "trace"
    store_naming(tmp_path / "model", "python", script, resources)
    script.write_text(f"open({str(trace)!r}, 'w').close()\ndef feature(source, candidate):\n    return 1\n")
    model = RerankModel.load(tmp_path / "model")
    with pytest.raises(ConfigError, match="which is never run automatically"):
        model.scores(synthetic_problem(4).store)
    assert not trace.exists()
    # Stored again, it still may not.
    model.save(tmp_path / "copy")
    with pytest.raises(ConfigError, match="which is never run automatically"):
        RerankModel.load(tmp_path / "copy").scores(synthetic_problem(4).store)
    assert not trace.exists()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("lm", "is not the file that the feature"),
        ("column", "belongs to the list that the model learned from"),
        ("agreement", "belongs to the list that the model learned from"),
    ],
)
def test_files_without_fingerprints_are_refused(tmp_path: Path, spec: str, message: str) -> None:
    (tmp_path / "file").write_text(ARPA)
    store_naming(tmp_path / "model", spec, tmp_path / "file", {})
    with pytest.raises(ConfigError, match=message):
        RerankModel.load(tmp_path / "model").scores(synthetic_problem(4).store)


def test_a_model_that_was_given_other_files_stores_their_fingerprints(tmp_path: Path) -> None:
    problem = synthetic_problem(8)
    arpa = tmp_path / "lm.arpa"
    arpa.write_text(ARPA)
    functions = parse_features([f"lm:{arpa}"])
    store = prepare(problem.store, functions)
    model = train_model(Problem(store, problem.metric, problem.statistics), ExpectedScore(), functions).model
    arpa.write_text(ARPA.replace("-0.5", "-0.4"))
    model.with_functions(functions).save(tmp_path / "model", bundle=False)
    loaded = RerankModel.load(tmp_path / "model")
    assert len(loaded.scores(problem.store)) == problem.store.num_candidates
    arpa.write_text(ARPA)
    with pytest.raises(ConfigError, match="is not the file that the feature"):
        loaded.scores(problem.store)


def test_a_list_of_other_sentences_is_not_taken_for_that_of_these(tmp_path: Path) -> None:
    problem = synthetic_problem(8)
    write_nbest(problem.store, tmp_path / "other", format="moses")
    functions = parse_features([f"agreement:{tmp_path / 'other'}"])
    store = prepare(problem.store, functions)
    model = train_model(Problem(store, problem.metric, problem.statistics), ExpectedScore(), functions).model
    model.save(tmp_path / "model")
    loaded = RerankModel.load(tmp_path / "model")
    with pytest.raises(
        ConfigError, match=r"belongs to the list that the model learned from; name the file that"
    ):
        loaded.scores(problem.store)
    named = loaded.with_functions(functions)
    np.testing.assert_array_equal(named.scores(problem.store), model.scores_of(store))


def test_damaged_models_are_refused(tmp_path: Path) -> None:
    model = train_model(synthetic_problem(5), VotedPerceptron(iterations=3)).model
    assert (model.decision, model.dense.shape) == ("vote", (3, 5))
    for spoiled in (
        replace(model, dense=model.dense[:, 1:]),
        replace(model, decision="score"),
        replace(model, decision="bogus"),
        replace(model, dense=np.full_like(model.dense, np.nan)),
        replace(model, scaling=replace(model.scaling, means=np.zeros(1))),
        replace(model, sparse_names=("a",)),
    ):
        spoiled.save(tmp_path / "model")
        with pytest.raises(ModelFormatError, match="the reranker is damaged"):
            RerankModel.load(tmp_path / "model")
    for attributes in ({"functions": 5}, {"functions": [7]}, {"columns": None}, {"made_with": 3}):
        model.save(tmp_path / "model")
        reseal(tmp_path / "model", attributes)
        with pytest.raises(ModelFormatError, match="the reranker is damaged"):
            RerankModel.load(tmp_path / "model")
    model.save(tmp_path / "model")
    assert RerankModel.load(tmp_path / "model").decision == "vote"


def test_votes_are_counted_and_ties_go_to_the_mean() -> None:
    store = store_of({0: ["a", "b", "c"]}, {"x": [0.0, 1.0, 2.0], "y": [2.0, 1.5, 0.0]})
    problem = Problem.of_quality(store, [0.0, 1.0, 0.5])
    model = train_model(problem, ExpectedScore(), options=RerankOptions(scale=False)).model
    voters = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    voting = replace(model, dense=voters, sparse=np.zeros((3, 0)), decision="vote")
    assert np.argsort(-voting.scores(store)).tolist() == [2, 0, 1]
    tied = replace(model, dense=voters[1:], sparse=np.zeros((2, 0)), decision="vote")
    assert np.argmax(tied.scores(store)) in (0, 2)


def test_given_qualities_and_held_out_data() -> None:
    problem = synthetic_problem(40)
    quality = Problem.of_quality(problem.store, problem.sentence_scores())
    options = RerankOptions(held_out_share=0.25)
    for learner in (
        method_named("perceptron"),
        ExpectedScore(),
        method_named("voted-perceptron"),
        Mbr(scales=(1.0, 2.0)),
    ):
        trained = train_model(quality, learner, options=options)
        assert trained.learned.held_out_score is not None
        held = [step.held_out_score for step in trained.learned.history]
        if not isinstance(learner, VotedPerceptron):
            assert trained.learned.held_out_score == pytest.approx(max(held))
    with pytest.raises(ConfigError, match="no sentences are left"):
        train_model(synthetic_problem(1), ExpectedScore(), options=options)


def test_voters_do_not_all_learn_last_from_the_same_sentence() -> None:
    """Eight sentences want a large value, the last one a small value, and more than each of them."""
    problem = synthetic_problem(9)
    values = np.zeros((problem.store.num_candidates, 1))
    offsets = problem.sentences()
    for first, last in itertools.pairwise(offsets):
        values[first:last, 0] = np.arange(last - first)
    store = replace(problem.store, dense=values, dense_groups=(DenseGroup("x", 1),), sparse=None)
    quality = values[:, 0].copy()
    quality[offsets[-2] :] *= -2.5
    learned = {
        shuffle: VotedPerceptron(shuffle=shuffle).learn(Problem.of_quality(store, quality), {})
        for shuffle in (False, VotedPerceptron().shuffle)
    }
    signs = {shuffle: np.sign([voter.dense[0] for voter in one.voters]) for shuffle, one in learned.items()}
    assert np.all(signs[False] < 0)
    assert np.mean(signs[True] > 0) > 0.6
    assert learned[True].score > learned[False].score


def test_decoder_weights_are_found_again() -> None:
    problem = synthetic_problem(20)
    weights = np.array([0.3, -1.0, 0.5, 2.0, 0.1])
    store = replace(problem.store, scores=problem.store.dense @ weights)
    found = decoder_weights(Problem(store, problem.metric, problem.statistics))
    np.testing.assert_allclose(list(found.values()), weights, atol=1e-9)
