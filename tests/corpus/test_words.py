"""Splitting text of any language into words and marks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.corpus.words import word_tokens
from support.properties import examples


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
