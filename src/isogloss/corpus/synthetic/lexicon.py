"""The words of both languages: a hand-written table, and a long tail of rare nouns and names.

The tail does not depend on the seed of a corpus, so that all corpora use the same language.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import accumulate
from typing import TypeVar

__all__ = ["Dice", "Entry", "Lexicon", "lexicon"]

T = TypeVar("T")

_RARE_NOUNS = 1200
_NAMES = 500
_ENGLISH_SYLLABLES = "bra cor del fen gar hol jas kin lum mor nib pel quil ros sten tam ul ver wick yar"
_ENGLISH_ENDS = "ble den dle ger ket low mer ner ning per rick sel ster ton vet wen"
_TAVRI_SYLLABLES = "ba be du fe go ha ji ka lo mu ne po ra shi te va zu ori ane ulu sta kri"
_TAVRI_ENDS = "da go ka lo ma no pa ro sha ta vo zha"
_NAME_SYLLABLES = "Al Bel Cor Dan El Fal Gor Hel Is Jor Kas Lor Mar Nel Or Pel Ras Sel Tor Val"
_NAME_ENDS = "a an as dor en eth ian in is lan mir na on ra rin va wen"


class Dice:
    """Random choices that use only ``random()``, whose sequence Python promises never to change."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def chance(self, probability: float) -> bool:
        """Return True with the given probability."""
        return self._random() < probability

    def number(self, low: int, high: int) -> int:
        """Draw an integer from ``low`` to ``high``, both included."""
        return low + int(self._random() * (high - low + 1))

    def pick(self, items: Sequence[T]) -> T:
        """Draw one of the items, all equally likely."""
        return items[int(self._random() * len(items))]

    def pick_zipf(self, items: Sequence[T]) -> T:
        """Draw one of the items with a probability that falls with its rank, by Zipf's law."""
        sums = _zipf_sums(len(items))
        mark = self._random() * sums[-1]
        low, high = 0, len(items) - 1
        while low < high:
            middle = (low + high) // 2
            if sums[middle] > mark:
                high = middle
            else:
                low = middle + 1
        return items[low]


@cache
def _zipf_sums(size: int) -> tuple[float, ...]:
    return tuple(accumulate(1 / (rank + 3) for rank in range(size)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A word and its translation. Several entries with the same English word are homographs."""

    kind: str
    english: str
    other: str
    """Plural of a noun (``-`` if it is uncountable) or past tense of a verb; empty if regular."""
    tavri: tuple[str, ...]
    """The translation and its synonym, if any."""
    type: str
    """Type of a noun, of a verb's subject and object, or of the nouns that an adjective describes."""
    topics: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """All entries by kind, and the tail: nouns of every type, and names, most common first."""

    entries: dict[str, list[Entry]]
    rare_nouns: list[Entry]
    names: list[str]

    def choices(self, kind: str, topic: str, *types: str) -> list[Entry]:
        """List the entries of a kind that fit the topic and one of the types."""
        return _choices(kind, topic, types)


@cache
def lexicon() -> Lexicon:
    """Return the lexicon, which is the same for every corpus."""
    entries: dict[str, list[Entry]] = {}
    for entry in _read_table():
        entries.setdefault(entry.kind, []).append(entry)
    taken = {word for kind in entries.values() for entry in kind for word in (entry.english, *entry.tavri)}
    dice = Dice(20070628)
    return Lexicon(
        entries=entries, rare_nouns=list(_make_rare_nouns(dice, taken)), names=list(_make_names(dice))
    )


@cache
def _choices(kind: str, topic: str, types: tuple[str, ...]) -> list[Entry]:
    return [
        entry
        for entry in lexicon().entries[kind]
        if (topic in entry.topics or "*" in entry.topics)
        and (not types or entry.type in types or entry.type == "any" or "any" in types)
    ]


def _read_table() -> Iterator[Entry]:
    text = files(__package__).joinpath("lexicon.tsv").read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            kind, english, other, tavri, synonym, type_, topics = line.split("\t")
            yield Entry(
                kind=kind,
                english=english,
                other=other,
                tavri=(tavri, synonym) if synonym else (tavri,),
                type=type_,
                topics=frozenset(topics.split()),
            )


def _make_rare_nouns(dice: Dice, taken: set[str]) -> Iterator[Entry]:
    types = ("person", "animal", "food", "text", "thing", "thing", "place")
    for _ in range(_RARE_NOUNS):
        english = _make_word(dice, taken, _ENGLISH_SYLLABLES, _ENGLISH_ENDS)
        tavri = _make_word(dice, taken, _TAVRI_SYLLABLES, _TAVRI_ENDS)
        if dice.chance(0.1):  # a compound, whose first word is often known
            tavri = f"{dice.pick(('kasa', 'mara', 'lesa', 'pana', 'petra', 'luzo'))} {tavri}"
        yield Entry(
            kind="noun",
            english=english,
            other="",
            tavri=(tavri,),
            type=dice.pick(types),
            topics=frozenset({"*"}),
        )


def _make_names(dice: Dice) -> Iterator[str]:
    taken: set[str] = set()
    for _ in range(_NAMES):
        yield _make_word(dice, taken, _NAME_SYLLABLES, _NAME_ENDS, lower_inside=True)


def _make_word(dice: Dice, taken: set[str], syllables: str, ends: str, lower_inside: bool = False) -> str:
    while True:
        parts = [dice.pick(syllables.split()) for _ in range(dice.number(1, 2))]
        if lower_inside:
            parts[1:] = [part.lower() for part in parts[1:]]
        word = "".join(parts) + dice.pick(ends.split())
        if word not in taken:
            taken.add(word)
            return word
