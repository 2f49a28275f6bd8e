from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.decoder import Fixed, Sentence, Terms, factor_names, parse_factors
from isogloss.decoder.sentence import split_words
from isogloss.io.errors import ConfigError, DataFormatError
from support.properties import examples

# Sentences -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "more", "message"),
    [
        ("a b", {"fixed": (Fixed(0, 3, ()),)}, "given for words 0 to 3 overlaps another one, is empty"),
        ("a b", {"fixed": (Fixed(1, 1, ()),)}, "given for words 1 to 1"),
        ("a b", {"fixed": (Fixed(0, 2, ()), Fixed(1, 2, ()))}, "given for words 1 to 2"),
        ("a b", {"fixed": (Fixed(0, 1, ("x y",)),)}, "the word 'x y' is empty or contains whitespace"),
        ("a b", {"factors": (("N",),), "factor_names": ("pos",)}, "'pos' has 1 entries for 2 words"),
        ("a", {"factors": (("N",),)}, "factor names must be unique"),
    ],
)
def test_sentences_that_make_no_sense(words: str, more: dict[str, tuple], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        Sentence(tuple(words.split()), **more)
    with pytest.raises(ValueError, match="the word"):
        Sentence(("a", ""))


def test_factors_by_name() -> None:
    sentence = parse_factors("das|ART|das Haus|N|haus", ["pos", "lemma"])
    assert sentence.words == ("das", "Haus")
    assert sentence.factor("lemma") == ("das", "haus")
    with pytest.raises(KeyError):
        sentence.factor("case")
    assert parse_factors(" ", ["pos"]) == Sentence((), factors=((),), factor_names=("pos",))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a|N b", r"f:3: 'b' has 0 factors, 1 expected at column 5; write a word as word\|pos"),
        ("a|N|x", r"'a\|N\|x' has 2 factors, 1 expected at column 1"),
        ("a|", r"'a\|' has an empty part at column 1"),
        ("|N", r"'\|N' has an empty part at column 1"),
    ],
)
def test_factors_that_are_missing(line: str, message: str) -> None:
    with pytest.raises(DataFormatError, match=message):
        parse_factors(line, ["pos"], path="f", number=3)


@pytest.mark.parametrize("names", ["0", "33", "pos,pos", "pos,", "a b", ""])
def test_names_of_factors(names: str) -> None:
    assert factor_names("pos,lemma") == ("pos", "lemma")
    assert factor_names("1") == ("factor1",)
    with pytest.raises(ConfigError):
        factor_names(names)


# Terms ---------------------------------------------------------------------------------------------------


def terms(tmp_path: Path, text: str) -> Terms:
    (tmp_path / "terms").write_text(text)
    return Terms.read(tmp_path / "terms")


def test_the_leftmost_longest_term_counts(tmp_path: Path) -> None:
    known = terms(tmp_path, "a b\tx\na\ty\nb c d\tz\n\nb c\tw\r\nkeep it\n")
    assert len(known) == 5

    def fixed(text: str, *given: Fixed) -> list[tuple[int, int, str]]:
        found = known.apply(Sentence.of(text, fixed=given))
        return [(part.begin, part.end, " ".join(part.translation)) for part in found.fixed]

    assert fixed("a b c d") == [(0, 2, "x")]
    assert fixed("a c b c") == [(0, 1, "y"), (2, 4, "w")]
    assert fixed("please keep it") == [(1, 3, "keep it")]
    assert fixed("A B nothing") == []
    # What the markup says stays, and a shorter term may fit beside it.
    assert fixed("a b c", Fixed(1, 2, ("m",))) == [(0, 1, "y"), (1, 2, "m")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tx\na\ty\n", "terms:2: 'a' has a different translation on line 1"),
        ("a\t\n", "terms:1: no translation for 'a'; remove the separator"),
        ("\tx\n", "terms:1: the line has no term"),
        ("a\tb\tc\n", "terms:1: more than two columns"),
    ],
)
def test_lists_that_cannot_be_used(tmp_path: Path, text: str, message: str) -> None:
    assert len(terms(tmp_path, "a\tx\na\tx\n")) == 1
    with pytest.raises(DataFormatError, match=message):
        terms(tmp_path, text)


@examples(200)
@given(st.text(alphabet="ab \t\n\v\x1c\x85\u00a0\u2028\u3000字", max_size=12))
def test_words_are_separated_by_ascii_whitespace_only(sentence: str) -> None:
    assert split_words(sentence) == [word for word in re.split(r"[ \t\n\v\f\r]", sentence) if word]
