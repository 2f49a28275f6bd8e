"""Training from text to a system: what it leaves, what it does again, and that nothing else changes it."""

from __future__ import annotations

import io
import json
import random
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

import isogloss
from isogloss.cli import console
from isogloss.cli.main import main
from isogloss.corpus.synthetic.text import write_corpus
from isogloss.grammar.table import RuleTable
from isogloss.io.errors import ConfigError
from isogloss.pipeline import TrainOptions
from isogloss.pipeline import train as train_system
from isogloss.pipeline.text_stages import set_aside

T = TypeVar("T")
Run = Callable[..., tuple[int, str, str]]


class Killed(BaseException):
    """As sudden as a signal: nothing in the package catches it."""


@pytest.fixture(autouse=True)
def _not_quiet_afterwards() -> Iterator[None]:
    yield
    console.set_quiet(False)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Text as people write it, with two references."""
    folder = tmp_path_factory.mktemp("training") / "corpus"
    write_corpus(folder, pairs=500, seed=3, references=2, dev=24, test=24, raw=True)
    return folder


def files(corpus: Path) -> dict[str, Any]:
    return {
        "source": corpus / "train.src",
        "target": corpus / "train.tgt",
        "dev_source": corpus / "dev.src",
        "dev_target": [corpus / "dev.tgt.0", corpus / "dev.tgt.1"],
    }


def quick(corpus: Path, **more: Any) -> dict[str, Any]:
    """Settings that keep the search and the learners short."""
    return {
        **files(corpus),
        "method": "online-mira",
        "lm": {"order": 3},
        "classes": {"classes": 8, "restarts": 0},
        "decoder": {"beam_size": 20, "pop_limit": 30},
        "tune": {"iterations": 2, "dense_first": 1, "nbest": 30, "restarts": 2, "online": {"nbest": 50}},
        **more,
    }


@pytest.fixture(scope="module")
def trained(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A system with sparse features that was trained in one go."""
    folder = tmp_path_factory.mktemp("trained") / "system"
    train_system(
        str(folder),
        **quick(
            corpus, test_source=corpus / "test.src", test_target=[corpus / "test.tgt.0"], tuning_pairs=25
        ),
    )
    return folder


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    def command(*arguments: str | Path, text: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


def weights(folder: Path) -> dict[str, Any]:
    """The content of all weights, sparse ones included."""
    found: dict[str, Any] = {"dense": (folder / "system" / "weights.tsv").read_text()}
    for path in sorted((folder / "system" / "weights.sparse").glob("*.bin")):
        found[path.name.rsplit("-", 1)[0]] = path.read_bytes()
    return found


# What is there afterward ---------------------------------------------------------------------------------


def test_the_folder_is_a_system_for_text_as_people_write_it(trained: Path, corpus: Path, run: Run) -> None:
    text = (corpus / "test.src").read_text()
    code, out, _ = run("translate", trained, text=text)
    assert code == 0
    assert out == (trained / "test.translation").read_text()
    assert re.match(r"[A-Z].*[a-z][.?!,]", out)  # a capital, and no space before punctuation
    system = isogloss.load(str(trained))
    assert list(system.translate(text.splitlines())) == out.splitlines()
    assert system.text is not None
    tokens = system.text.tokenize(text.splitlines()[0])
    code, out, _ = run("translate", trained, "--tokenized", text=tokens + "\n")
    assert (
        system.text.detokenize(out.rstrip("\n")) == (trained / "test.translation").read_text().split("\n")[0]
    )
    code, _, err = run("translate", trained, "--markup", text="")
    assert code == 2
    assert "give tokens and set --tokenized" in err


def test_results_and_report(trained: Path) -> None:
    results = json.loads((trained / "results.json").read_text())
    assert set(results) == {"dev", "test"}
    bleu = results["test"]["scores"]["BLEU"]
    assert 5 < bleu["score"] < 100
    assert "tok:13a" in bleu["signature"]
    page = (trained / "report.html").read_text()
    for part in ("<svg", "active features", "Strongest sparse features", "target_bigram:", bleu["signature"]):
        assert part in page
    assert not re.search(r"""(src|href)\s*=|url\(|@import|<script""", page)
    assert not (trained / ".checkpoint").exists()


def test_tuning_again_takes_text_and_adds_to_the_report(
    trained: Path, corpus: Path, tmp_path: Path, run: Run
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(trained, folder)
    given = [
        "--dev-source",
        corpus / "dev.src",
        "--dev-target",
        corpus / "dev.tgt.0",
        "--method",
        "batch-mira",
    ]
    code, _, err = run("tune", folder, *given, "--iterations", "1", "--nbest", "20")
    assert code == 0, err
    page, before = ((place / "report.html").read_text() for place in (folder, trained))
    assert page.startswith(before.removesuffix("</body></html>\n"))
    assert page.count("Learning curve</title>") == 2
    assert weights(folder) != weights(trained)
    score = float(re.search(r"dev BLEU ([0-9.]+)", err)[1])  # of the weights it began with
    assert score > 5  # raw text would have no words in common


# What is done again ---------------------------------------------------------------------------------------


def stages_run(folder: Path) -> list[str]:
    lines = (folder / "run.jsonl").read_text().splitlines()
    return [row["stage"] for row in map(json.loads, lines) if row["outcome"] == "done"]


def test_only_what_depends_on_an_option_is_done_again(corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "system"
    settings = quick(corpus, method="none", tokenizer="none")
    train_system(str(folder), **settings)
    first = stages_run(folder)
    assert first == [
        *("clean", "tokenize", "align", "rules", "lm", "tune", "system"),
        *("near-matches", "calibrate", "evaluate"),
    ]
    train_system(str(folder), **settings, threads=2)
    assert stages_run(folder) == first
    train_system(str(folder), **{**settings, "lm": {"order": 2}})
    assert stages_run(folder)[len(first) :] == [
        *("lm", "tune", "system", "near-matches", "calibrate", "evaluate")
    ]
    assert isogloss.load(str(folder)).text is None


def test_killed_anywhere_and_resumed_gives_the_same(trained: Path, corpus: Path, tmp_path: Path) -> None:
    """Also with another number of threads."""
    settings = quick(
        corpus, test_source=corpus / "test.src", test_target=[corpus / "test.tgt.0"], tuning_pairs=25
    )
    rng = random.Random(4)
    steps = 0

    def track(items: Iterable[T], description: str, total: int | None = None) -> Iterator[T]:
        nonlocal steps
        for item in items:
            steps -= 1
            if steps == 0:
                raise Killed
            yield item

    killed = 0
    # Reading takes most of the steps: what comes after it is reached only because it is not done again.
    for most in (2, 600, 800, 1500, 2500, 20, 20, 20, 12, 12, 12, 10**9):
        steps = rng.randint(most // 2, most)
        try:
            train_system(str(tmp_path / "system"), **settings, threads=2, track=track)
        except Killed:
            killed += 1
    assert killed >= 5
    assert weights(tmp_path / "system") == weights(trained)
    assert len(weights(trained)) == 4
    for name in ("results.json", "test.translation"):
        assert (tmp_path / "system" / name).read_bytes() == (trained / name).read_bytes()


# Options --------------------------------------------------------------------------------------------------


def test_sets_are_held_out_of_the_training_text(corpus: Path, tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "system"
    config = tmp_path / "config.toml"
    (tmp_path / "train.src").write_text((corpus / "train.src").read_text())
    config.write_text(
        'source = "train.src"\ntuner = "mert"\ntest_size = 20\ntokenizer = "moses"\ncase = "lowercase"\n'
        "[tune]\niterations = 1\nnbest = 20\nrestarts = 1\n[decoder]\nbeam_size = 10\npop_limit = 20\n"
    )
    arguments = [
        "--config",
        config,
        "--target",
        corpus / "train.tgt",
        "--dev-size",
        "30",
        "--search",
        "phrase",
    ]
    code, out, err = run("train", folder, *arguments, "--threads", "1", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert found["results"]["dev"]["sentences"] == 30
    assert found["results"]["test"]["sentences"] == 20
    assert "case:lc" in found["results"]["test"]["scores"]["BLEU"]["signature"]
    held_out = (folder / "work/held-out/dev.source").read_text().splitlines()
    held_out += (folder / "work/held-out/test.source").read_text().splitlines()
    cleaned = (folder / "work/clean/source").read_text().splitlines()
    assert set(held_out) < set(cleaned)
    assert len({cleaned.index(line) // 100 for line in held_out}) > 1  # from all over the text
    assert not set(held_out) & set((folder / "work/held-out/train.source").read_text().splitlines())
    assert isogloss.load(str(folder)).options.search == "phrase"


def test_pairs_to_tune_on_are_unknown_to_what_tunes_them(trained: Path) -> None:
    def lines(name: str) -> list[str]:
        return (trained / "work" / name).read_text().splitlines()

    chosen, rest = lines("aside/tune_source"), lines("aside/source")
    assert len(chosen) == 25
    assert set(chosen) | set(rest) == set(lines("tokens/source"))
    assert not set(chosen) & set(rest)
    assert len(rest) == len(lines("aside/target")) == len(lines("aside/links"))
    tuned_with, all_rules, in_system = (
        len(RuleTable.open(trained / name)) for name in ("work/tuning-rules", "work/rules", "system/rules")
    )
    assert tuned_with < all_rules == in_system


def test_a_source_with_several_translations_has_several_references(tmp_path: Path) -> None:
    texts = {"source": "abcadefghi", "target": "1232456789", "links": "-" * 10}
    for name, text in texts.items():
        (tmp_path / name).write_text("".join(f"{letter}\n" for letter in text))
    names = ("source", "target", "links", "tune_source", "tune_target_000", "tune_target_001")
    outputs = {name: tmp_path / f"out.{name}" for name in names}
    inputs = {name: tmp_path / name for name in texts}
    set_aside(inputs, outputs, {"pairs": 2})
    found = {name: path.read_text().split("\n")[:-1] for name, path in outputs.items()}
    assert found["tune_source"] == ["a", "e"]
    assert found["tune_target_000"] == ["1", "5"]
    assert found["tune_target_001"] == ["2", ""]
    assert "".join(found["source"]) == "bcdfghi"
    assert "".join(found["target"]) == "2346789"
    with pytest.raises(ConfigError, match="too few"):
        set_aside(inputs, outputs, {"pairs": 5})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dev_source": "one"}, "one: 1 sentence to tune on, at least 10 are needed"),
        (
            {"dev_target": ["empty"]},
            "empty:1: the line is empty; every sentence needs at least one reference",
        ),
        ({"dev_target": ["one"]}, "dev.src:2: 24 lines found, but one has 1"),
        ({"dev_target": ["dev.tgt.0", "one"]}, "one:2: 1 line found, but dev.tgt.0 has 24"),
        ({"dev_target": None}, "--dev-source and --dev-target must be given together"),
        ({"dev_source": "blank"}, "blank: there are only empty lines"),
        ({"dev_source": "nowhere"}, "nowhere: No such file or directory"),
        ({"source": None}, "there is no training text; give "),
        ({"source": "one"}, "stage 'clean': one:2: the file has 1 lines, but train.tgt has more"),
        ({"source": "nowhere"}, "nowhere: No such file"),
        (
            {"source": "blank", "target": "blank"},
            "none of the 24 sentence pairs can be used (empty-side: 24, ",
        ),
        ({"method": "luck"}, "no method is called 'luck'; choose one of: auto, online-mira, "),
        ({"search": "luck"}, "--search must be one of auto, hiero, phrase, block, got"),
        ({"config": "choice.toml"}, "no method is called 'luck'; choose one of: auto, online-mira, "),
        ({"tokenizer": "luck"}, "--tokenizer must be one of words, moses, moses-hyphens"),
        ({"dev_size": "5"}, "--dev-size cannot be combined with --dev-source"),
        ({"tuning_pairs": "-1"}, "--tuning-pairs must be at least 0, got -1"),
        ({"tuning_pairs": "9", "method": "none"}, "the method none does not learn from --tuning-pairs"),
        ({"tuning_pairs": "400"}, "too few to tune on 400 of them; set a lower number"),
        ({"features": "luck"}, "no feature template is called 'luck'"),
        (
            {"method": "mert", "features": "pair"},
            "sparse features need the method auto or online-mira or relevant-set",
        ),
        ({"threads": "-1"}, "--threads must be at least 0, got -1"),
        ({"memory_limit": "much"}, "--memory-limit must be a size such as 512M or 4G, got 'much'"),
        ({"config": "dev.src"}, "dev.src: not a TOML file"),
        ({"config": "strange.toml"}, "strange.toml: no option is called 'sorce'; did you mean source?"),
        ({"config": "table.toml"}, "no option is called 'ordr' in [lm]; known are order"),
        ({"config": "type.toml"}, "tune.online.nbest must be a whole number, got 'many'"),
        ({"config": "flat.toml"}, "align must be a table of options, got 3"),
    ],
)
def test_mistakes(
    run: Run, corpus: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], message: str
) -> None:
    monkeypatch.chdir(corpus)
    for name, text in {
        "one": "The one.\n",
        "empty": "\n" * 24,
        "blank": " \n" * 24,
        "strange.toml": "sorce = 'x'\n",
        "table.toml": "[lm]\nordr = 3\n",
        "type.toml": "[tune.online]\nnbest = 'many'\n",
        "choice.toml": "tuner = 'luck'\n",
        "flat.toml": "align = 3\n",
    }.items():
        Path(name).write_text(text)
    given = {
        "source": "train.src",
        "target": "train.tgt",
        "dev_source": "dev.src",
        "dev_target": ["dev.tgt.0"],
        **changes,
    }
    if given["dev_source"] == "one":
        given["dev_target"] = ["one"]
    words = ["train", "bad"]
    for name, value in given.items():
        for item in value if isinstance(value, list) else [value]:
            if item is not None:
                words += [f"--{name.replace('_', '-')}", item]
    code, out, err = run("--quiet", *words)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert message in err


def test_other_folders_are_left_alone(run: Run, corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    given = ["--source", corpus / "train.src", "--target", corpus / "train.tgt"]
    code, _, err = run("train", tmp_path, *given)
    assert code == 2
    assert "contains files that 'isogloss train' did not write" in err
    code, _, err = run("train", tmp_path / "thesis.tex", *given)
    assert code == 2
    assert "is a file" in err


def test_languages_and_case() -> None:
    options = TrainOptions(source="a.de.gz", target="a.txt", target_tokenizer="none")
    source, target = options.sides
    assert (source.language, source.case) == ("de", "truecase")
    assert (target.language, target.case) == ("en", "keep")
