"""Translations that are known already: what counts as the same source, and which translation is returned."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from isogloss.corpus.processing import SideOptions, TextProcessing, TextSide
from isogloss.decoder.matches import TrainingMatches, in_context, refilled, write_matches
from isogloss.io.errors import ModelFormatError
from isogloss.storage.folder import write_folder

TEXT = TextProcessing(
    TextSide(SideOptions(language="de")), TextSide(SideOptions()), placeholders=("printf", "braces")
)


def stored(
    folder: Path, pairs: Sequence[tuple[str, str]], text: TextProcessing | None = TEXT
) -> TrainingMatches:
    write_matches(folder / "matches", lambda: pairs, text)
    return TrainingMatches.open(folder / "matches", text)


def test_the_most_frequent_translation_is_returned_and_of_equal_ones_the_first(tmp_path: Path) -> None:
    pairs = [("Haus", "home"), ("Haus", "house"), ("Baum", "tree"), ("Baum", "wood"), ("Haus", "house")]
    matches = stored(tmp_path, pairs)
    assert len(matches) == 2
    found = [matches.find(source) for source in ("Haus", "Baum", "haus", "Häuser", "")]
    assert [one and one.text for one in found] == ["house", "tree", None, None, None]
    assert found[0] is not None
    assert found[0].kind == "training"


def test_white_space_does_not_count_but_case_does(tmp_path: Path) -> None:
    matches = stored(tmp_path, [("ein  altes Haus", "an old house")])
    assert matches.find(" ein altes\u00a0Haus\n") == ("an old house", "training")
    assert matches.find("Ein altes Haus") is None


def test_placeholders_are_those_of_the_source(tmp_path: Path) -> None:
    matches = stored(tmp_path, [("%s von {name} löschen?", "Delete {name}'s %s?"), ("%d Dateien", "files")])
    assert matches.find("%i von {wer} löschen?") == ("Delete {wer}'s %i?", "training")
    assert matches.find("%d Dateien") == ("files", "training")
    assert matches.find("%s Dateien") is None  # where would it go?


@pytest.mark.parametrize(
    ("target", "of", "source", "expected"),
    [
        ("a %s b %s", "%s %s", "%d %i", "a %d b %i"),
        ("a %s", "%s %s", "%d %i", None),
        ("a %s %s", "%s", "%d", None),
        ("100%s %s", "%s", "%d", None),  # the first is none, and stands in the way
        ("a", "b", "b", "a"),
    ],
)
def test_refilled(target: str, of: str, source: str, expected: str | None) -> None:
    assert refilled(target, of, source, ("printf",)) == expected


def test_contexts(tmp_path: Path) -> None:
    pairs = [
        (in_context("Open %s", "menu"), "%s öffnen"),
        (in_context("Open %s", "state"), "%s offen"),
        ("Open %s", "Öffne %s"),
    ]
    matches = stored(tmp_path, pairs)
    assert matches.find(in_context("Open  %d", "state")) == ("%d offen", "training")
    assert matches.find("Open %d") == ("Öffne %d", "training")
    assert matches.find(in_context("Open %d", "other")) is None
    assert matches.find(in_context("", "menu")) is None


def test_several_lines_have_no_match(tmp_path: Path) -> None:
    matches = stored(tmp_path, [("one two", "eins zwei")])
    assert matches.find("one\ntwo") is None  # their translation has lines, too
    assert matches.find("\none two\n") is not None


def test_tokens_without_text_processing(tmp_path: Path) -> None:
    matches = stored(tmp_path, [("a b", "x  y"), ("%s", "p %s")], None)
    assert matches.find("a  b") == ("x  y", "training")
    assert matches.find("%d") is None


def test_no_pairs(tmp_path: Path) -> None:
    assert stored(tmp_path, []).find("a") is None


def test_another_folder_is_refused(tmp_path: Path) -> None:
    write_folder(tmp_path / "wrong", kind="matches", version=1, arrays={}, attributes={})
    with pytest.raises(ModelFormatError, match="not sound"):
        TrainingMatches.open(tmp_path / "wrong", TEXT)
