"""Reranking from the command line: train, apply, sweep, experiment."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

import isogloss
from isogloss.cli import console
from isogloss.cli.main import main
from isogloss.experiments.reranking import METHODS
from isogloss.learn.ordinal import OrdinalRegression
from isogloss.learn.registry import make_learner
from isogloss.learn.splitting import Splitting
from isogloss.nbest import read_nbest, write_nbest
from isogloss.nbest.synthetic import make_nbest
from support.rerank_lists import sentences


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    for name, seed in (("dev", 1), ("test", 2)):
        lines = sentences(40, seed)
        (tmp_path / f"{name}.en").write_text("\n".join(lines) + "\n")
        (tmp_path / f"{name}.de").write_text("\n".join(line.upper() for line in lines) + "\n")
        store = make_nbest([line.split() for line in lines], candidates=8, seed=seed)
        write_nbest(store, f"{name}.nbest", format="moses")
    yield
    console.set_quiet(False)


TRAIN = ["rerank", "train", "dev.nbest", "--source", "dev.de", "--reference", "dev.en", "--output", "model"]


def error_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 2
    return capsys.readouterr().err


def bleu_of(capsys: pytest.CaptureFixture[str], file: str) -> float:
    capsys.readouterr()
    assert main(["evaluate", file, "--reference", "test.en", "--tokenize", "none", "--json"]) == 0
    return json.loads(capsys.readouterr().out)["systems"][0]["scores"][0]["score"]


def test_train_and_apply(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            [
                *TRAIN,
                "--features",
                "lengths:label=L",
                "--features",
                "consensus popularity",
                "--html",
                "page.html",
            ]
        )
        == 0
    )
    out = capsys.readouterr().out
    assert "Consensus4" in out
    assert "BLEU of what was learned from: decoder" in out
    assert "<h1>A reranker learned by expected-bleu</h1>" in Path("page.html").read_text()
    assert main(["rerank", "apply", "model", "test.nbest", "--source", "test.de", "--output", "out.en"]) == 0
    assert len(Path("out.en").read_text().splitlines()) == 40
    first = read_nbest("test.nbest")
    Path("first.en").write_text("\n".join(first.texts(first.sentence_offsets[:-1].tolist())) + "\n")
    assert bleu_of(capsys, "out.en") > bleu_of(capsys, "first.en") + 5
    apply = ["rerank", "apply", "model", "test.nbest", "--source", "test.de"]
    assert main([*apply, "--to", "jsonl", "--output", "list.jsonl"]) == 0
    reordered = read_nbest("list.jsonl")
    best = list(reordered.texts(reordered.sentence_offsets[:-1].tolist()))
    assert best == Path("out.en").read_text().splitlines()


def test_models_of_all_metrics_and_a_given_quality(capsys: pytest.CaptureFixture[str]) -> None:
    for metric in ("chrf", "ter", "nist"):
        assert main(["--quiet", *TRAIN, "--metric", metric, "--force", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        better = found["score"] - found["decoder"]
        assert better < 0 if metric == "ter" else better > 0
    store = read_nbest("dev.nbest")
    Path("quality").write_text("\n".join(map(str, store.dense[:, 0])) + "\n")
    quality = ["rerank", "train", "dev.nbest", "--quality", "quality", "--output", "model"]
    assert main(["--quiet", *quality, "--method", "splitting:iterations=5", "--force", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert max(found["weights"], key=found["weights"].get) == "Missing"
    assert (
        found["curve"][-1]["log_loss"] is None or found["curve"][-1]["log_loss"] < found["curve"][0]["loss"]
    )


def test_sweep_prints_a_table_and_writes_curves(capsys: pytest.CaptureFixture[str]) -> None:
    sweep = ["--quiet", "rerank", "sweep", "dev.nbest", "--source", "dev.de", "--reference", "dev.en"]
    sweep += [
        "--method",
        "splitting:iterations=4",
        "--method",
        "expected",
        "--features",
        "popularity lengths:label=L",
    ]
    assert main([*sweep, "--curves", "curves.html"]) == 0
    out = capsys.readouterr().out
    assert out.count("splitting:iterations=4") == 2
    assert "decoder's choice" in out
    page = Path("curves.html").read_text()
    assert page.count("<svg") == 6  # each method with each set, and all methods with each set
    assert "log loss" in page
    assert "brevity" in page
    assert main([*sweep, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["rows"]) == 4
    assert len(found["curves"][0]["points"]) == 4


def test_the_experiment_has_the_shape_of_the_papers_tables(capsys: pytest.CaptureFixture[str]) -> None:
    Path("e.toml").write_text(
        'preset = "best"\nlist = "dev.nbest"\nsource = "dev.de"\nreferences = ["dev.en"]\n'
        'test_list = "test.nbest"\ntest_source = "test.de"\ntest_references = ["test.en"]\n'
        'features = ["lengths:label=L", "popularity", "brackets"]\n'
        'methods = ["splitting:iterations=3", "expected"]\nfolds = 2\nbest_count = 2\n'
    )
    assert main(["--quiet", "experiment", "reranking", "--config", "e.toml", "--output", "out"]) == 0
    out = capsys.readouterr().out
    assert "each feature alone, BLEU (preset best)" in out
    results = json.loads(Path("out/results.json").read_text())
    assert [row["features"] for row in results["singles"]] == [
        "baseline",
        "lengths:label=L",
        "popularity",
        "brackets",
    ]
    assert list(results["sets"]) == ["baseline", "best", "top", "large", "selected"]
    assert len(results["rows"]) == len(results["tests"]) == 10
    assert all(point["test"] is not None for curve in results["curves"] for point in curve["points"])
    page = Path("out/report.html").read_text()
    # One for each method and set of features, and one with all methods for each of the five sets.
    assert len(results["curves"]) == 10
    assert page.count("<svg") == 15
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")


def test_mistakes_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    train = ["rerank", "train", "dev.nbest", "--output", "model"]
    either = (
        "give either references (--reference, one or several) or the quality of every candidate (--quality)"
    )
    assert either in error_of(capsys, *train)
    Path("quality").write_text("1\n" * 320)
    assert either in error_of(capsys, *train, "--reference", "dev.en", "--quality", "quality")
    assert "needs the source text: give source= (--source)" in error_of(
        capsys, *train, "--reference", "dev.en", "--features", "lengths"
    )
    assert "no method is called 'magic'" in error_of(capsys, *TRAIN, "--method", "magic")
    assert "KEY=VALUE is expected" in error_of(capsys, *TRAIN, "--method", "voted:5")
    assert not Path("model").exists()
    Path("nan.nbest").write_text("0 ||| a b ||| LM= nan ||| -1\n")
    assert "nan" in error_of(
        capsys, "rerank", "train", "nan.nbest", "--reference", "dev.en", "--output", "model"
    )
    assert main(TRAIN) == 0
    capsys.readouterr()
    Path("other.nbest").write_text("0 ||| a b ||| Missing= 1 LM= 2 ||| -1\n")
    message = error_of(capsys, "rerank", "apply", "model", "other.nbest")
    assert (
        "the list lacks Doubled, Order, Choice, Length; the list has LM, which the model never saw" in message
    )
    assert "holds a stored 'reranker'" in error_of(capsys, "nbest", "info", "model")
    Path("e.toml").write_text("list = 3\n")
    assert "e.toml: list must be text, got 3" in error_of(
        capsys, "experiment", "reranking", "--config", "e.toml", "--output", "out"
    )
    Path("e.toml").write_text("bogus = 3\n")
    assert "e.toml: no option is called 'bogus'; 'isogloss options' lists them all" in error_of(
        capsys, "experiment", "reranking", "--config", "e.toml", "--output", "out"
    )
    Path("e.toml").write_text('list = "dev.nbest"\nreferences = ["dev.en"]\nfeatures = ["popularity"]\n')
    call = ["experiment", "reranking", "--config", "e.toml", "--output", "dev.en"]
    assert "dev.en: File exists; give a folder for the results" in error_of(capsys, *call)
    Path("e.toml").write_text(
        'list = "dev.nbest"\nreferences = ["dev.en"]\nfeatures = ["agreement:dev.nbest"]\n'
        'test_list = "test.nbest"\ntest_references = ["test.en"]\n'
    )
    call = ["experiment", "reranking", "--config", "e.toml", "--output", "out"]
    assert "'agreement:dev.nbest' belongs to the development list" in error_of(capsys, *call)
    Path("e.toml").write_text("list = \n")
    assert "not a TOML file" in error_of(capsys, *call)
    Path("e.toml").write_text('list = "dev.nbest"\nreferences = ["dev.en"]\nfeatures = []\n')
    assert "e.toml: features must name at least one feature" in error_of(capsys, *call)
    assert "error: folds must be at least 2, got 1" in error_of(capsys, *call, "--set", "folds=1")
    assert "--config is missing" in error_of(capsys, "experiment", "reranking", "--output", "out")
    assert "--output is missing" in error_of(capsys, "experiment", "reranking", "--config", "e.toml")


def test_sentences_without_candidates_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        line for line in Path("dev.nbest").read_text().splitlines() if not line.startswith(("3 ", "39 "))
    ]
    Path("gaps.nbest").write_text("\n".join(lines) + "\n")
    assert main(["rerank", "train", "gaps.nbest", "--reference", "dev.en", "--output", "model"]) == 0
    assert "2 of 40 sentences have no candidates; they play no part" in capsys.readouterr().err
    assert main(["rerank", "apply", "model", "gaps.nbest", "--source", "dev.de"]) == 0
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 40
    assert captured.out.splitlines()[3] == captured.out.splitlines()[39] == ""
    assert "2 sentences have no candidates; their lines are empty" in captured.err


def test_mbr_needs_no_training(capsys: pytest.CaptureFixture[str]) -> None:
    Path("samples").write_text("0 ||| a dog\n0 ||| a big dog\n0 ||| a big cat\n2 ||| yes\n")
    assert main(["rerank", "mbr", "samples", "--utility", "chrf", "--scale", "0"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "a big dog\n\nyes\n"
    assert "warning: 1 sentences have no candidates; their lines are empty" in captured.err
    mbr = ["rerank", "mbr", "test.nbest", "--scale", "0.5", "--pseudo-references", "3", "--to", "jsonl"]
    assert main(["--quiet", *mbr, "--output", "list.jsonl"]) == 0
    expected = isogloss.mbr("test.nbest", scale=0.5, references=3)
    assert list(read_nbest("list.jsonl").texts()) == expected.texts()
    assert "--pseudo-references must be at least 0, got -1" in error_of(capsys, *mbr[:-3], "-1")


def test_what_a_list_lacks_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Path("dev.nbest").read_text().splitlines()
    lines[3] = lines[3].replace("Length= ", "Other= ")
    Path("dev.nbest").write_text("\n".join(lines) + "\n")
    said = "warning: dev.nbest: feature 'Length' is missing on 1 of 320 candidates; it counts as 0 there"
    for call in (
        TRAIN,
        ["rerank", "apply", "model", "dev.nbest"],
        ["rerank", "mbr", "dev.nbest"],
        ["rerank", "sweep", "dev.nbest", "--reference", "dev.en", "--folds", "2"],
        ["tune-nbest", "dev.nbest", "--reference", "dev.en", "--method", "pro:draws=1"],
    ):
        assert main(["--quiet", *call]) == 0
        assert capsys.readouterr().err.count(said) == 1, call


def test_options_inside_others_and_files_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    Path("train.toml").write_text('method = "mert:restarts=1"\ndecision = "mbr"\n[mbr]\nutility = "chrf"\n')
    assert main(["--quiet", *TRAIN, "--config", "train.toml", "--set", "mbr.scales=[1, 2]", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["decision"] == "mbr"
    assert main([*TRAIN, "--method", "voted", "--held-out-share", "0.2", "--no-scale", "--force"]) == 0
    assert "'voted' is now called 'voted-perceptron'" in capsys.readouterr().err
    for wrong, message in (
        (["--held-out-share", "1"], "--held-out-share must be at least 0 and below 1, got 1.0"),
        (["--start", "here"], "--start must be one of zero, decoder, got 'here'"),
        (["--set", "mbr.scales=0"], "--mbr.scales must be above 0, got 0"),
    ):
        assert message in error_of(capsys, *TRAIN, *wrong)


def test_a_reranker_that_is_worse_is_stored_only_by_force(capsys: pytest.CaptureFixture[str]) -> None:
    ordered = read_nbest("dev.nbest")
    Path("noise").write_text("".join(f"{(7919 * row) % 1009}\n" for row in range(ordered.num_candidates)))
    write_nbest(ordered, "plain.jsonl", format="jsonl")
    train = [*TRAIN, "--columns", "Length", "--features", "column:noise"]
    assert "worse than the order of the list" in error_of(capsys, "--quiet", *train)
    assert not Path("model").exists()
    assert main(["--quiet", *train, "--force"]) == 0
    assert "warning: the reranker is worse" in capsys.readouterr().err


def test_explain_and_ablate(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--quiet", *TRAIN, "--features", "lengths:label=L"]) == 0
    capsys.readouterr()
    explain = ["--quiet", "rerank", "explain", "model", "test.nbest", "--source", "test.de"]
    explain += ["--reference", "test.en", "--html", "page.html"]
    assert main([*explain, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    changed = found["changed"]
    assert found["sentences"] == 40
    assert 0 < len(changed) <= 40
    assert [abs(one["difference"]) for one in changed] == sorted(
        (abs(one["difference"]) for one in changed), reverse=True
    )
    # The reranker prefers its own choice by the sum of the reasons.
    assert all(sum(one["reasons"].values()) > 0 for one in changed)
    page = re.sub("</?(ins|del)>", "", Path("page.html").read_text())
    assert all(text in page for text in (changed[0]["before"], changed[0]["after"], changed[0]["reference"]))
    assert main([*explain, "--most", "1"]) == 0
    printed = capsys.readouterr().out
    better = sum(one["difference"] > 0 for one in changed)
    assert printed.startswith(f"sentence {changed[0]['sentence'] + 1}, ")
    assert f"sentence {changed[0]['sentence'] + 1}, " in page
    assert f"{len(changed)} of 40 sentences changed; {better} better, " in printed
    # The scores of the whole list are those that 'evaluate' gives to the chosen lines.
    assert (
        main(["--quiet", "rerank", "apply", "model", "test.nbest", "--source", "test.de", "-o", "out"]) == 0
    )
    evaluate = ["--quiet", "evaluate", "out", "--reference", "test.en", "--tokenize", "none", "--json"]
    assert main(evaluate) == 0
    scored = json.loads(capsys.readouterr().out)
    words = sum(len(line.split()) for line in Path("out").read_text().splitlines())
    expected = sum(len(line.split()) for line in Path("test.en").read_text().splitlines())
    assert found["after"]["length_ratio"] == pytest.approx(words / expected)
    assert f"after {found['after']['score']:.2f} (length {words / expected:.3f}, brevity" in printed
    assert found["after"]["score"] == pytest.approx(scored["systems"][0]["scores"][0]["score"], abs=0.01)
    ablate = ["--quiet", "rerank", "ablate", "dev.nbest", "--reference", "dev.en", "--folds", "2", "--json"]
    assert main(ablate) == 0
    table = json.loads(capsys.readouterr().out)
    assert {row["feature"] for row in table["rows"]} == {*read_nbest("dev.nbest").dense_names, "Score"}
    assert [row["loss"] for row in table["rows"]] == sorted(
        (row["loss"] for row in table["rows"]), reverse=True
    )
    assert all(abs(table["score"] - row["score"] - row["loss"]) < 1e-9 for row in table["rows"])
    assert all(0.5 < row["length_ratio"] < 1.5 for row in [table, *table["rows"]])
    assert main(ablate[:-1]) == 0
    head = capsys.readouterr().out.splitlines()[1]
    assert head.split() == ["without", "weight", "score", "loss", "length", "brevity"]


def test_file_names_in_a_toml_file_are_relative_to_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("terms.tsv").write_text("HOUSE\thouse\n", "utf-8")
    Path("options.toml").write_text('features = ["terms:terms.tsv,label=T"]\n', "utf-8")
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    files = ["--source", "../dev.de", "--reference", "../dev.en", "--output", "../model"]
    train = ["--quiet", "rerank", "train", "../dev.nbest", *files, "--config", "../options.toml", "--force"]
    assert main(train) == 0
    assert isogloss.Reranker.load("../model").feature_names[-1] == "T"


def test_the_experiment_checks_all_features_first_and_keeps_what_it_found(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = 'list = "dev.nbest"\nreferences = ["dev.en"]\nmethods = ["expected-bleu"]\nfolds = 2\n'
    Path("e.toml").write_text(lines + 'features = ["popularity", "lm:missing.arpa"]\n')
    experiment = ["--quiet", "experiment", "reranking", "--config", "e.toml", "--output", "out"]
    assert "missing.arpa" in error_of(capsys, *experiment)
    assert not Path("out/rows").exists()
    Path("e.toml").write_text(lines + 'features = ["popularity"]\n')

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr("isogloss.experiments.reranking._made_sets", fail)
        assert main(experiment) != 0
    stored = [json.loads(path.read_text()) for path in Path("out/rows").iterdir()]
    assert sorted(one["row"]["features"] for one in stored) == ["baseline", "popularity"]
    assert 0.5 < stored[0]["row"]["length_ratio"] < 1.5
    assert main(experiment) == 0
    results = json.loads(Path("out/results.json").read_text())
    # Nothing is computed twice, also if another feature is added later.
    monkeypatch.setattr("isogloss.experiments.reranking.train_model", fail)
    again = [*experiment, "--set", 'features=["popularity"]']
    monkeypatch.setattr("isogloss.experiments.reranking.compare", fail)
    assert main(again) == 0
    assert json.loads(Path("out/results.json").read_text()) == results
    capsys.readouterr()


def test_the_preset_paper_runs_the_letter_of_the_paper(capsys: pytest.CaptureFixture[str]) -> None:
    paper = METHODS["paper"]
    splitting, ordinal = make_learner(paper[1]), make_learner(paper[2])
    assert isinstance(splitting, Splitting)
    assert isinstance(ordinal, OrdinalRegression)
    assert (splitting.iterations, splitting.good, splitting.bad, splitting.average) == (
        10000,
        300,
        300,
        False,
    )
    assert (ordinal.iterations, ordinal.ratio, ordinal.gap, ordinal.average) == (10000, 2, 20, False)
    words = [line.split(" ||| ")[1].split() for line in Path("dev.nbest").read_text().splitlines()]
    test_words = [line.split(" ||| ")[1].split() for line in Path("test.nbest").read_text().splitlines()]
    for name, lines in (("dev.pos", words), ("test.pos", test_words)):
        Path(name).write_text("".join(" ".join("NV"[len(word) % 2] for word in one) + "\n" for one in lines))
    Path("pos.txt").write_text("N V\nV N N\nN V V\n" * 5)
    assert main(["--quiet", "lm", "build", "pos.txt", "--order", "2", "--binary", "pos"]) == 0
    task = (
        'list = "dev.nbest"\nreferences = ["dev.en"]\ntest_list = "test.nbest"\n'
        'test_references = ["test.en"]\nfeatures = ["popularity", "brackets", "factor-lm:pos,tags=dev.pos"]\n'
        'methods = ["mert:restarts=0", "splitting:iterations=30,good=3,bad=3,average=no"]\nfolds = 2\n'
        'single_method = "mert:restarts=0"\nmade_sets = ["best"]\n[sets]\nmine = ["popularity"]\n'
    )
    Path("e.toml").write_text(task)
    call = ["--quiet", "experiment", "reranking", "--config", "e.toml", "--output", "out"]
    assert "give test_tags too" in error_of(capsys, *call[1:])
    Path("e.toml").write_text('test_tags = ["test.pos"]\n' + task)
    assert main(call) == 0
    assert "methods and sets, BLEU (preset paper)" in capsys.readouterr().out
    results = json.loads(Path("out/results.json").read_text())
    tagged = results["sets"]["best"][1]
    assert results["sets"] == {"best": ["brackets", tagged], "mine": ["popularity"]}
    assert tagged.startswith("factor-lm:")
    assert results["rows"] == []  # trained once, as in the paper
    assert len(results["tests"]) == 4
    (curve,) = (one for one in results["curves"] if (one["method"][:5], one["features"]) == ("split", "mine"))
    (score,) = (t for t in results["tests"] if (t["method"][:5], t["features"]) == ("split", "mine"))
    assert curve["points"][-1]["test"] == pytest.approx(score["score"])  # the last weights, not the best
    settings = tomllib.loads(results["settings"])
    assert (settings["preset"], settings["sets"]) == ("paper", {"mine": ["popularity"]})
