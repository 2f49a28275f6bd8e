"""``isogloss correct`` and ``isogloss retrain`` as a user runs them."""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isogloss.cli.main import main
from isogloss.decoder import load
from isogloss.io.replacement import changed_copy
from isogloss.pipeline.retrain import copied_from
from isogloss.pipeline.train import train
from support.shared import shared_folder
from support.small_engine import PAIRS, make_engine

Run = Callable[..., tuple[int, str, str]]
KNOWN, NEW = "Der alte könig schläft heute.", "Der Zwerg kommt oft."


@pytest.fixture
def run(
    tmp_path_factory: pytest.TempPathFactory,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    shutil.copytree(shared_folder(tmp_path_factory, "engine-phrase", make_engine), tmp_path / "engine")
    monkeypatch.chdir(tmp_path)

    def call(*words: str, text: str = "") -> tuple[int, str, str]:
        stdin = io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", stdin)
        code = main(list(words))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def translated(run: Run, *lines: str, options: tuple[str, ...] = ()) -> list[str]:
    code, out, err = run("translate", "engine", *options, text="".join(f"{line}\n" for line in lines))
    assert code == 0, err
    return out.splitlines()


def as_json(run: Run, *words: str, text: str = "") -> Any:
    code, out, err = run("correct", "engine", *words, "--json", text=text)
    assert code == 0, err
    return json.loads(out)


def test_a_correction_holds_at_once_with_no_option(run: Run) -> None:
    assert run("correct", "engine", KNOWN, "Good  night!") == (0, "", "engine: 1 correction\n")
    assert translated(run, KNOWN, "Der müde hund lacht oft.") == [
        "Good  night!",
        "The tired dog laughs often.",
    ]
    assert translated(run, KNOWN, options=("--no-matches",)) == ["Good  night!"]
    assert translated(run, KNOWN, options=("--mbr", "bleu")) == ["Good  night!"]
    code, out, _ = run("translate", "engine", "--format", "jsonl", text=f"{KNOWN}\n{NEW}\n")
    first, second = map(json.loads, out.splitlines())
    assert (code, first["match"]) == (0, {"text": "Good  night!", "kind": "correction"})
    assert first["text"] == "The old king sleeps today ."  # lists are those of the search
    assert "match" not in second
    assert "which is a correction" in run("explain", "engine", KNOWN)[2]


def test_phrases_are_learned(run: Run) -> None:
    assert "Zwerg" in translated(run, "Der Zwerg lacht hier.")[0]
    run("correct", "engine", NEW, "The dwarf comes often.")
    assert translated(run, "Der Zwerg lacht hier.") == ["The dwarf laughs here."]


def test_list_and_undo(run: Run) -> None:
    assert as_json(run, "--list") == []
    assert run("correct", "engine", "--undo") == (
        2, "", f"error: {Path('engine/system')}: there are no corrections to undo\n",
    )  # fmt: skip
    for number, (source, target) in enumerate([("a", "b"), ("c", "d"), ("e", "f")], start=1):
        assert as_json(run, source, target)["corrections"][0]["number"] == number
    _, out, _ = run("correct", "engine", "--list")
    assert [line.split()[0] for line in out.splitlines()] == ["number", "1", "2", "3"]
    assert as_json(run, "--undo")["undone"]["source"] == "e"
    assert as_json(run, "--undo", "1")["undone"]["source"] == "a"
    assert run("correct", "engine", "--undo", "c")[2] == "engine: correction 2 of 'c' is undone\n"
    assert as_json(run, "--list") == []


def test_many_from_standard_input_hold_or_none(run: Run) -> None:
    made = as_json(run, text="a\tb\nc\td\n")
    assert [(one["source"], one["target"]) for one in made["corrections"]] == [("a", "b"), ("c", "d")]
    assert made["phrases"] is True
    code, _, err = run("correct", "engine", text="e\tf\ng\n")
    assert code == 2
    assert "-:2" in err
    assert translated(run, "a", "c") == ["b", "d"]
    assert len(as_json(run, "--list")) == 2


def test_an_edited_catalog(run: Run, tmp_path: Path) -> None:
    """Corrections are the finished entries that the engine would translate otherwise."""
    (tmp_path / "edited.po").write_text(
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
        f'msgid "{KNOWN}"\nmsgstr "The old king sleeps today."\n\n'
        'msgid "Der müde hund lacht."\nmsgstr "What a tired dog!"\n\n'
        '#, fuzzy\nmsgid "Der bauer lacht."\nmsgstr "draft"\n\n'
        'msgid "Lösche %s hier!"\nmsgstr "%s be gone!"\n\nmsgid "leer"\nmsgstr ""\n'
    )
    made = as_json(run, "--catalog", "edited.po")
    assert [one["target"] for one in made["corrections"]] == ["What a tired dog!", "%s be gone!"]
    assert made["unchanged"] == 1
    assert run("correct", "engine", "--catalog", "edited.po")[2].startswith("engine: 0 corrections; 3 pairs")
    # The same text in another context: one of its translations is enough.
    other = '\nmsgctxt "menu"\nmsgid "Der müde hund lacht."\nmsgstr "anything"\n'
    (tmp_path / "twice.po").write_text((tmp_path / "edited.po").read_text() + other)
    assert run("correct", "engine", "--catalog", "twice.po")[2].startswith("engine: 0 corrections; 3 pairs")
    (tmp_path / "empty.po").write_text(
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
        'msgid "Der müde hund lacht."\nmsgstr ""\n\nmsgid "Lösche %d hier!"\nmsgstr ""\n'
    )
    assert run("catalog", "fill", "engine", "empty.po", "--output", "filled.po")[0] == 0
    filled = (tmp_path / "filled.po").read_text()
    assert 'msgstr "What a tired dog!"' in filled
    assert 'msgstr "%d be gone!"' in filled


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a"], "the translation is missing"),
        (["a", "b", "--list"], "a sentence does not go together with --list or --catalog"),
        (["--undo", "--list"], "--list, --undo and --catalog do not go together"),
        (["a", "b", "--undo"], "--undo needs only the source"),
        (["a", ""], "the translation is empty"),
        (["--undo", "7"], "there are no corrections to undo"),
        (["--catalog", "none.po"], "none.po"),
    ],
)
def test_mistakes(run: Run, words: list[str], message: str) -> None:
    code, out, err = run("correct", "engine", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert not Path("engine/corrections").exists()


def test_the_training_text_is_matched_unless_told_otherwise(run: Run, tmp_path: Path) -> None:
    source, target = PAIRS[0]
    same = (tmp_path / "engine" / "work" / "clean" / "source").read_text().splitlines()[0]
    assert same == source
    code, out, _ = run("translate", "engine", "--format", "jsonl", text=f"{source}\n")
    assert (code, json.loads(out)["match"]) == (0, {"text": target, "kind": "training"})
    out = run("translate", "engine", "--format", "jsonl", "--no-matches", text=f"{source}\n")[1]
    assert "match" not in json.loads(out)


def test_retrain(run: Run) -> None:
    code, _, err = run("retrain", "engine")
    assert code == 2
    assert "there are no corrections to train on" in err
    # The dwarf does what others do, and somebody corrects it, again and again.
    pairs = [(source.replace("hund", "Zwerg"), target.replace("dog", "dwarf")) for source, target in PAIRS]
    pairs = [pair for pair in pairs if "Zwerg" in pair[0]][:20]
    as_json(run, text="".join(f"{source}\t{target}\n" for source, target in pairs))
    code, out, err = run("retrain", "engine", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert (found["folded"], found["held_out"]) == (16, 4)
    assert found["before"]["right"] == 0
    assert found["after"]["right"] == 1
    assert found["after"]["BLEU"] == pytest.approx(100)
    assert translated(run, pairs[4][0]) == [pairs[4][1]]
    lines = "Der Zwerg lacht hier.", "Der Zwerg schläft."
    assert translated(run, *lines) == ["The dwarf laughs here.", "The dwarf sleeps."]
    assert len(as_json(run, "--list")) == 20
    stored = json.loads(Path("engine/retrained.json").read_bytes())  # for those who look at the engine later
    assert stored["after"] == found["after"]
    # What a run leaves that was killed while it copied the corrections.
    copy = changed_copy(
        Path("engine"), copied_from(Path("engine")), appended=("run.jsonl",), left_out=("run.lock",)
    )
    next((copy / "corrections").glob("rows-*")).unlink()
    engine = json.loads(run("retrain", "engine", "--json")[1])  # nothing is left to do
    assert engine["before"] == engine["after"]


def test_what_is_corrected_while_an_engine_is_retrained_is_kept(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_json(run, KNOWN, "The old king slumbers today.")

    def train_and_correct(*arguments: Any, **options: Any) -> Any:
        trained = train(*arguments, **options)
        load(Path("engine"), corrections=True).correct(NEW, "The dwarf comes often.")
        return trained

    monkeypatch.setattr(sys.modules["isogloss.pipeline.retrain"], "train", train_and_correct)
    code, _, err = run("retrain", "engine", "--json")
    assert code == 0, err
    assert translated(run, NEW) == ["The dwarf comes often."]
    assert len(as_json(run, "--list")) == 2


def test_retrain_needs_to_know_how_the_engine_was_trained(run: Run) -> None:
    Path("engine/options.json").unlink()
    code, _, err = run("retrain", "engine")
    assert code == 2
    assert "repeat the 'isogloss train' that made it" in err
