"""The table of word classes and its file."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss._engine import Vocabulary
from isogloss.classes import WordClasses
from isogloss.io.errors import ConfigError, DataFormatError, InputFileError
from support.properties import examples

words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6).filter(
    lambda text: text.split() == [text] and not text.startswith("\ufeff")
)


@examples(100)
@given(st.dictionaries(words, st.integers(0, 2**32 - 1), max_size=8))
def test_a_saved_table_reads_back_the_same(
    tmp_path_factory: pytest.TempPathFactory, table: dict[str, int]
) -> None:
    path = tmp_path_factory.mktemp("classes") / "words.tsv"
    classes = WordClasses(table)
    classes.save(path)
    again = WordClasses.load(path)
    assert again == classes
    assert list(again) == list(table)


def test_the_file_is_one_word_and_class_per_line(tmp_path: Path) -> None:
    WordClasses({"b": 2, "a": 13}).save(tmp_path / "c.tsv")
    assert (tmp_path / "c.tsv").read_bytes() == b"b\t2\na\t13\n"


def test_files_of_other_tools_are_read(tmp_path: Path) -> None:
    (tmp_path / "c").write_bytes(gzip.compress(b"der 2\r\nHaus\t51\r\n"))
    assert WordClasses.load(tmp_path / "c") == WordClasses({"der": 2, "Haus": 51})


def test_unknown_words_have_class_0_or_that_of_unk() -> None:
    assert WordClasses({"a": 2})["b"] == 0
    assert WordClasses({"a": 2, "<unk>": 7})["b"] == 7
    assert WordClasses({})["b"] == 0


def test_lookups() -> None:
    classes = WordClasses({"a": 3, "b": 2, "c": 3})
    assert classes.classify(["a", "x", "b"]) == [3, 0, 2]
    assert classes.members() == {2: ["b"], 3: ["a", "c"]}
    assert len(classes) == 3
    assert "a" in classes
    assert "x" not in classes
    assert classes != {"a": 3}
    vocabulary = Vocabulary()
    vocabulary.encode([["x", "c", "b"]])
    assert classes.by_id(vocabulary).tolist() == [0, 3, 2]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\t2\nb\n", r":2: 1 fields found, 2 expected; each line must be a word, a tab and its class"),
        ("a\t2\t3\n", r":1: 3 fields found"),
        ("\n", r":1: 1 fields found"),
        ("a\t2\na\t3\n", r":2: the word 'a' occurs twice"),
        ("a\t-2\n", r":1: the class '-2' is not a number"),
        ("a\ttwo\n", r":1: the class 'two' is not a number"),
        ("a\t²\n", r":1: the class '²' is not a number"),
        ("a\t4294967296\n", r":1: the class '4294967296' is not a number"),
        ("\t2\n", r":1: '' is not a word"),
        ("a\u00a0b\t2\n", r":1: .* is not a word"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "classes.tsv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataFormatError, match=r"classes\.tsv" + message):
        WordClasses.load(path)


def test_bad_tables_are_refused() -> None:
    with pytest.raises(ConfigError, match="without whitespace, got 'a b'"):
        WordClasses({"a b": 2})
    with pytest.raises(ConfigError, match="the class of 'a' must be between 0 and 4294967295, got -1"):
        WordClasses({"a": -1})
    with pytest.raises(InputFileError):
        WordClasses.load("no/such/file")
