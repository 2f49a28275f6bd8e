"""Text as users hold it."""

from __future__ import annotations

from pathlib import Path

import pytest

from isogloss.io.errors import ConfigError, InputFileError
from isogloss.io.progress import as_track, no_track, show_progress
from isogloss.io.text_lines import text_lines


def test_files_and_collections_of_sentences(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("a b\nc\n")
    for text in (tmp_path / "text", str(tmp_path / "text"), ["a b", "c"], (line for line in ("a b", "c"))):
        assert text_lines(text, "source") == ["a b", "c"]
    assert text_lines([["a", "b"], ("c",)], "source") == ["a b", "c"]
    with pytest.raises(InputFileError, match="target: a single string is the name of a file"):
        text_lines("a b", "target")
    with pytest.raises(
        ConfigError, match="source: sentence 2 is the file name x; a string or a list of words"
    ):
        text_lines(["a", Path("x")], "source")


def test_progress_is_a_bar_nothing_or_a_function(capsys: pytest.CaptureFixture[str]) -> None:
    assert as_track(False) is no_track
    assert as_track(True) is show_progress
    assert as_track(no_track) is no_track
    assert list(show_progress(iter("abc"), "counting", 3)) == ["a", "b", "c"]
    assert capsys.readouterr().out == ""
