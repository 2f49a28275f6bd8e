"""``isogloss tune-nbest`` on good files and bad ones: results, messages, and that nothing bad is written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import isogloss
from isogloss.cli.main import main
from isogloss.decoder.weights import read_weights
from isogloss.io.errors import TrainingError
from isogloss.learn import Learned, Problem
from isogloss.learn.nbest_tuning import tune_problem
from isogloss.metric import References
from isogloss.nbest import read_nbest, write_nbest
from support.learn_problems import bleu_problem

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two lists with references: dev and test."""
    folder = tmp_path_factory.mktemp("lists")
    for name, seed in (("dev", 1), ("test", 2)):
        problem = bleu_problem(seed=seed)
        write_nbest(problem.store, folder / f"{name}.nbest", format="moses")
        rows = problem.choose(problem.sentence_scores())
        (folder / f"{name}.ref").write_text(
            "".join(f"{text}\n" for text in problem.store.texts(rows.tolist()))
        )
    return folder


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], lists: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(lists)

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(["--quiet", "tune-nbest", *arguments])
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.mark.parametrize("method", ["mert", "batch-mira", "pro"])
def test_weights_are_written_and_reported(run: Run, method: str, tmp_path: Path) -> None:
    runs = "1" if method == "pro" else "2"
    options = {
        "mert": ["--restarts", "2"],
        "batch-mira": ["--iterations", "5"],
        "pro": ["--regularization", "2"],
    }
    arguments = ["dev.nbest", "--reference", "dev.ref", "--method", method, "--runs", runs, *options[method]]
    code, out, err = run(*arguments, "--output", str(tmp_path / "weights"), "--json")
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert result["weights"] == read_weights(tmp_path / "weights")
    assert result["score"] > result["start_score"]
    assert (result["deviation"] is None) == (method == "pro")
    assert [one["seed"] for one in result["runs"]] == list(range(1, 1 + int(runs)))
    assert result["score"] == max(one["score"] for one in result["runs"])


def test_the_table_and_held_out_data(run: Run) -> None:
    held_out = ["--held-out", "test.nbest", "--held-out-reference", "test.ref"]
    code, out, _ = run("dev.nbest", "--reference", "dev.ref", "--method", "batch-mira", *held_out)
    assert code == 0
    words = out.split()
    assert words[:2] == ["BLEU", "before"]
    assert "held" in words
    assert "Missing" in words


def test_start_weights_and_constraints(run: Run, tmp_path: Path) -> None:
    start = tmp_path / "start"
    start.write_text("Missing\t0.5\nDoubled\t0.5\nOrder\t0.5\nChoice\t0.5\nLength\t0\n")
    code, out, _ = run(
        *("dev.nbest", "--reference", "dev.ref", "--restarts", "1", "--start", str(start), "--json"),
        *("--freeze", "Missing", "--bound", "Order=0.4:0.6", "--prior", "Choice=0.7:1e9"),
    )
    assert code == 0
    weights = json.loads(out)["weights"]
    assert weights["Missing"] == 0.5
    assert 0.4 <= weights["Order"] <= 0.6
    assert weights["Choice"] == pytest.approx(0.7, abs=1e-3)


