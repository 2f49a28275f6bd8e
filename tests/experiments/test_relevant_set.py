"""Block systems through the command line: training, and the table of tillmann2006, on invented text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import isogloss
from isogloss.cli import console
from isogloss.cli.main import main
from isogloss.corpus.synthetic.text import write_corpus
from isogloss.experiments.relevant_set import RelevantSetTask, run_relevant_set_experiment
from isogloss.io.config import read_description
from isogloss.io.errors import ConfigError, DataFormatError, StageError
from isogloss.pipeline import train as train_system
from isogloss.tuning.relevant_set import PAPER

DESCRIPTION = """
preset = "best"

[train]
source = "corpus/train.src"
target = "corpus/train.tgt"
dev_source = "corpus/dev.src"
dev_target = ["corpus/dev.tgt.0"]
test_source = "corpus/test.src"
test_target = "corpus/test.tgt.0"
tokenizer = "none"
tune = { iterations = 1, nbest = 10, restarts = 0 }
lm = { order = 2 }

[relevant]
iterations = 3
passes = 4
sentences = 60

[cells.swap-both]
iterations = 5

[experiment]
rows = ["mon-both", "swap-phrase", "swap-both", "mon-both+scores"]
scores = ["lm", "words"]
binary = true
mert = true
"""


@pytest.fixture(autouse=True)
def _not_quiet_afterwards() -> Iterator[None]:
    yield
    console.set_quiet(False)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("blocks")
    write_corpus(folder / "corpus", pairs=400, seed=3, dev=20, test=20)
    return folder


def test_a_block_system(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = place / "corpus"
    (place / "train.toml").write_text(
        "[tune.relevant]\nsentences = 80\nshared_phrase = 2\npasses = 4\n[decoder]\nbeam_size = 10\n"
    )
    call = [
        *("train", place / "system", "--source", corpus / "train.src", "--target", corpus / "train.tgt"),
        *("--dev-source", corpus / "dev.src", "--dev-target", corpus / "dev.tgt.0"),
        *("--test-source", corpus / "test.src", "--test-target", corpus / "test.tgt.0"),
        *("--tokenizer", "none", "--search", "block", "--tuner", "relevant-set", "--iterations", "4"),
        *("--lm-order", "2", "--config", place / "train.toml"),
    ]
    assert main(["--quiet", *map(str, call)]) == 0, capsys.readouterr().err
    history = json.loads((place / "system" / "work" / "tuning" / "history.json").read_text())
    curve = history["iterations"]
    assert curve[-1]["dev_score"] > curve[0]["dev_score"]
    held_out = [step["held_out_score"] for step in curve]
    assert held_out[history["best"] - 1] == max(held_out)
    system = isogloss.load(str(place / "system"))
    assert system.decoder.options.phrase_order == "swap"
    assert system.decoder.options.max_options == 10  # what is usual for blocks stays
    assert system.decoder.options.beam_size == 10
    assert not any(system.weights.values())
    texts = list(system.translate((corpus / "test.src").read_text().splitlines()))
    assert texts == (place / "system" / "test.translation").read_text().splitlines()
    page = (place / "system" / "report.html").read_text()
    assert "best known" in page
    assert "block_orientation:" in page or "block_pair:" in page


def test_rules_that_are_not_significant_are_left_out(place: Path) -> None:
    corpus = place / "corpus"
    settings = {
        "source": corpus / "train.src",
        "target": corpus / "train.tgt",
        "dev_source": corpus / "dev.src",
        "dev_target": [corpus / "dev.tgt.0"],
        "tokenizer": "none",
        "search": "block",
        "method": "none",
    }
    sizes = []
    for significance in ("", "alpha+epsilon"):
        folder = place / f"pruned-{bool(significance)}"
        train_system(str(folder), **settings, significance=significance)
        sizes.append(len(isogloss.load(str(folder)).decoder._rules))
    assert sizes[1] < sizes[0] / 2
    with pytest.raises(StageError, match="no rule is significant"):
        train_system(str(place / "none"), **settings, significance="1000000")
    with pytest.raises(ConfigError, match="significance must be"):
        train_system(str(place / "none"), **settings, significance="very")
    sharing = {**settings, "method": "relevant-set", "tune": {"relevant": {"shared_phrase": 2}}}
    with pytest.raises(ConfigError, match="there is none"):
        train_system(str(place / "none"), **sharing)
    with pytest.raises(ConfigError, match="need the method auto or online-mira or relevant-set"):
        train_system(str(place / "none"), **settings, features={"templates": ["pair"]})


@pytest.mark.slow
def test_the_experiment(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "experiment.toml").write_text(DESCRIPTION)
    call = ["experiment", "relevant-set", "--config", place / "experiment.toml", "--output", place / "out"]
    assert main(["--quiet", *map(str, call), "--json"]) == 0
    results = json.loads(capsys.readouterr().out)
    assert results == json.loads((place / "out" / "results.json").read_text())
    scores = ["mon-both+scores", "swap-both+scores"]
    assert list(results["rows"]) == ["mon-both", "swap-phrase", "swap-both", *scores]
    for name, row in results["rows"].items():
        assert len(row["history"]) == (5 if name == "swap-both" else 3)
        first, last = row["history"][0], row["history"][-1]
        assert row["sentences"] == (20 if name in scores else 60)  # rows with scores learn from dev
        assert last["dev_score"] < last["upper_bound"], name
        if name in scores:
            # The same model, whose search is not the same: estimates of what is to come differ.
            assert row["binary"] == pytest.approx(last["held_out_score"], abs=2)
            assert 0 < row["tuned"] < 100  # perhaps that of the start, if tuning finds no better
        else:
            assert first["dev_score"] < last["dev_score"], name
            assert row["binary"] is None
            assert row["tuned"] is None
        assert 0 < row["untrained"]["train"] < last["upper_bound"]
        assert 0 <= row["untrained"]["test"] < 100
    assert len(list((place / "out" / "folds").iterdir())) == 10
    bounds = [results["rows"][name]["history"][-1]["upper_bound"] for name in ("mon-both", "swap-both")]
    assert bounds[0] < bounds[1]
    assert results["mert"]["test"] > 0
    outputs = [path.name for path in (place / "out" / "outputs").iterdir()]
    kinds = {"binary": scores, "tuned": scores, "untrained": results["rows"], "learned": results["rows"]}
    assert sorted(outputs) == sorted(f"{row}.{kind}" for kind, rows in kinds.items() for row in rows)
    page = (place / "out" / "report.html").read_text()
    assert page.count("<svg") == 5
    # What is done is not done again.
    assert main(["--quiet", *map(str, call)]) == 0
    out = capsys.readouterr().out
    assert "best BLEU" in out
    assert "both+scores as binary features" in out
    assert "both+scores, tuned start" in out
    assert f"{results['rows']['swap-both']['history'][-1]['held_out_score']:.2f}" in out


def test_the_preset_paper_is_the_letter_of_the_paper(place: Path) -> None:
    task = read_description(RelevantSetTask, _paper(place))
    assert task.preset == "paper"
    own = task.relevant
    assert (own.parts, own.selection, own.average, own.min_count, own.iterations) == (1, "top", False, 2, 3)
    assert (own.folds, own.bags) == (0, True)
    assert PAPER.iterations == 30
    (place / "strange.toml").write_text(DESCRIPTION.replace('"best"', '"worst"'))
    with pytest.raises(DataFormatError, match="preset must be one of paper, best, got 'worst'"):
        read_description(RelevantSetTask, place / "strange.toml")


def test_a_row_of_its_own_differs_from_the_others_only_where_it_says_so(place: Path) -> None:
    (place / "own.toml").write_text(DESCRIPTION.replace("[train]\n", '[train]\ntuner = "mert"\n'))
    task = read_description(RelevantSetTask, place / "own.toml")
    own = task.options_of("swap-both")
    assert (own.iterations, own.passes, own.sentences) == (5, 4, 60)
    assert task.options_of("mon-both") == task.relevant
    assert (task.train.search, task.train.method) == ("block", "none")
    assert Path(task.train.source) == place / "corpus/train.src"
    scores = task.options_of("swap-both+scores")
    assert scores.real_features == ("lm", "words")
    assert (scores.iterations, scores.passes, scores.sentences) == (3, 4, 60)  # of [relevant]
    assert (scores.selection, scores.regularization, scores.folds) == ("nbest", 0.05, 0)  # of the preset
    assert read_description(RelevantSetTask, _paper(place)).options_of("swap-both+scores").selection == "top"


def _paper(place: Path) -> Path:
    (place / "paper.toml").write_text(DESCRIPTION.replace('preset = "best"\n', ""))
    return place / "paper.toml"


def test_only_sentences_that_share_phrases_are_learned_from(place: Path, tmp_path: Path) -> None:
    test = (place / "corpus" / "test.src").read_text().splitlines()[0]
    (tmp_path / "one.src").write_text(test + "\n")
    (tmp_path / "one.tgt").write_text((place / "corpus" / "test.tgt.0").read_text().splitlines()[0] + "\n")
    settings = {
        "train": {
            "source": str(place / "corpus" / "train.src"),
            "target": str(place / "corpus" / "train.tgt"),
            "test_source": str(tmp_path / "one.src"),
            "test_target": [str(tmp_path / "one.tgt")],
            "tokenizer": "none",
            "lm": {"order": 2},
        },
        "relevant": {"iterations": 1, "passes": 1, "shared_phrase": 3},
        "experiment": {"rows": ["mon-phrase"]},
    }
    done = run_relevant_set_experiment(RelevantSetTask.from_settings(settings), tmp_path / "out")
    lines = (tmp_path / "out" / "models" / "work" / "tokens" / "source").read_text().splitlines()
    sharing = [line for line in lines if set(_triples(line)) & set(_triples(test))]
    assert 0 < len(sharing) < len(lines)
    assert done.values["rows"]["mon-phrase"]["sentences"] == len(sharing)


def _triples(line: str) -> list[tuple[str, ...]]:
    words = line.split()
    return [tuple(words[at : at + 3]) for at in range(len(words) - 2)]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[cells.swap-both]", "[cells.swap-all]", "no row is called 'swap-all'"),
        ("[relevant]", "[relevance]", "no option is called 'relevance'; did you mean relevant?"),
        ("passes = 4", "passings = 4", "no option is called 'passings'"),
        ('scores = ["lm", "words"]', "", "name the dense features of rows with scores"),
        ("mert = true", "mart = true", "no option is called 'mart' in [experiment]"),
        ("[relevant]\n", "relevant = 3\n[x]\n", "no option is called 'x'"),
        ("iterations = 3", "iterations = 0", "relevant.iterations must be at least 1"),
        ("test_source", "# test_source", "must be given together"),
    ],
)
def test_descriptions_that_make_no_sense(
    old: str, new: str, message: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "wrong.toml").write_text(DESCRIPTION.replace(old, new))
    call = ["experiment", "relevant-set", "--config", place / "wrong.toml", "--output", place / "wrong"]
    assert main(["--quiet", *map(str, call)]) == 2
    assert message in capsys.readouterr().err
