"""The whole NTT system on a tiny invented task."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from isogloss.cli import console
from isogloss.cli.main import main
from isogloss.experiments.ntt_iwslt2007 import NttOptions
from isogloss.experiments.ntt_iwslt2007.experiment import NttExperiment
from isogloss.io.config import read_description
from isogloss.io.errors import DataFormatError
from isogloss.nbest.store import NbestStore
from isogloss.pipeline import train
from isogloss.pipeline.folds import unseen_lists
from isogloss.pipeline.train_options import TrainOptions
from isogloss.tuning.online import PAPER
from support.ntt_corpus import DESCRIPTION, lines, write_task

VOTED = [f"voted-perceptron:quality=document,iterations=20{rest}" for rest in ("", ", no sparse features")]


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_task(tmp_path_factory.mktemp("ntt"))


@pytest.mark.slow
def test_the_whole_system(
    task: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    saw_sparse = []
    reranker = NttExperiment._reranker

    def watched(self, lists, *rest):
        saw_sparse.append({store.sparse is not None for store in lists.values()})
        return reranker(self, lists, *rest)

    monkeypatch.setattr(NttExperiment, "_reranker", watched)
    call = [
        "--quiet",
        "experiment",
        "ntt-iwslt2007",
        "--config",
        str(task),
        "--output",
        str(tmp_path / "ntt"),
    ]
    assert main([*call, "--json"]) == 0, capsys.readouterr().err
    found = json.loads(capsys.readouterr().out)
    for name in ("primary", "post-evaluation"):
        scores = found["systems"][name]["scores"]
        assert list(scores) == ["decoder", *VOTED, "expected-bleu", "expected-bleu, no sparse features"]
        assert list(scores["decoder"]) == ["text", "ASR 1-best", "ASR n-best", "ASR lattice"]
        assert list(scores[VOTED[0]]) == list(scores[VOTED[1]]) == ["text", "ASR 1-best", "ASR n-best"]
        assert all(row["bleu"] > 0 and 0 <= row["p_value"] <= 1 for row in scores["decoder"].values())
        for with_sparse, without in (VOTED, ["expected-bleu", "expected-bleu, no sparse features"]):
            for condition, row in scores[with_sparse].items():
                gain = row["bleu"] - scores[without][condition]["bleu"]
                assert row["sparse_gain"] == pytest.approx(gain)
                assert 0 <= row["sparse_p_value"] <= 1
                assert "sparse_gain" not in scores[without][condition]
        assert found["systems"][name]["sparse_features"] > 0
        folds = NbestStore.open(tmp_path / "ntt" / "lists" / name / "folds")
        assert folds.num_sentences == 20
        union = NbestStore.open(tmp_path / "ntt" / "lists" / name / "test-ASR-n-best")
        for store in (folds, union):
            assert store.sparse is not None
            assert store.alignment is not None
            assert {feature.partition(":")[0] for feature in store.sparse.names.words()} == {
                "pair",
                "target_bigram",
            }
        perplexity = found["systems"][name]["perplexity"]
        assert list(perplexity) == ["dev", "held_out", "test"]
        assert all(1 < one["perplexity_without_unknown"] < 100 for one in perplexity.values())
    assert found["preset"] == "paper"
    assert 'preset = "paper"' in found["settings"]
    assert saw_sparse == [*[{True}] * 3, *[{False}] * 3] * 4
    primary, post = (found["systems"][name] for name in ("primary", "post-evaluation"))
    assert primary["sampling"]["chosen"] == 150
    assert post["sampling"] is None
    history = json.loads(
        (tmp_path / "ntt" / "post-evaluation" / "work" / "tuning" / "history.json").read_text()
    )
    assert all(step["held_out_score"] is not None for step in history["iterations"])
    outputs = sorted(path.name for path in (tmp_path / "ntt" / "outputs").iterdir())
    assert len(outputs) == 2 * (4 + 2 * 3 + 2 * 3)
    assert all(len(lines(tmp_path / "ntt" / "outputs" / name)) == 20 for name in outputs)
    assert json.loads((tmp_path / "ntt" / "results.json").read_text()) == found
    report = (tmp_path / "ntt" / "report.html").read_text()
    assert "BLEU on the test set (preset paper)" in report
    assert "Gain of rerankers from sparse features, BLEU (preset paper)" in report
    learned = len(saw_sparse)
    assert main(call) == 0  # everything is there
    assert len(saw_sparse) == learned
    out = capsys.readouterr().out
    assert f"{primary['scores'][VOTED[0]]['text']['bleu']:.2f}" in out
    console.set_quiet(False)


def test_the_settings_of_its_systems(task: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns become token types, types keep the templates, and rules of the stopping set are a third row."""
    trained: dict[str, dict[str, Any]] = {}
    monkeypatch.setattr(
        NttExperiment, "_train", lambda self, name, settings: trained.update({name: settings})
    )
    monkeypatch.setattr(NttExperiment, "_system", lambda self, name, trained: {})
    options = read_description(NttOptions, task)
    NttExperiment(options, tmp_path / "usual").run()
    assert list(trained) == ["primary", "post-evaluation"]
    assert all("extra_bitext" not in settings for settings in trained.values())
    given = {**options.train, "source_columns": {"pos": "x"}, "features": {"target_types": ["surface"]}}
    other = replace(options, extra_from="held_out", train=given)
    NttExperiment(other, tmp_path / "slides").run()
    slides = trained["post-evaluation-as-in-the-slides"]
    assert [Path(side).name for side in slides["extra_bitext"][0]] == ["held.src", "held.tgt"]
    assert "extra_bitext" not in trained["post-evaluation"]
    assert slides["features"] == {
        "source_types": ["surface", "class", "prefix", "suffix", "pos"],
        "target_types": ["surface"],
        "templates": list(options.templates),
    }
    assert slides["clean"] == {"patterns": ["[0-9]"]}
    assert slides["source_punctuation"] == "remove"
    assert slides["target_case"] == "keep"
    online = TrainOptions.from_settings(slides).tune.online
    assert online == replace(PAPER, iterations=online.iterations, nbest=20, patience=1)
    NttExperiment(replace(options, preset="best", methods=()), tmp_path / "best").run()
    best = trained["primary"]
    assert best["features"]["source_types"] == ["surface", "class"]
    assert "source_punctuation" not in best
    assert TrainOptions.from_settings(best).tune.online.selection == "hope-fear"


