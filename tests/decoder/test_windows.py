from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.decoder import Arc, Lattice, load
from isogloss.decoder.windows import cut_lattice, cut_words


@given(st.integers(0, 50), st.integers(1, 20))
def test_windows_hold_every_word_once(length: int, limit: int) -> None:
    words = [str(i) for i in range(length)]
    windows = cut_words(words, limit)
    assert list(itertools.chain(*windows)) == words
    assert all(len(window) <= limit for window in windows)
    assert len(windows) == max(1, -(-length // limit))


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("a b c d e f g h", [4, 4]),
        ("a b c , e f g h", [4, 4]),
        ("a b c d e . g h", [6, 2]),
        ("a b , d e . g h", [6, 2]),
        (". b c d e f g h", [4, 4]),
        ("a b c d : f g h i j k l m n o .", [5, 5, 6]),
    ],
)
def test_windows_end_after_punctuation_near_their_middle(text: str, sizes: list[int]) -> None:
    assert [len(window) for window in cut_words(text.split(), 7 if len(sizes) == 3 else 6)] == sizes


@given(st.text(". ,ab", max_size=60), st.integers(1, 20))
def test_windows_that_end_after_punctuation_are_no_more_and_no_longer(text: str, limit: int) -> None:
    windows = cut_words(list(text), limit)
    assert "".join(itertools.chain(*windows)) == text
    assert all(len(window) <= limit for window in windows)
    assert len(windows) == max(1, -(-len(text) // limit))


@given(st.data(), st.integers(1, 15), st.integers(1, 6))
def test_windows_of_a_lattice_hold_every_path(data: st.DataObject, steps: int, limit: int) -> None:
    arcs = [Arc(i, i + 1, "a") for i in range(steps)]
    for begin in data.draw(st.lists(st.integers(0, steps - 1), max_size=3)):
        arcs.append(Arc(begin, data.draw(st.integers(begin + 1, min(steps, begin + 3))), "b"))
    lattice = Lattice(steps + 1, tuple(arcs))
    windows = cut_lattice(lattice, limit)
    assert sum(window.places - 1 for window in windows) == steps
    begins = list(itertools.accumulate((window.places - 1 for window in windows), initial=0))
    whole = [
        Arc(arc.begin + begin, arc.end + begin, arc.word)
        for begin, window in zip(begins, windows, strict=False)
        for arc in window.arcs
    ]
    assert sorted(whole) == sorted(arcs)
    narrow = {place for place in range(steps + 1) if not any(a.begin < place < a.end for a in arcs)}
    for begin, end in itertools.pairwise(begins):
        assert end - begin <= limit or not narrow & set(range(begin + 1, end))


@pytest.mark.parametrize("search", ["hierarchical", "phrase"])
def test_joined_lists_are_the_best_combinations(systems: Path, search: str) -> None:
    system = load(systems / search)
    words = (systems / "corpus" / "test.src").read_text().split()[:12]
    parts = system.nbest([" ".join(words[i : i + 4]) for i in (0, 4, 8)], nbest=6)
    joined = system.nbest(["", " ".join(words), words[0]], nbest=6, max_words=4)
    texts, scores = list(parts.texts()), parts.scores
    combinations = {}
    for rows in itertools.product(*(parts.rows_of(i) for i in range(3))):
        text = " ".join(texts[row] for row in rows)
        combinations[text] = max(combinations.get(text, -np.inf), scores[list(rows)].sum())
    best = sorted(combinations.values(), reverse=True)[:6]
    rows = joined.rows_of(1)
    assert np.allclose(joined.scores[rows], best[: len(rows)])
    assert len(rows) >= 5
    assert all(combinations[joined.text(row)] == pytest.approx(joined.scores[row]) for row in rows)
    weights = np.array([system.weights[name] for name in joined.dense_names])
    assert np.allclose(joined.dense @ weights, joined.scores, atol=1e-2)
    assert joined.text(joined.rows_of(0)[0]) == ""
    assert joined.text(joined.rows_of(2)[0]) == system.translate(words[0])