def test_constraints_in_a_file(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "tune.toml"
    config.write_text("[mert]\nrestarts = 1\n[constraints]\nbounds = { Order = [0.4, 0.6] }\n")
    start = tmp_path / "start"
    start.write_text("Missing\t0.5\nDoubled\t0.5\nOrder\t0.5\nChoice\t0.5\nLength\t0\n")
    call = ["dev.nbest", "--reference", "dev.ref", "--initial-weights", str(start), "--config", str(config)]
    code, out, _ = run(*call, "--json")
    assert code == 0
    assert 0.4 <= json.loads(out)["weights"]["Order"] <= 0.6
    config.write_text("[constraints]\nbounds = { Order = [0.4] }\n")
    code, _, err = run(*call)
    assert code == 2
    assert "the bounds of 'Order' must be two numbers, got 1" in err


def test_a_given_quality_and_other_metrics(run: Run, lists: Path) -> None:
    problem = bleu_problem()
    (lists / "quality").write_text("".join(f"{value}\n" for value in problem.sentence_scores()))
    code, out, _ = run("dev.nbest", "--quality", "quality", "--restarts", "1", "--json")
    assert (code, json.loads(out)["metric"]) == (0, "quality")
    for metric in ("nist", "chrf", "ter"):
        code, out, _ = run(
            *("dev.nbest", "--reference", "dev.ref", "--metric", metric, "--restarts", "1", "--json")
        )
        result = json.loads(out)
        better = (
            result["score"] < result["start_score"]
            if metric == "ter"
            else result["score"] > result["start_score"]
        )
        assert (code, better) == (0, True)


def test_options_of_methods_and_their_old_names(lists: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["tune-nbest", str(lists / "dev.nbest"), "--reference", str(lists / "dev.ref"), "--json"]
    found = []
    for words in (
        ["--method", "batch-mira:iterations=3"],
        ["--method", "batch-mira", "--batch-mira.iterations", "3"],
        ["--method", "batch-mira", "--set", "batch_mira.iterations=3"],
        ["--method", "kbmira", "--iterations", "3"],
    ):
        assert main([*call, *words]) == 0
        captured = capsys.readouterr()
        found.append(json.loads(captured.out)["weights"])
    assert found == [found[0]] * 4
    assert "--iterations is now called --batch-mira.iterations" in captured.err
    assert "'kbmira' is now called 'batch-mira'" in captured.err


BAD = {
    "missing reference": (
        ["dev.nbest"],
        "give either references (--reference, one or several) or the quality of every candidate (--quality)",
    ),
    "too few references": (["dev.nbest", "--reference", "short"], "references for 3 sentences only"),
    "unequal references": (
        ["dev.nbest", "--reference", "dev.ref", "--reference", "short"],
        "3 lines found, but dev.ref has 60",
    ),
    "empty references": (["dev.nbest", "--reference", "empty"], "the file has no lines"),
    "empty lines": (["dev.nbest", "--reference", "blank"], "blank:1: the line is empty"),
    "not the references": (["dev.nbest", "--reference", "foreign"], "are these the right references?"),
    "far too long": (["dev.nbest", "--reference", "long"], "times as long as the references"),
    "nan": (["nan.nbest", "--reference", "dev.ref"], "nan.nbest:1"),
    "no features": (["bare.nbest", "--reference", "dev.ref"], "no features"),
    "one candidate each": (["single.nbest", "--reference", "dev.ref"], "equally good"),
    "constant features": (["constant.nbest", "--reference", "dev.ref"], "no feature differs"),
    "only empty output": (["void.nbest", "--reference", "dev.ref"], "equally good"),
    "method": (["dev.nbest", "--reference", "dev.ref", "--method", "mart"], "no method is called 'mart'"),
    "option of another method": (
        ["dev.nbest", "--reference", "dev.ref", "--method", "pro", "--restarts", "3"],
        "the method 'pro' does not use the options of mert: leave them out",
    ),
    "metric": (
        ["dev.nbest", "--reference", "dev.ref", "--metric", "wer"],
        "--metric must be one of bleu, nist, chrf, ter, got 'wer'",
    ),
    "bound": (
        ["dev.nbest", "--reference", "dev.ref", "--bound", "LM"],
        "--bound takes NAME=NUMBER:NUMBER, got 'LM'",
    ),
    "freeze": (["dev.nbest", "--reference", "dev.ref", "--freeze", "LM"], "no dense feature is called LM"),
    "start": (["dev.nbest", "--reference", "dev.ref", "--start", "weights.bad"], "no start weight for"),
    "runs": (["dev.nbest", "--reference", "dev.ref", "--runs", "0"], "--runs must be at least 1"),
    "held out": (["dev.nbest", "--reference", "dev.ref", "--held-out", "x"], "--held-out-reference"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_explained_and_nothing_is_written(
    run: Run, lists: Path, tmp_path: Path, case: str
) -> None:
    files = {
        "short": "a b\n" * 3,
        "empty": "",
        "blank": "\n" * 60,
        "foreign": "x y z q\n" * 60,
        "long": "the " * 200 + "cat\n" + ("the " * 200 + "cat\n") * 59,
        "nan.nbest": "0 ||| a ||| LM= nan ||| 1\n",
        "bare.nbest": "0 ||| the cat ||| ||| 1\n0 ||| the dog ||| ||| 2\n",
        "single.nbest": "0 ||| the cat ||| LM= 1 ||| 1\n1 ||| the dog ||| LM= 2 ||| 2\n",
        "constant.nbest": "0 ||| the cat ||| LM= 1 ||| 1\n0 ||| old moon dog sat ||| LM= 1 ||| 2\n",
        "void.nbest": "0 |||  ||| LM= 1 ||| 1\n0 |||  ||| LM= 2 ||| 2\n",
        "weights.bad": "Missing\t1\n",
    }
    for name, text in files.items():
        (lists / name).write_text(text)
    arguments, message = BAD[case]
    output = tmp_path / "weights"
    code, _, err = run(*arguments, "--output", str(output))
    assert (code, output.exists()) == (2, False), err
    assert message in " ".join(err.split())


def test_one_sentence_and_constant_columns_are_warned_about(run: Run, lists: Path) -> None:
    (lists / "one.nbest").write_text(
        "0 ||| the cat sat on a mat ||| LM= -3 K= 1 ||| -3\n0 ||| a a a ||| LM= -1 K= 1 ||| -1\n"
    )
    (lists / "one.ref").write_text("the cat sat on a mat\n")
    code, out, err = run("one.nbest", "--reference", "one.ref", "--json")
    assert code == 0
    assert "1 sentence to learn from" in err
    assert "decide nothing: K" in err
    assert json.loads(out)["score"] == pytest.approx(100)


class Diverging:
    """A learner that gives what it is told to."""

    def __init__(self, weights: dict[str, float]) -> None:
        self.weights = weights

    def learn(self, problem: Problem, start: object, **_: object) -> Learned:
        return Learned(weights=self.weights, score=0.0)


@pytest.mark.parametrize(
    ("weight", "message"),
    [(0.0, "all weights are zero"), (float("nan"), "became nan"), (1e12, "grew to 1e\\+12")],
)
def test_degenerate_weights_are_never_returned(weight: float, message: str) -> None:
    problem = bleu_problem(sentences=5)
    with pytest.raises(TrainingError, match=message):
        tune_problem(problem, Diverging(dict.fromkeys(problem.dense_names, weight)))


@pytest.mark.parametrize(
    ("weight", "message"), [(1.0, "BLEU of the chosen translations is 0"), (-1.0, "only empty translations")]
)
def test_useless_output_is_refused(lists: Path, weight: float, message: str) -> None:
    (lists / "useless.nbest").write_text(
        "0 ||| x y ||| LM= 1 |||\n0 ||| a b ||| LM= 0 |||\n0 ||| ||| LM= -1 |||\n"
    )
    problem = Problem.of(read_nbest(lists / "useless.nbest"), References([["a b c d"]]))
    with pytest.raises(TrainingError, match=message):
        tune_problem(problem, Diverging({"LM": weight}))


def test_the_python_call(lists: Path) -> None:
    tuned = isogloss.tune_nbest(lists / "dev.nbest", [lists / "dev.ref"], method="batch-mira", runs=2)
    assert tuned.score > tuned.start_score
    assert len(tuned.runs) == 2