def test_the_presets_choose_their_rerankers(task: Path) -> None:
    options = read_description(NttOptions, task)
    assert replace(options, methods=()).methods == ("voted-perceptron:quality=document,shuffle=no",)
    assert replace(options, methods=(), preset="best").methods == ("voted-perceptron:quality=document",)


def test_unseen_lists_are_made_without_their_sentences(task: Path, tmp_path: Path) -> None:
    corpus = task.parent / "corpus"
    trained = train(
        tmp_path / "system",
        TrainOptions.from_settings(
            {
                "source": corpus / "train.src",
                "target": corpus / "train.tgt",
                "tokenizer": "none",
                "tuner": "none",
                "lm": {"order": 2},
            }
        ),
    )
    seen: list[tuple[set[str], list[str]]] = []

    def translate(system, texts):
        words = set(system.decoder._rules.source_words.words())
        seen.append((words, list(texts)))
        return system.nbest(texts, nbest=2)

    found = unseen_lists(trained, translate, folds=3, sentences=30)
    assert found.store.sentence_ids.tolist() == list(range(30))
    assert [len(texts) for _, texts in seen] == [10, 10, 10]
    assert found.sources == [line for _, texts in seen for line in texts]
    source, target, _ = (lines(path) for path in trained.training_text)
    pairs = set(zip(source, target, strict=True))
    assert set(zip(found.sources, found.targets, strict=True)) <= pairs
    for words, texts in seen:
        kept = {word for line in source if line not in texts for word in line.split()}
        assert words <= kept | {"<unk>"}  # nothing that only the fold has


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("[sets.test]", "[sets.tset]"), "the set 'test' is missing"),
        (("nbest = 12", "nbest = 0"), "nbest must be at least 1, got 0"),
        (("folds = 2", "folds = 1"), "folds must be between 2 and fold_sentences, got 1"),
        (("iterations = 2", "iterationen = 2"), "no option is called 'iterationen'; known are preset"),
        (('references = ["dev.tgt"]', "references = 3"), "sets.dev.references must be a list, got 3"),
        (('lattices = "dev.plf"', ""), "give the output of a recognizer for both dev and test"),
        (("source = ", "source : "), "not a TOML file"),
    ],
)
def test_descriptions_that_cannot_work(tmp_path: Path, change: tuple[str, str], problem: str) -> None:
    (tmp_path / "task.toml").write_text(DESCRIPTION.replace(*change, 1))
    with pytest.raises(DataFormatError, match=problem):
        read_description(NttOptions, tmp_path / "task.toml")
