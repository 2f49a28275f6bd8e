"""``isogloss explain`` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isogloss.cli.main import main
from isogloss.corpus.processing import TextProcessing
from isogloss.decoder import System, explain, load


@pytest.fixture
def sentence(systems: Path) -> str:
    return (systems / "corpus" / "test.src").read_text().splitlines()[0]


def test_json_by_its_old_name_too(systems: Path, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(systems / "phrase"), sentence, "--json"]) == 0
    found = capsys.readouterr()
    assert json.loads(found.out)["source"] == sentence
    assert found.err == ""
    assert main(["explain", str(systems / "phrase"), sentence, "--format", "json"]) == 0
    old = capsys.readouterr()
    assert old.out == found.out
    assert old.err == "'--format json' is now written '--json'\n"


def test_what_is_explained_is_what_translate_gives_with_the_same_options(
    systems: Path, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    changes = {"beam_size": 1, "pop_limit": 1, "distortion_limit": 0}
    options = [f"--{name.replace('_', '-')}={value}" for name, value in changes.items()]
    assert main(["explain", str(systems / "phrase"), sentence, "--json", *options]) == 0
    narrow = json.loads(capsys.readouterr().out)
    assert narrow["translation"] == load(systems / "phrase", changes=changes).translate(sentence)
    assert narrow["score"] < explain(load(systems / "phrase"), sentence).score


def test_text_is_tokenized_unless_it_is_tokens(systems: Path) -> None:
    plain = load(systems / "phrase")
    system = System(plain.decoder, plain.path, TextProcessing())
    assert explain(system, "the king's house.").source == "the king 's house ."
    assert explain(system, "the king's house.", tokenized=True).source == "the king's house."
    assert explain(plain, "the king's house.").source == "the king's house."


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--local", "mbuu"], "--local and --memory must be given together"),
        (["--local.size", "3"], "options that begin with --local need --local METHOD"),
        (["--local", "mbuu", "--memory", "m", "--local.method", "ebuu"], "remove --local.method"),
        (["--local", "mert"], "--local must be one of mbuu, ebuu, got 'mert'"),
        (["--strongest", "-1"], "--strongest must be at least 0, got -1"),
        (["--format", "pdf"], "--format must be one of text, html, got 'pdf'"),
    ],
)
def test_mistakes(
    systems: Path, options: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", str(systems / "phrase"), "the king", *options]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert problem in captured.err
