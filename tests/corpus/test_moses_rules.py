"""The engine's Moses tokenizer does what sacremoses does."""

from __future__ import annotations

import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacremoses import MosesTokenizer

from isogloss.corpus import moses_rules
from isogloss.corpus.moses_rules import moses_tokenizer
from support.properties import examples
from support.sampled_text import sampled_lines
from support.unicode_properties import agrees

LANGUAGES = ["en", "de", "fr", "it", "cs", "fi", "xx", "ja", "zh", "ko", "hi", "yue"]
ODD = "ab1Z_.,:;'’`\"-–(){}[]<>@=+/#&|\u00a0\u00ad\u200c\u0301אÉß漢カ한ǁ٣ \x00\x1c\x85\ud800\U0001f600"
words = st.sampled_from(
    [
        *("Mr.", "No.", "no. 5", "p.m.", "z.B.", "Nr. 3", "etc.", "..", "...", "DOTMULTI", "DOTDOTMULTI"),
        *("DOTDOT", "don't", "l'été", "'s", "5's", "5,300", "a,b", ",,", ".'", "x.'", "--", "a-b", "U.S."),
    ]
)
strings = st.text() | st.text(ODD) | st.lists(words | st.text(ODD, max_size=4)).map(" ".join)
strings |= st.lists(words | st.text(ODD, max_size=4)).map("".join)


@cache
def theirs(language: str) -> Any:
    return MosesTokenizer(lang=language)


@examples(300)
@given(text=strings, language=st.sampled_from(LANGUAGES), hyphens=st.booleans())
def test_any_text(text: str, language: str, hyphens: bool) -> None:
    text = "".join(filter(agrees, text))
    expected = theirs(language).tokenize(text, escape=False, aggressive_dash_splits=hyphens)
    assert moses_tokenizer(language, hyphens=hyphens).tokenize(text) == expected


@pytest.mark.parametrize(("language", "step"), [("en", 1), ("ja", 53)])  # where the tool takes minutes
def test_every_code_point(language: str, step: int) -> None:
    every = map(chr, range(0, 0x20000, step))
    codes = [c for c in every if agrees(c) and unicodedata.category(c) != "Cn"]
    lines = [
        " ".join(f"a{c}b {c}, 5{c}" for c in codes[begin : begin + 256])
        for begin in range(0, len(codes), 256)
    ]
    made = moses_tokenizer(language).tokenize_lines(lines)
    for line, tokens in zip(lines, made, strict=True):
        assert tokens == " ".join(theirs(language).tokenize(line, escape=False))


def test_apostrophes_of_every_kind_of_letter() -> None:
    sample = "aZ1٣Éא漢ー-_.Ⅷ½²ªʰ़्\u0301' "
    for language in ("en", "fr", "de"):
        tool = moses_tokenizer(language)
        for text in (f"{a}'{b}'{c}" for a in sample for b in sample for c in sample):
            assert tool.tokenize(text) == theirs(language).tokenize(text, escape=False)


def test_tables_of_an_imported_package_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    known, imported = moses_rules._tables(), moses_rules._imported_tables()
    assert imported.signs == known.signs
    for name, characters in imported.characters.items():
        assert characters == known.characters[name]
    for language in ("en", "de", "ca", "xx"):
        assert list(imported.prefixes(language)) == list(known.prefixes(language))
    monkeypatch.setattr(moses_rules, "_tables", moses_rules._imported_tables)
    made = moses_tokenizer("en").tokenize("It's Mr. X.")
    assert made == ["It", "'s", "Mr.", "X."]


def test_long_lines_take_linear_time() -> None:
    for text in ("." * 100_000, "DOT" * 50_000, "a'" * 50_000, "a,b" * 50_000):
        assert moses_tokenizer("en").tokenize(text)


@pytest.mark.corpora
@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_real_text(corpora: Path, language: str) -> None:
    lines = sampled_lines(corpora, 4_000)
    made = moses_tokenizer(language).tokenize_lines(lines, threads=2)
    for line, tokens in zip(lines, made, strict=True):
        assert tokens == " ".join(theirs(language).tokenize(line, escape=False))
