"""Help is plain lines in two columns and fits on one screen."""

from __future__ import annotations

import pytest

from isogloss.cli.main import main


def told(
    words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, wide: int = 100
) -> str:
    monkeypatch.setenv("COLUMNS", str(wide))
    assert main(words.split()) == 0
    return capsys.readouterr().out


def test_verbs_stand_below_headings_in_the_order_of_use(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = told("--help", capsys, monkeypatch).splitlines()
    assert lines[0] == "Usage: isogloss COMMAND"
    start = lines.index("Start here")
    assert [line.split()[0] for line in lines[start + 1 : start + 8]] == [
        *("demo", "train", "translate", "catalog", "correct", "explain", "serve")
    ]
    headings = [line for line in lines if line and line[0] != " "][2:]
    assert headings == [
        *("Start here", "Improve an engine", "Lists of any system", "Text and models", "Research", "Help"),
        "Options",
    ]
    assert lines[lines.index("Options") + 1].startswith("  --help, -h")


@pytest.mark.parametrize("wide", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(
    wide: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = told("translate --help", capsys, monkeypatch, wide)
    assert max(map(len, text.splitlines())) <= wide
    assert "╭" not in text


@pytest.mark.parametrize("verb", ["train", "translate", "tune", "evaluate", "rerank train", "tune-nbest"])
def test_help_fits_on_one_screen(
    verb: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(told(f"{verb} --help", capsys, monkeypatch).splitlines()) <= 60


def test_choices_and_defaults_are_shown_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = " ".join(told("lm build --help", capsys, monkeypatch).split())
    assert "[default: none]" not in text
    assert "[required]" in " ".join(told("train --help", capsys, monkeypatch).split())
