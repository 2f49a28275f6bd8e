"""Weights for lists as users hold them."""

from __future__ import annotations

import inspect
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from isogloss.decoder.weights import write_weights
from isogloss.io.errors import ConfigError
from isogloss.learn import Constraints, Mert, Pro
from isogloss.learn import tune_nbest as tune_store
from isogloss.metric import Metric, References
from isogloss.nbest import NbestList, make_nbest
from isogloss.rerank import NbestTuneOptions, Reranker, SweepOptions, sweep, tune_nbest
from support.rerank_lists import sentences

LINES = sentences(40)
STORE = make_nbest([line.split() for line in LINES], candidates=8, seed=1)
OTHER = make_nbest([line.split() for line in LINES], candidates=8, seed=2)


def test_every_form_of_list_gives_what_the_learner_gives(tmp_path: Path) -> None:
    expected = tune_store(STORE, References([LINES]), method="mert", runs=2)
    nbest = NbestList.from_store(STORE, references=LINES)
    nbest.write(tmp_path / "list")
    (tmp_path / "references").write_text("\n".join(LINES) + "\n")
    name, file = "n-best list", str(tmp_path / "list")
    for tuned_name, tuned in (
        (name, tune_nbest(nbest, runs=2)),
        (name, tune_nbest(STORE, LINES, runs=2, threads=2)),
        (file, tune_nbest(tmp_path / "list", tmp_path / "references", runs=2)),
        (name, tune_nbest(nbest.to_dict(), [[line] for line in LINES], runs=2)),
    ):
        assert tuned.weights == expected.weights
        assert (tuned.score, tuned.mean, tuned.deviation) == (
            expected.score,
            expected.mean,
            expected.deviation,
        )
        said = {"warnings": tuple(f"{tuned_name}: {warning}" for warning in expected.warnings)}
        assert tuned.to_dict() == {**asdict(expected), **said}
        assert {row["feature"]: row["weight"] for row in tuned} == expected.weights


def test_methods_by_name_with_options_and_as_objects() -> None:
    pro = tune_nbest(STORE, LINES, method="pro:draws=2,regularization=3")
    assert pro.weights == tune_nbest(STORE, LINES, method=Pro(draws=2, regularization=3)).weights
    mira = tune_nbest(STORE, LINES, method="batch-mira:iterations=3")
    assert mira.weights == tune_nbest(STORE, LINES, method="kbmira:iterations=3").weights
    assert tune_nbest(STORE, LINES, method="expected-bleu").score > mira.start_score
    with pytest.raises(ConfigError, match="no method is called 'mart'; choose one of"):
        tune_nbest(STORE, LINES, method="mart")


def test_start_constraints_and_held_out_data(tmp_path: Path) -> None:
    start = dict.fromkeys(STORE.dense_names, 0.5)
    write_weights(tmp_path / "weights", start)
    constraints = Constraints(frozen=["Missing"])
    tuned = [
        tune_nbest(
            STORE,
            LINES,
            method="batch-mira:iterations=5",
            start=form,
            constraints=constraints,
            held_out=(OTHER, LINES),
        )
        for form in (start, tmp_path / "weights")
    ]
    assert tuned[0].weights == tuned[1].weights
    assert tuned[0].weights["Missing"] == 0.5
    assert tuned[0].held_out_score is not None
    with pytest.raises(ConfigError, match="the method 'splitting' takes no constraints"):
        tune_nbest(STORE, LINES, method="splitting", constraints=constraints)


def test_metrics_and_qualities() -> None:
    by_name = tune_nbest(STORE, LINES, metric="chrf", method="pro:draws=1")
    assert (
        by_name.weights == tune_nbest(STORE, LINES, metric=Metric.named("chrf"), method="pro:draws=1").weights
    )
    assert by_name.metric == "chrF2"
    quality = np.arange(STORE.num_candidates, dtype=float)
    assert tune_nbest(STORE, quality=quality, method="pro:draws=1").metric == "quality"
    for arguments in ({}, {"references": LINES, "quality": quality}):
        with pytest.raises(ConfigError, match="give either references"):
            tune_nbest(STORE, **arguments)


def test_sentences_without_candidates_are_told() -> None:
    tuned = tune_nbest(STORE, [*LINES, "nothing"], method="pro:draws=1")
    assert tuned.warnings[0] == "n-best list: 1 of 41 sentences have no candidates; they play no part"


def test_features_that_some_candidates_lack_are_told_in_every_use(tmp_path: Path) -> None:
    NbestList.from_store(STORE).write(tmp_path / "list")
    lines = (tmp_path / "list").read_text().splitlines()
    lines[3] = lines[3].replace("Missing= ", "Absent= ")
    (tmp_path / "list").write_text("\n".join(lines) + "\n")
    nbest = NbestList.read(tmp_path / "list", references=LINES)
    said = f"{tmp_path}/list: feature 'Missing' is missing on 1 of"
    quality = [1.0, *[0.0] * (STORE.num_candidates - 1)]
    trained = Reranker().fit(nbest).training
    assert trained is not None
    for warnings in (
        tune_nbest(nbest, method="pro:draws=1").warnings,
        tune_nbest(STORE, LINES, held_out=(nbest, LINES), method="pro:draws=1").warnings,
        tune_nbest(nbest, quality=quality, method="pro:draws=1").warnings,
        trained.warnings,
        sweep(nbest, options=SweepOptions(folds=2, samples=10)).warnings,
    ):
        assert sum(warning.startswith(said) for warning in warnings) == 1


def test_options_are_keywords_or_an_object() -> None:
    options = NbestTuneOptions(method="mert", mert=Mert(restarts=1), metric="chrf", runs=2, seed=5)
    one = tune_nbest(STORE, LINES, options=options)
    other = tune_nbest(STORE, LINES, method="mert:restarts=1", metric="chrf", runs=2, seed=5)
    assert one.to_dict() == other.to_dict()
    with pytest.raises(ConfigError, match="give either options or its fields"):
        tune_nbest(STORE, LINES, options=options, runs=3)
    with pytest.raises(ConfigError, match="the method 'pro' does not use the options of mert"):
        NbestTuneOptions(method="pro", mert=Mert(restarts=1))
    frozen = NbestTuneOptions(method="splitting", constraints=Constraints(frozen=["Missing"]))
    with pytest.raises(ConfigError, match="the method 'splitting' takes no constraints"):
        tune_nbest(STORE, LINES, options=frozen)
    # What can be set, and to what by default, is declared once.
    parameters = inspect.signature(tune_nbest).parameters
    for name in ("method", "metric", "tokenize", "lowercase", "runs", "seed"):
        assert parameters[name].default == getattr(NbestTuneOptions(), name)


def test_held_out_lists_need_references() -> None:
    quality = [0.5] * STORE.num_candidates
    with pytest.raises(ConfigError, match="`held_out` is scored by references"):
        tune_nbest(STORE, quality=quality, held_out=(STORE, LINES))
