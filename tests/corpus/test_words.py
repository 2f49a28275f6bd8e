"""Splitting text of any language into words and marks."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss import _engine
from isogloss.corpus.words import word_tokenizer, word_tokens
from support import word_oracle
from support.properties import examples
from support.sampled_text import sampled_lines
from support.unicode_properties import SAME_UNICODE, agrees, python_properties
from support.word_oracle import Cut


@pytest.mark.parametrize(
    ("language", "text", "tokens"),
    [
        ("en", 'Don’t say "it\'s" 3.5 times (or 1,250)!', 'Don ’t say " it \'s " 3.5 times ( or 1,250 ) !'),
        ("fr", "L’été, c'est «là» ?", "L’ été , c' est « là » ?"),
        ("tr", "Django'nun 'adı' 1’den", "Django 'nun ' adı ' 1 ’den"),
        ("uk", "комп’ютер, об'єкт", "комп’ютер , об'єкт"),
        ("he", "צה\"ל, צ'אט ובית־ספר", "צה\"ל , צ'אט ובית־ספר"),
        ("hi", "हिन्दी में।", "हिन्दी में ।"),
        ("fa", "می‌خواهم، نه", "می‌خواهم ، نه"),
        ("es", "¿Qué? ¡No!", "¿ Qué ? ¡ No !"),
        ("de", "Ein- und Ausgabe -- TCP-Port.", "Ein- und Ausgabe -- TCP-Port ."),
        ("und", "a/b x=5 get_x() .txt --all 10:30 …", "a / b x=5 get_x() .txt --all 10:30 …"),
        ("fr", "Le(s) mot(s)-clé(s) supprimé(e)s (ou rien)", "Le(s) mot(s)-clé(s) supprimé(e)s ( ou rien )"),
        ("und", "see https://a.b/c?d=e. Or a@b.org...", "see https://a.b/c?d=e . Or a@b.org ..."),
        ("fr", "R&D, AT&T, a&b, Drag&Drop, Q & A", "R&D , AT&T , a & b , Drag & Drop , Q & A"),
        ("und", "ǁ0ǁ ǁ12ǁ , x", "ǁ0ǁ ǁ12ǁ , x"),
    ],
)
def test_tokens(language: str, text: str, tokens: str) -> None:
    assert word_tokens(text, language) == tokens.split(" ")


@examples(200)
@given(
    text=st.text() | st.text("ab1.,'’\"-() /\u00a0\u200c\u0301א", max_size=20),
    language=st.sampled_from(["en", "fr", "uk"]),
)
def test_nothing_but_white_space_is_lost(text: str, language: str) -> None:
    assert "".join(word_tokens(text, language)) == "".join(text.split())


CUTS: dict[Cut, str] = {"before": "en", "after": "fr", "never": "de"}
ODD = "ab1_.,:'’\"-‑–(){}<>@=+/#&\u00a0\u00ad\u200c\u0301אתÉǁ0123456789 \x00\ud800\U0001f600\x1c٣"
pieces = st.sampled_from(
    [
        "http://",
        "https://a.b/c",
        "ftp://x",
        "a@b.org",
        "ǁ12ǁ",
        "file(s)",
        "R&D",
        "x()",
        "--all",
        ".txt",
        "10:30",
        "...",
    ]
)
strings = st.text() | st.text(ODD) | st.lists(pieces | st.text(ODD, max_size=5)).map("".join)


@examples(300)
@given(text=strings, cut=st.sampled_from([*CUTS]))
def test_the_engine_follows_the_regular_expression(text: str, cut: Cut) -> None:
    text = "".join(filter(agrees, text))
    assert word_tokens(text, CUTS[cut]) == word_oracle.word_tokens(text, cut)


@pytest.mark.skipif(not SAME_UNICODE, reason="the engine was built by a Python with another Unicode")
def test_every_code_point() -> None:
    known = _engine.character_properties() & 63
    assert known.tolist() == [python_properties(chr(code)) for code in range(0x110000)]
    lines = [
        " ".join(f"a{chr(code)}b {chr(code)}" for code in range(begin, begin + 512))
        for begin in range(0, 0x110000, 512)
        if begin < 0x20000 or begin % 0x8000 == 0  # beyond, hardly anything is assigned
    ]
    for cut, language in CUTS.items():
        made = word_tokenizer(language).tokenize_lines(lines)
        assert made == [" ".join(word_oracle.word_tokens(line, cut)) for line in lines]


@pytest.mark.corpora
@pytest.mark.parametrize("cut", [*CUTS])
def test_real_text(corpora: Path, cut: Cut) -> None:
    lines = sampled_lines(corpora, 20_000)
    made = word_tokenizer(CUTS[cut]).tokenize_lines(lines, threads=2)
    for line, tokens in zip(lines, made, strict=True):
        assert tokens == " ".join(word_oracle.word_tokens(line, cut))


def test_long_lines_take_linear_time() -> None:
    for text in ("a+" * 50_000, "a(" * 50_000, "http://" * 20_000, "'" * 100_000, "a@" * 50_000):
        assert "".join(word_tokens(text, "en")) == text
