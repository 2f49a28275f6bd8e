from __future__ import annotations

from pathlib import Path

import pytest

from isogloss.io.errors import DataFormatError
from isogloss.metric import References


def test_empty_lines_are_missing_references(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\n\u3000\nthree\n", encoding="utf-8")
    (tmp_path / "b").write_text("eins\nzwei\n\n", encoding="utf-8")
    references = References.read([tmp_path / "a", tmp_path / "b"])
    assert [references.of(i) for i in range(len(references))] == [["one", "eins"], ["zwei"], ["three"]]
    assert references.streams[0] == ["one", None, "three"]
    assert references.count is None
    assert References([["a"], ["b"]]).count == 2


def test_a_sentence_without_any_reference_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\n\n", encoding="utf-8")
    (tmp_path / "b").write_text("eins\n \n", encoding="utf-8")
    with pytest.raises(DataFormatError, match="a:2: the line is empty in all reference files; every sent"):
        References.read([tmp_path / "a", tmp_path / "b"])
    with pytest.raises(DataFormatError, match="reference 1:1: the line is empty; every sentence"):
        References([[""]])


def test_reference_files_must_be_equally_long(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1\n2\n3\n", encoding="utf-8")
    (tmp_path / "b").write_text("1\n2\n", encoding="utf-8")
    with pytest.raises(DataFormatError, match=r"b:3: 2 lines found, but .*a has 3; line i of each"):
        References.read([tmp_path / "a", tmp_path / "b"])


def test_there_must_be_something() -> None:
    with pytest.raises(DataFormatError, match="no reference was given"):
        References([])
    with pytest.raises(DataFormatError, match="reference 1: the file has no lines"):
        References([[]])
