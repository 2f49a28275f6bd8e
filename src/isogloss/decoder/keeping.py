"""Make sure that every placeholder mark of the source appears exactly once in the translation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from isogloss.corpus.placeholders import MARK
from isogloss.decoder.plf import Lattice
from isogloss.decoder.sentence import Fixed, Sentence, Source, split_words

__all__ = ["fixed_marks", "lines_without_marks", "with_marks"]


def lines_without_marks(sources: Sequence[Source], lines: Sequence[str]) -> list[int]:
    """Return the indices of lines whose placeholder marks differ from those of their sources."""
    return [
        at
        for at, (source, line) in enumerate(zip(sources, lines, strict=True))
        if not isinstance(source, Lattice) and _marks(_words(source)) != _marks(line.split(" "))
    ]


def fixed_marks(source: Source) -> Sentence:
    """Return the source with its marks fixed, so that no rule can change them."""
    sentence = source if isinstance(source, Sentence) else Sentence.of(str(source))
    taken = {place for part in sentence.fixed for place in range(part.begin, part.end)}
    return sentence.with_fixed(
        Fixed(place, place + 1, (word,))
        for place, word in enumerate(sentence.words)
        if MARK.fullmatch(word) and place not in taken
    )


def with_marks(source: Source, line: str) -> str:
    """Return the line with exactly the marks of its source.

    Extra marks are removed; missing marks are inserted near their position in the source.

    >>> with_marks("delete ǁ0ǁ now", "ǁ3ǁ löschen jetzt")
    'löschen ǁ0ǁ jetzt'
    """
    words = _words(source)
    left = _marks(words)
    kept: list[str] = []
    for word in line.split(" "):
        if MARK.fullmatch(word):
            if left[word] <= 0:
                continue
            left[word] -= 1
        kept.append(word)
    for place, word in enumerate(words):
        if MARK.fullmatch(word) and left[word] > 0:
            left[word] -= 1
            kept.insert(min(place, len(kept)), word)
    return " ".join(filter(None, kept))


def _words(source: Source) -> Sequence[str]:
    return source.words if isinstance(source, Sentence) else split_words(str(source))


def _marks(words: Sequence[str]) -> Counter[str]:
    return Counter(word for word in words if MARK.fullmatch(word))
