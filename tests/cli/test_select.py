"""``isogloss select``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isogloss.cli.main import main


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "source").write_text("a b c\nx y\na b\nz\n\nb c\n")
    (tmp_path / "target").write_text("1\n2\n3\n4\n5\n6\n")
    (tmp_path / "text").write_text("a b c\n")
    return tmp_path


def run(*arguments: str) -> int:
    return main(["--quiet", "select", *arguments])


def test_pairs_and_what_they_are_worth(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run(
            "source", "target", "chosen", "--for", "text", "--to", "tsv", "--list", "table", "--coverage", "2"
        )
        == 0
    )
    assert (corpus / "chosen").read_text() == "a b c\t1\na b\t3\nb c\t6\n"
    assert (corpus / "table").read_text() == "line\tscore\n1\t1.000000\n3\t0.666667\n6\t0.666667\n"
    out = capsys.readouterr().out
    assert "3-gram model of" in out
    assert " sample " in out


def test_json_with_random_samples(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run("source", "target", "s", "t", "--for", "text", "--coverage", "2", "--random-draws", "2", "--json")
        == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert (found["pairs"], found["chosen"], found["coverage"]) == (6, 3, 2)
    assert found["ngrams"] == [{"length": n, "text": 4 - n, "corpus": 4 - n} for n in (1, 2, 3)]
    assert list(found["perplexity"]) == ["all", "sample", "random 1", "random 2"]


def test_the_old_name(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sample", "source", "target", "s", "t", "--for", "text", "--no-perplexity"]) == 0
    assert capsys.readouterr().err.startswith("'isogloss sample' is now called 'isogloss select'\n")
    assert (corpus / "s").exists()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["source", "target", "s", "t", "--for", "none"], "none: No such file or directory"),
        (
            ["source", "target", "s", "t", "--for", "empty"],
            "empty: the text to select for has no words",
        ),
        (["source", "text", "s", "t", "--for", "text"], "text:2: the file has 1 lines, but source has more"),
        (["-", "target", "s", "t", "--for", "text"], "it cannot be standard input"),
        (["source", "target", "s", "s", "--for", "text"], "two outputs have the same name"),
        (
            ["source", "target", "s", "t", "--for", "text", "--method", "random"],
            "the method 'random' needs a --size or a --share",
        ),
    ],
)
def test_mistakes(
    corpus: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], problem: str
) -> None:
    (corpus / "empty").write_text("\n\n")
    (corpus / "s").write_text("old")
    assert run(*arguments) == 2
    assert problem in capsys.readouterr().err
    assert (corpus / "s").read_text() == "old"
