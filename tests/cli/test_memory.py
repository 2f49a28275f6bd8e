"""``isogloss memory`` as a user runs it."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isogloss.adapt import Memory
from isogloss.cli.main import main
from isogloss.cli.renamed import current_words

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def built(systems: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a memory of forty examples, and held-out sentences."""
    folder = tmp_path_factory.mktemp("memory")
    for name, part, lines in (("some", "test", slice(40)), ("held", "dev", slice(5))):
        for side, file in (("src", f"{part}.src"), ("tgt", f"{part}.tgt.0")):
            text = (systems / "corpus" / file).read_text().splitlines()[lines]
            (folder / f"{name}.{side}").write_text("".join(f"{line}\n" for line in text))
    files = ["--source", str(folder / "some.src"), "--reference", str(folder / "some.tgt")]
    words = ["memory", "build", str(folder / "memory"), "--system", str(systems / "phrase"), *files]
    assert main([*words, "--nbest", "8"]) == 0
    return folder


@pytest.fixture
def run(
    built: Path,
    systems: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    shutil.copytree(built, tmp_path, dirs_exist_ok=True)
    (tmp_path / "system").symlink_to(systems / "phrase")
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> tuple[int, str, str]:
        code = main(list(words))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def as_json(run: Run, *words: str) -> Any:
    code, out, err = run("memory", *words, "--json")
    assert code == 0, err
    return json.loads(out)


def test_a_correction_is_added_found_and_removed(run: Run) -> None:
    pair = ["--pair", "the zorb is old .", "zorbin va staro se ."]
    assert as_json(run, "add", "memory", "--system", "system", *pair, "--document", "d") == {"added": [40]}
    best = as_json(run, "query", "memory", "the zorb", "--size", "1")[0]
    assert best["number"] == 40
    assert (best["source"], best["references"]) == ("the zorb is old .", ["zorbin va staro se ."])
    assert best["document"] == "d"
    assert time.time() - best["date"] < 1000
    others = as_json(run, "query", "memory", "the zorb", "--skip-document", "d")
    assert 40 not in [row["number"] for row in others]
    assert len(others) == 10  # by default
    assert 40 not in [
        row["number"] for row in as_json(run, "query", "memory", "the zorb", "--before=2020-01-01")
    ]
    run("memory", "add", "memory", "--system", "system", "--pair", "the [red] zorb", "a [/b] c")
    table = run("memory", "query", "memory", "zorb", "--size", "1")[1]
    assert table.splitlines()[1].split()[2:] == ["the", "[red]", "zorb", "a", "[/b]", "c"]
    assert as_json(run, "remove", "memory", "40", "3") == {"removed": [3, 40]}
    assert as_json(run, "compact", "memory")["examples"] == 40


def test_files_of_examples_are_added_with_all_their_translations(run: Run) -> None:
    files = ["--source", "held.src", "--reference", "held.tgt", "held.src", "--no-overlay"]
    code, _, err = run("memory", "add", "memory", "--system", "system", *files)
    assert (code, err) == (0, "memory: 5 examples added\n")
    source = Path("held.src").read_text().splitlines()[0]
    assert len(Memory.open("memory").search(source)[0].example().references) == 2


def test_what_tuning_found_is_shown(run: Run) -> None:
    assert as_json(run, "info", "memory")["tuned"] == {}
    held_out = ["--system", "system", "--source", "held.src", "--reference", "held.tgt"]
    tuned = as_json(
        run, "tune", "memory", *held_out, "--strength", "10,20", "--sharpness", "5", "--size", "9"
    )
    assert [(row["strength"], row["sharpness"]) for row in tuned["trials"]] == [(10.0, 5.0), (20.0, 5.0)]
    assert tuned["best"]["strength"] in (0.0, 10.0, 20.0)
    kept = {"strength": tuned["best"]["strength"], "sharpness": 5.0, "size": 9}
    assert as_json(run, "info", "memory")["tuned"] == {"ebuu": kept}
    code, out, _ = run("memory", "tune", "memory", *held_out, "--strength", "10", "--no-save")
    assert code == 0
    assert len(out.splitlines()) == 3
    assert as_json(run, "info", "memory")["tuned"] == {"ebuu": kept}


def test_tuning_by_its_old_name(run: Run) -> None:
    old = ["local", "tune", "--memory=memory", "--source", "held.src", "--no-save", "system"]
    code, out, err = run(
        *old, "--reference", "held.tgt", "--strength", "1", "--strength", "3", "--method=mbuu"
    )
    assert code == 0, err
    assert "is now called 'isogloss memory tune DIR --system SYSTEM'" in err
    assert [line.split()[0] for line in out.splitlines()] == ["strength", "0", "1", "3"]


def test_old_words() -> None:
    said: list[str] = []
    assert current_words(["local", "--help"], said.append) == ["memory", "--help"]
    assert current_words(["local", "tune", "--help"], said.append) == ["memory", "tune", "--help"]
    assert len(said) == 2
    assert current_words(["memory", "tune", "m", "--system", "s"], said.append)[2] == "m"
    assert len(said) == 2
    words = ["align", "a", "b", "--memory", "1G"]  # once a size; but --memory is a folder
    assert current_words(words, said.append) == words


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (
            ["query", "memory", "a", "--before", "soon"],
            "--before must be a day such as 2026-01-31, got 'soon'",
        ),
        (["query", "memory", "a", "--edit-share", "2"], "--edit-share must be between 0 and 1, got 2.0"),
        (["remove", "memory", "1.5"], "a whole number, got '1.5'"),
        (["remove", "memory", "99"], "there is no example 99"),
        (["remove", "memory"], "NUMBERS is missing"),
        (["add", "memory", "--system", "system"], "give either --pair, or --source and --reference"),
        (["add", "memory", "--pair", "a", "b"], "--system is missing"),
        (
            ["build", "x", "--system=system", "--source=held.src", "--reference=held.tgt", "--alignment=a"],
            "--alignment needs --leave-one-out",
        ),
        (
            ["build", "x", "--system=system", "--source=held.src", "--reference=held.tgt", "--nbest=0"],
            "--nbest must be at least 1, got 0",
        ),
        (
            ["tune", "memory", "--system=system", "--source=held.src", "--reference=some.tgt"],
            "held.src:6: 5 lines found, but some.tgt has 40",
        ),
        (
            ["tune", "memory", "--system=system", "--source=a", "--reference=b", "--strength", "-1"],
            "--strength must be at least 0, got -1.0",
        ),
    ],
)
def test_mistakes(run: Run, words: list[str], problem: str) -> None:
    code, out, err = run("memory", *words)
    assert (code, out) == (2, "")
    assert problem in err
