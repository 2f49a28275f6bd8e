"""What of an example's translation stays in a near match, and where new words go."""

from __future__ import annotations

import itertools
import random

import pytest

from isogloss.decoder.edits import Frame, Hole, edit_regions, frames


def edit_distance(old: list[str], new: list[str]) -> int:
    """The slow, obvious version."""
    if not old or not new:
        return len(old) + len(new)
    if old[0] == new[0]:
        return edit_distance(old[1:], new[1:])
    return 1 + min(edit_distance(old[1:], new[1:]), edit_distance(old[1:], new), edit_distance(old, new[1:]))


def test_differences_are_the_shortest_edits() -> None:
    draw = random.Random(3)
    for _ in range(300):
        old, new = ([draw.choice("abc") for _ in range(draw.randrange(7))] for _ in range(2))
        regions = edit_regions(old, new)
        rebuilt, at = [], 0
        for one in regions:
            rebuilt += old[at : one.begin] + new[one.new_begin : one.new_end]
            at = one.end
        assert rebuilt + old[at:] == new
        cost = sum(max(one.end - one.begin, one.new_end - one.new_begin) for one in regions)
        assert cost == edit_distance(old, new)
        assert all(a.end < b.begin or a.new_end < b.new_begin for a, b in itertools.pairwise(regions))


def made(old: str, target: str, links: str, new: str) -> list[Frame]:
    pairs = [(int(i), int(j)) for i, j in (link.split("-") for link in links.split())]
    return frames(old.split(), target.split(), pairs, new.split())


def written(frame: Frame, new: str) -> str:
    words = new.split()
    return " ".join(
        f"[{' '.join(words[piece.begin : piece.end])}]" if isinstance(piece, Hole) else piece
        for piece in frame.pieces
    )


@pytest.mark.parametrize(
    ("old", "target", "links", "new", "expected"),
    [
        ("a b c", "C A B", "0-1 1-2 2-0", "a x c", "C A [x]"),  # a word is replaced where its translation is
        ("a b c", "C A B", "0-1 1-2 2-0", "a c", "C A"),
        ("a b c", "C A B", "0-1 1-2 2-0", "a x b c", "C A [x] B"),  # after the word before it
        ("a b c", "C A B", "0-1 1-2 2-0", "x a b c", "C [x] A B"),  # or before the one after it
        ("a b c", "A y B C", "0-0 1-2 2-3", "a b c x y", "A y B C [x y]"),
        ("a b c", "A B1 u B2 C", "0-0 1-1 1-3 2-4", "a x c", "A [x] C"),  # with free words in between
        ("a b", "A B", "0-0 1-1", "a b", "A B"),
    ],
)
def test_frames(old: str, target: str, links: str, new: str, expected: str) -> None:
    assert written(made(old, target, links, new)[0], new) == expected


def test_words_that_translate_several_stay_and_are_reported() -> None:
    (frame, *_) = made("a b", "AB C", "0-0 1-0 1-1", "a x")
    assert (frame.pieces, frame.torn, frame.dropped) == (("AB", Hole(1, 2)), 1, 1)
    (frame, *_) = made("a b c", "B1 A B2", "0-1 1-0 1-2", "a x c")
    assert (frame.pieces, frame.torn) == ((Hole(1, 2), "A"), 1)


def test_a_difference_takes_in_its_neighbors() -> None:
    found = made("the old house", "das alte Haus", "0-0 1-1 2-2", "the old tree")
    assert [written(one, "the old tree") for one in found] == ["das alte [tree]", "das [old tree]"]
    assert [one.widened for one in found] == [0, 1]


def test_placeholders_are_those_of_the_new_sentence() -> None:
    (frame, *_) = made("ǁ0ǁ of ǁ1ǁ", "ǁ1ǁ : ǁ0ǁ", "0-2 1-1 2-0", "see ǁ0ǁ of ǁ1ǁ")
    assert [piece for piece in frame.pieces if piece != Hole(0, 1)] == ["ǁ1ǁ", ":", "ǁ0ǁ"]
    (frame, *_) = made("all of ǁ0ǁ", "ǁ0ǁ ganz", "0-1 2-0", "ǁ0ǁ of ǁ1ǁ")
    assert frame.pieces == ("ǁ1ǁ", Hole(0, 1))
    (frame, *_) = made("x ǁ0ǁ", "X ǁ0ǁ", "0-0 1-1", "x")
    assert frame.pieces == ("X",)


def test_all_new_words_are_in_holes_or_have_the_translation_of_the_example() -> None:
    draw = random.Random(5)
    for _ in range(200):
        old, new = ([draw.choice("abcd") for _ in range(1 + draw.randrange(6))] for _ in range(2))
        links = [(i, i) for i in range(len(old))]
        for frame in frames(old, [word.upper() for word in old], links, new):
            filled: list[str] = []
            for piece in frame.pieces:
                hole = isinstance(piece, Hole)
                filled += [word.upper() for word in new[piece.begin : piece.end]] if hole else [piece]
            assert filled == [word.upper() for word in new]
