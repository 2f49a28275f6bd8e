from __future__ import annotations

from pathlib import Path

import pytest

from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.metric import References
from isogloss.metric.references import as_references


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
    with pytest.raises(DataFormatError, match="there are no references"):
        References([])
    with pytest.raises(DataFormatError, match="reference 1: the file has no lines"):
        References([[]])


def test_every_form_of_references_is_taken(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\ntwo\n", encoding="utf-8")
    (tmp_path / "b").write_text("eins\n\n", encoding="utf-8")
    known = References([["one", "two"], ["eins", None]])
    assert as_references(known) is known
    several = [[tmp_path / "a", tmp_path / "b"], [["one", "eins"], ["two"]], [["one", "eins"], "two"]]
    for form in several:
        assert as_references(form).streams == known.streams
    single = [tmp_path / "a", str(tmp_path / "a"), ["one", "two"], iter(["one", "two"]), [["one"], ["two"]]]
    for form in single:
        assert as_references(form).streams == [["one", "two"]]


def test_references_for_another_number_of_sentences_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\ntwo\n", encoding="utf-8")
    assert len(as_references(["one", "two"], at_least=1)) == 2
    for form in (["one", "two"], tmp_path / "a", [tmp_path / "a"], References([["one", "two"]])):
        with pytest.raises(ConfigError, match="references for 2 sentences only, 3 are expected"):
            as_references(form, at_least=3)
        with pytest.raises(ConfigError, match="references for 2 sentences, 1 are expected"):
            as_references(form, exactly=1)
    with pytest.raises(
        ConfigError, match="is a file: give one file as a plain string, several as Path objects"
    ):
        as_references([str(tmp_path / "a")], at_least=2)
    with pytest.raises(ConfigError, match="references: sentence 2 has 7; a string or a list of strings"):
        as_references(["one", 7])  # type: ignore[list-item]
