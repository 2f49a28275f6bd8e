"""Where two texts differ, word by word; character by character in scripts without spaces."""

from __future__ import annotations

import unicodedata
from difflib import SequenceMatcher
from itertools import groupby
from typing import NamedTuple

__all__ = ["Piece", "differences"]


class Piece(NamedTuple):
    """A piece of a text, and whether the other text has it too."""

    text: str
    shared: bool


def differences(first: str, second: str) -> tuple[list[Piece], list[Piece]]:
    """Both texts in pieces; the pieces of a text, joined, are the text. All white space is alike.

    >>> differences("the old house", "the house")
    ([Piece(text='the ', shared=True), Piece(text='old ', shared=False), Piece(text='house', shared=True)], \
[Piece(text='the house', shared=True)])
    """
    words = split(first), split(second)
    pieces: tuple[list[Piece], list[Piece]] = [], []
    ours, theirs = ([" " if word.isspace() else word for word in side] for side in words)
    for kind, *places in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        for side, (begin, end) in enumerate((places[:2], places[2:])):
            text = "".join(words[side][begin:end])
            if text:
                pieces[side].append(Piece(text, kind == "equal"))
    return _joined(pieces[0]), _joined(pieces[1])


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Neighbors of one kind as one piece."""
    groups = groupby(pieces, key=lambda piece: piece.shared)
    return [Piece("".join(piece.text for piece in group), shared) for shared, group in groups]


def split(text: str) -> list[str]:
    """Words, spaces and punctuation marks; ideographs, kana and letters of Southeast Asia stand alone.

    >>> split("Save  it, 保存する")
    ['Save', '  ', 'it', ',', ' ', '保', '存', 'す', 'る']
    """
    found: list[str] = []
    last = ""
    for letter in text:
        kind = _kind(letter)
        if kind and (kind == last or (kind == "mark" and found)):
            found[-1] += letter
        else:
            found.append(letter)
        if kind != "mark":
            last = kind
    return found


_ALONE = (
    ("\u0e00", "\u0eff"),
    ("\u1000", "\u109f"),
    ("\u1780", "\u17ff"),
    ("\u3040", "\u30ff"),
    ("\u3400", "\u9fff"),
    ("\U00020000", "\U0003ffff"),
)


def _kind(letter: str) -> str:
    """Kind of a character: equal kinds stay together, an empty one stands alone."""
    category = unicodedata.category(letter)
    if letter.isspace():
        return "space"
    if category[0] == "M":
        return "mark"
    if any(low <= letter <= high for low, high in _ALONE):
        return ""
    return "word" if category[0] in "LN" or letter == "_" else ""
