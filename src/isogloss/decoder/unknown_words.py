"""What else a word may be that the rules do not translate: its parts, or another form of it.

The search gets these beside the word itself and decides; each kind has a feature of its own. What the parts
and forms are was learned with the rule table (``isogloss.grammar.word_forms``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from isogloss import _engine
from isogloss.grammar.dictionary import read_dictionary
from isogloss.grammar.numbers import is_number, number_form, rewritten
from isogloss.grammar.table import RuleTable
from isogloss.grammar.word_forms import LONGEST_WORD, WordForms, fold, is_word

__all__ = ["KINDS", "Offer", "UnknownWords"]

KINDS = ("split", "related", "dictionary", "rewritten")
"""Kinds of offers; each has a feature of this name."""

_SHORTEST_PART, _SHORTEST_STEM = 3, 4
_MOST_PARTS = 4
_MOST_WAYS = 3  # splits, and related forms, that are offered for a word
_DOUBT = 2.0  # how many examples the average counts as
_LEAST_SPLIT, _LEAST_RELATED = math.log(0.02), math.log(0.05)
_CERTAIN = -0.05  # the score of the same word in another case
_CHANGED = -0.3  # added to the score of a first part that lost letters
_LEFT_OVER = math.log(0.1)  # added to the score of a part that stands beside one that nobody knows
_LEAST_PART = 0.15  # how often such a part must have been right
_REMEMBERED = 1 << 16


class Offer(NamedTuple):
    """Source words that a word may be translated as, or a translation."""

    words: tuple[str, ...]
    translation: tuple[str, ...]
    kind: str
    score: float
    """Logarithm of how far it is trusted."""

    def to_engine(self) -> tuple[list[str], list[str], int, float]:
        """The offer as the engine takes it."""
        return list(self.words), list(self.translation), KINDS.index(self.kind) + 1, self.score


class _Way(NamedTuple):
    """A way to take the end of a word apart."""

    score: float
    parts: tuple[str, ...]


class UnknownWords:
    """Makes offers for the words that a rule table does not translate."""

    def __init__(self, table: RuleTable, forms: WordForms, overlay: RuleTable | None = None) -> None:
        self._table, self._forms = table, forms
        self._overlay = overlay
        self._joints = [
            (lost, joined, (right + _DOUBT * 0.1) / (seen + _DOUBT))
            for (lost, joined), (right, seen) in forms.joints.items()
        ]
        self._lengths = _smoothed(forms.lengths)
        self._endings = _by_first(forms.endings)
        self._beginnings = _by_first(forms.beginnings)
        self._dictionary = read_dictionary(table)
        self.offers = lru_cache(_REMEMBERED)(self._offers)
        self._known = lru_cache(_REMEMBERED)(self._find_known)

    @classmethod
    def of(cls, table: RuleTable, overlay: RuleTable | None = None) -> UnknownWords | None:
        """The offers that a table can make; None if it was made without them."""
        forms = WordForms.of(table)
        return None if forms is None else cls(table, forms, overlay)

    def translates(self, word: str) -> bool:
        """Whether a rule translates the word alone."""
        return any(_has_rules(table, word) for table in (self._table, self._overlay) if table is not None)

    def _offers(self, word: str) -> tuple[Offer, ...]:
        form = fold(word)
        found = [
            Offer((), translation, "dictionary", -math.log(len(translations) + 1))
            for translations in (self._dictionary.get(word) or self._dictionary.get(form) or (),)
            for translation in translations
        ]
        if self.translates(word) or len(word) > LONGEST_WORD:
            return tuple(found)
        if is_number(word):
            return (*found, *self._numbers(word))
        if not is_word(word):
            return tuple(found)
        found += [Offer((known,), (), "related", score) for score, known in self._related(word, form)]
        ways = self._splits(form)
        if not ways and not found:
            ways = self._partial(form)
        found += [Offer(way.parts, (), "split", way.score) for way in ways]
        return tuple(found)

    def _numbers(self, number: str) -> Iterator[Offer]:
        """A number as the other language writes it."""
        form = number_form(number)
        for (own, other), (right, seen) in self._forms.numbers.items():
            written = rewritten(number, other) if own == form else None
            if written is not None:
                yield Offer((), (written,), "rewritten", math.log(right / (seen + _DOUBT)))

    def _related(self, word: str, form: str) -> list[tuple[float, str]]:
        """Known forms of a word, the most trusted first."""
        best: dict[str, float] = {}
        same = self._known(form) or self._known(word.upper())
        if same is not None:
            best[same] = _CERTAIN
        for score, other in self._changed(form):
            known = self._known(other)
            if known is not None:
                best[known] = max(score, best.get(known, -math.inf))
        ranked = sorted(
            ((score, known) for known, score in best.items()), key=lambda item: (-item[0], item[1])
        )
        return ranked[:_MOST_WAYS]

    def _changed(self, form: str) -> Iterator[tuple[float, str]]:
        """Other forms with how far they are trusted, known or not."""
        for length in range(min(3, len(form) - _SHORTEST_STEM) + 1):
            stem, end = form[: len(form) - length], form[len(form) - length :]
            for score, other in self._endings.get(end, ()):
                if score >= _LEAST_RELATED:
                    yield score, stem + other
            start, rest = form[:length], form[length:]
            for score, other in self._beginnings.get(start, ()):
                if score >= _LEAST_RELATED:
                    yield score, other + rest

    def _splits(self, form: str) -> list[_Way]:
        """Ways to take a form apart, the most trusted first."""
        ends: dict[int, list[_Way]] = {}  # ways to take apart what begins at a position
        for at in range(len(form) - _SHORTEST_PART, -1, -1):
            ways = []
            if at:
                last = self._known(form[at:])
                if last is not None:
                    ways.append(_Way(self._trust(last, form[at:], first=False), (last,)))
            for end in range(at + _SHORTEST_PART, len(form) - _SHORTEST_PART + 1):
                if not ends.get(end):
                    continue
                for score, first in self._firsts(form[at:end]):
                    for rest in ends[end]:
                        if len(rest.parts) < _MOST_PARTS:
                            ways.append(_Way(score + rest.score, (first, *rest.parts)))
            ways.sort(key=lambda way: (-way.score, way.parts))
            ends[at] = ways[:_MOST_WAYS]
        return [way for way in ends.get(0, []) if way.score >= _LEAST_SPLIT]

    def _partial(self, form: str) -> list[_Way]:
        """The best way to take apart a form of which only the first or the last part is known; the other part
        stays as it is."""
        ways = []
        for at in range(_SHORTEST_STEM, len(form) - _SHORTEST_PART + 1):
            hyphen = form[at - 1] == "-"
            first, rest = self._known(form[: at - hyphen]), form[at:]
            if first is not None and (hyphen or self._share(first, first=True) >= _LEAST_PART):
                ways.append(_Way(self._trust(first, form[:at], first=True) + _LEFT_OVER, (first, rest)))
        for at in range(_SHORTEST_PART, len(form) - _SHORTEST_STEM + 1):
            hyphen = form[at - 1] == "-"
            last, rest = self._known(form[at:]), form[: at - hyphen]
            if rest and last is not None and (hyphen or self._share(last, first=False) >= _LEAST_PART):
                ways.append(_Way(self._trust(last, form[at:], first=False) + _LEFT_OVER, (rest, last)))
        return sorted(ways, key=lambda way: (-way.score, way.parts))[:1]

    def _share(self, word: str, *, first: bool) -> float:
        """How often the word was right as this part of compounds."""
        right, seen = self._evidence(word, first=first)
        return right / (seen + 1)

    def _firsts(self, form: str) -> Iterator[tuple[float, str]]:
        """Known words that may be the first part of a compound in this form."""
        for lost, joined, trust in self._joints:
            stem = len(form) - len(joined)
            if stem + len(lost) < _SHORTEST_PART or stem < _SHORTEST_PART - 1 or form[stem:] != joined:
                continue
            word = self._known(form[:stem] + lost)
            if word is not None:
                score = self._trust(word, form, first=True, average=trust)
                yield score if not lost else score + _CHANGED, word

    def _trust(self, word: str, form: str, *, first: bool, average: float | None = None) -> float:
        """Logarithm of how often the word was right as this part of compounds, smoothed."""
        right, seen = self._evidence(word, first=first)
        if average is None:
            average = self._lengths[min(len(form), len(self._lengths) - 1)]
        return 0.5 * math.log((right + _DOUBT * average) / (seen + _DOUBT))

    def _evidence(self, word: str, *, first: bool) -> tuple[int, int]:
        """How often the word was right as this part of compounds, and seen."""
        row = self._forms.parts[self._table.source_words.find(word)].tolist()
        return (row[0], row[1]) if first else (row[2], row[3])

    def _find_known(self, form: str) -> str | None:
        """A word of the table with this form in lower case, that rules translate."""
        if len(form) < _SHORTEST_PART:
            return None
        for word in (form, form[:1].upper() + form[1:]):
            if _has_rules(self._table, word):
                return word
        return None


def _has_rules(table: RuleTable, word: str) -> bool:
    number = table.source_words.find(word)
    if number == _engine.NO_WORD:
        return False
    node = table.engine.find([number])
    if not node:
        return False
    first, last = table.engine.rules(node)
    return first < last


def _smoothed(lengths: Sequence[tuple[int, int]]) -> list[float]:
    """How often parts of a length were right, smoothed by those of all lengths."""
    right, seen = (sum(pair[i] for pair in lengths) for i in (0, 1))
    average = (right + 0.1) / (seen + 1)
    return [(r + _DOUBT * average) / (n + _DOUBT) for r, n in lengths] or [average]


def _by_first(evidence: dict[tuple[str, str], tuple[int, int]]) -> dict[str, list[tuple[float, str]]]:
    """Changes by what is replaced: how far each is trusted, and what it becomes."""
    found: dict[str, list[tuple[float, str]]] = {}
    for (one, other), (right, seen) in evidence.items():
        found.setdefault(one, []).append((math.log(right / (seen + _DOUBT)), other))
    return found
