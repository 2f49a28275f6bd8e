"""Differences between two texts: nothing is lost, and what is shared is shared."""

from __future__ import annotations

import random
import re
from itertools import pairwise

import pytest

from isogloss.report import Page
from isogloss.report.differences import differences, split


def spaced(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def test_the_pieces_are_the_text_and_what_is_shared_is_the_same_on_both_sides() -> None:
    rng = random.Random(5)
    words = ["Save", "the", "page", ",", " ", "  ", "保存", "สวัสดี", "क़ि", "…", "_x", "n°"]
    for _ in range(300):
        texts = ["".join(rng.choices(words, k=rng.randrange(8))) for _ in range(2)]
        pieces = differences(*texts)
        for text, found in zip(texts, pieces, strict=True):
            assert "".join(piece.text for piece in found) == text
            assert all(a.shared != b.shared for a, b in pairwise(found))
        shared = ["".join(piece.text for piece in found if piece.shared) for found in pieces]
        assert spaced(shared[0]) == spaced(shared[1])
        same = spaced(texts[0]) == spaced(texts[1])
        assert same == all(piece.shared for found in pieces for piece in found)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("it's 2.5", ["it", "'", "s", " ", "2", ".", "5"]),
        ("दुनिया ठीक", ["दुनिया", " ", "ठीक"]),  # vowel signs stay with their letters
        ("日本ガ", ["日", "本", "ガ"]),
        ("שָׁלוֹם", ["שָׁלוֹם"]),
        ("", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert split(text) == words


def test_examples_mark_what_differs_and_escape_the_rest() -> None:
    page = Page("x")
    page.example("<b>Save</b> it", "Enregistrer <b>ça</b>", "Enregistrer <b>le</b>", "line 3")
    html = page.html()
    assert "Enregistrer &lt;b&gt;<del>ça</del>&lt;/b&gt;" in html
    assert "Enregistrer &lt;b&gt;<ins>le</ins>&lt;/b&gt;" in html
    assert "<b>Save" not in html
    assert html.count("dir=auto") == 3
