"""What else a word may be that the rules do not translate: its parts, or another form of it.

The search gets these beside the word itself and decides; each kind has a feature of its own. What the parts
and forms are was learned with the rule table (``isogloss.grammar.word_forms``).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from isogloss import _engine
from isogloss.grammar.dictionary import read_dictionary
from isogloss.grammar.numbers import is_number, number_form, rewritten
from isogloss.grammar.table import RuleTable
from isogloss.grammar.word_forms import LONGEST_WORD, WordForms, fold, is_word, without_marks

__all__ = ["KINDS", "Offer", "UnknownWords"]

KINDS = ("split", "related", "dictionary", "rewritten")
"""Kinds of offers; each has a feature of this name."""

_SHORTEST_PART, _SHORTEST_STEM = 3, 4
_SHORTEST_KEPT = 3
_LONGEST_CHANGE = 3  # letters of a beginning or an ending
_MOST_PARTS = 4
_MOST_WAYS = 3  # splits, and related forms, that are offered for a word
_DOUBT = 2.0  # how many examples the average counts as
_LEAST_SPLIT, _LEAST_RELATED = math.log(0.02), math.log(0.05)
_LEAST_TWICE = math.log(0.1)  # for two changes
_LEAST_END = math.log(0.3)  # for another ending of the last part of a compound
_CERTAIN = -0.05  # the score of the same word in another case
_CHANGED = -0.3  # added to the score of a first part that lost letters
_LEFT_OVER = math.log(0.1)  # added to the score of a part that stands beside one that nobody knows
_LEAST_PART = 0.08  # how often such a part must have been right
_REMEMBERED = 1 << 16
_MARKS_PER_FORM = 16
_LETTERS = 5  # so many tell that no known form begins like this, for most that are not known
_HYPHENS = {("", "-"): (3, 4), ("", "‐"): (3, 4)}  # how often a hyphen is right, if the text does not say


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


_Changes = dict[str, list[tuple[float, str]]]
_Marks = tuple[bytearray, int]  # what a hash is cut to is the second
"""By what is replaced: how far a change is trusted, and what it becomes."""


class _Way(NamedTuple):
    """A way to take the end of a word apart."""

    score: float
    parts: tuple[str, ...]


class UnknownWords:
    """Makes offers for the words that a rule table does not translate."""

    def __init__(self, table: RuleTable, forms: WordForms, overlay: RuleTable | None = None) -> None:
        self._table, self._forms = table, forms
        self._overlay = overlay
        self._joints: dict[str, list[tuple[str, float]]] = {}  # what is lost, by the letters that join
        for (lost, joined), (right, seen) in {**_HYPHENS, **forms.joints}.items():
            trust = (right + _DOUBT * 0.1) / (seen + _DOUBT)
            self._joints.setdefault(joined, []).append((lost, trust))
        self._joining = max(map(len, self._joints), default=0)
        self._lengths = _smoothed(forms.lengths)
        self._endings = _by_first(forms.endings)
        self._beginnings = _by_first(forms.beginnings)
        insides = _by_first(forms.insides)
        self._inserted = [(one, score) for one, rows in insides.items() for score, other in rows if not other]
        self._marks = {(one, other): score for one, rows in insides.items() for score, other in rows if other}
        self._dictionary = read_dictionary(table)
        self.offers = lru_cache(_REMEMBERED)(self._offers)
        self._with_rules = lru_cache(_REMEMBERED)(self._find_with_rules)

    @classmethod
    def of(cls, table: RuleTable, overlay: RuleTable | None = None) -> UnknownWords | None:
        """The offers that a table can make; None if it was made without them."""
        forms = WordForms.of(table)
        return None if forms is None else cls(table, forms, overlay)

    def translates(self, word: str) -> bool:
        """Whether a rule translates the word alone."""
        return any(_has_rules(table, word) for table in (self._table, self._overlay) if table is not None)

    def _offers(self, word: str) -> tuple[Offer, ...]:
        known = self.translates(word)
        if known and not self._dictionary:  # as most words are
            return ()
        form = fold(word)
        found = self._from_dictionary(word, form)
        if known or len(word) > LONGEST_WORD:
            return tuple(found)
        if is_number(word):
            return (*found, *self._numbers(word))
        if not is_word(word):
            return tuple(found)
        same = self._known(form) or self._with_rules(word.upper())
        related = self._related(self._changed(form), same)
        ways = self._splits(form)
        if not (found or related or ways):
            related = self._related(self._changed_twice(form))
            ways = self._splits(form, change=True) or self._partial(form)
        found += [Offer((known,), (), "related", score) for score, known in related]
        found += [Offer(way.parts, (), "split", way.score) for way in ways]
        return tuple(found)

    def _from_dictionary(self, word: str, form: str) -> list[Offer]:
        """Entries that no rule has: `train` makes rules of them too, and an entry must not count twice."""
        entries = self._dictionary.get(word) or self._dictionary.get(form) or ()
        made = {
            tuple(rule.target)
            for table in (self._table, self._overlay)
            if entries and table is not None
            for rule in table.lookup([word])
        }
        return [
            Offer((), entry, "dictionary", -math.log(len(entries) + 1))
            for entry in entries
            if entry not in made
        ]

    def _numbers(self, number: str) -> Iterator[Offer]:
        """A number as the other language writes it."""
        form = number_form(number)
        for (own, other), (right, seen) in self._forms.numbers.items():
            written = rewritten(number, other) if own == form else None
            if written is not None:
                yield Offer((), (written,), "rewritten", math.log(right / (seen + _DOUBT)))

    def _related(
        self, forms: Iterable[tuple[float, str]], same: str | None = None
    ) -> list[tuple[float, str]]:
        """The known ones of some forms, the most trusted first; ``same`` is the word in another case."""
        best: dict[str, float] = {} if same is None else {same: _CERTAIN}
        some, last = self._some_known
        for score, form in forms:  # hundreds, and hardly any is known
            known = self._with_rules(form) if some[hash(form) & last] else None
            if known is not None:
                best[known] = max(score, best.get(known, -math.inf))
        ranked = sorted(
            ((score, known) for known, score in best.items()), key=lambda item: (-item[0], item[1])
        )
        return ranked[:_MOST_WAYS]

    def _begins_one(self, letters: str) -> bool:
        """Whether some known form may begin with the first of these letters; True if they are too few."""
        some, last = self._some_beginnings
        return len(letters) < _LETTERS or bool(some[hash(letters[:_LETTERS]) & last])

    @property
    def _some_beginnings(self) -> _Marks:
        """A mark for the hash of the first letters of every known form."""
        return self._some[1]

    @property
    def _some_known(self) -> _Marks:
        """A mark for the hash of every known form: most forms that are not known have no mark. Marks take
        less room than the forms."""
        return self._some[0]

    @cached_property
    def _some(self) -> tuple[_Marks, _Marks]:
        forms = [fold(word) for word in self._table.source_words.words()]
        return _marks(forms), _marks({form[:_LETTERS] for form in forms})

    def _changed(self, form: str) -> Iterator[tuple[float, str]]:
        """Forms with one change, with how far they are trusted; known or not."""
        return itertools.chain(self._ended(form), self._begun(form), self._inside(form))

    def _changed_twice(self, form: str) -> Iterator[tuple[float, str]]:
        """Forms with another ending and one more change, without most of those that are not known: there are
        hundreds, and this loop is half of the time that offers take."""
        some, last = self._some_known
        shortest = len(form) - _LONGEST_CHANGE
        begun = [
            one
            for one in sorted(self._affixes(form, self._beginnings, first=True), reverse=True)
            if self._begins_one(one[1] + form[one[2] : shortest])
        ]
        for score, ending, end in self._affixes(form, self._endings, first=False):
            least, kept = _LEAST_TWICE - score, form[:end]
            for more, beginning, start in begun:
                if more < least:
                    break
                changed = beginning + kept[start:] + ending
                if some[hash(changed) & last] and end - start >= _SHORTEST_KEPT:
                    yield score + more, changed
        for score, other in self._inside(form):
            least = _LEAST_TWICE - score
            for more, ending, end in self._affixes(other, self._endings, first=False):
                if more >= least:
                    changed = other[:end] + ending
                    if some[hash(changed) & last]:
                        yield score + more, changed

    def _ended(self, form: str) -> Iterator[tuple[float, str]]:
        """Forms with another ending."""
        for score, other, end in self._affixes(form, self._endings, first=False):
            yield score, form[:end] + other

    def _begun(self, form: str) -> Iterator[tuple[float, str]]:
        """Forms with another beginning."""
        for score, other, start in self._affixes(form, self._beginnings, first=True):
            yield score, other + form[start:]

    def _affixes(self, form: str, changes: _Changes, *, first: bool) -> Iterator[tuple[float, str, int]]:
        """Other beginnings or endings of a form, and where what is kept begins or ends."""
        for length in range(min(_LONGEST_CHANGE, len(form) - _SHORTEST_KEPT) + 1):
            at = length if first else len(form) - length
            for score, other in changes.get(form[:at] if first else form[at:], ()):
                yield score, other, at

    def _inside(self, form: str) -> Iterator[tuple[float, str]]:
        """Forms without some letters inside, and the form without its mark."""
        for letters, score in self._inserted:
            at = form.find(letters, 2)
            while 0 <= at <= len(form) - 3 - len(letters):
                yield score, form[:at] + form[at + len(letters) :]
                at = form.find(letters, at + 1)
        plain = without_marks(form)
        scores = [self._marks[pair] for pair in zip(form, plain, strict=True) if pair in self._marks]
        if scores:
            yield max(scores), plain

    def _splits(self, form: str, *, change: bool = False) -> list[_Way]:
        """Ways to take a form apart, the most trusted first; the last part may have another ending."""
        found: dict[int, list[_Way]] = {}  # ways to take apart what begins at a position

        def ways(at: int) -> list[_Way]:
            if at in found:
                return found[at]
            ways_here = []
            if at:
                ways_here += [
                    _Way(score + self._trust(last, form[at:], first=False), (last,))
                    for score, last in self._lasts(form[at:], change=change)
                ]
            most = len(form) - _SHORTEST_PART
            if not self._begins_one(form[at:]):  # longer ones are unknown, whatever joins them
                most = min(most, at + _LETTERS + self._joining - 1)
            for end in range(at + _SHORTEST_PART, most + 1):
                for score, first in self._firsts(form[at:end]):
                    ways_here += [
                        _Way(score + rest.score, (first, *rest.parts))
                        for rest in ways(end)
                        if len(rest.parts) < _MOST_PARTS
                    ]
            ways_here.sort(key=lambda way: (-way.score, way.parts))
            found[at] = ways_here[:_MOST_WAYS]
            return found[at]

        return [way for way in ways(0) if way.score >= _LEAST_SPLIT]

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
        some, last = self._some_known
        for joining in range(min(self._joining, len(form) - _SHORTEST_PART + 1) + 1):
            stem = form[: len(form) - joining]
            for lost, trust in self._joints.get(form[len(stem) :], ()):
                part = stem + lost
                if not some[hash(part) & last]:
                    continue
                word = self._with_rules(part)
                if word is not None:
                    score = self._trust(word, form, first=True, average=trust)
                    yield score if not lost else score + _CHANGED, word

    def _lasts(self, form: str, *, change: bool) -> list[tuple[float, str]]:
        """Known words that may be the last part of a compound in this form."""
        known = self._known(form)
        if known is not None:
            return [(0.0, known)]
        if not change or len(form) < _SHORTEST_STEM:
            return []
        return self._related(item for item in self._ended(form) if item[0] >= _LEAST_END)[:1]

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

    def _known(self, form: str) -> str | None:
        """A word of the table with this form in lower case, that rules translate."""
        some, last = self._some_known
        return self._with_rules(form) if some[hash(form) & last] else None

    def _find_with_rules(self, form: str) -> str | None:
        if len(form) < _SHORTEST_PART:
            return None
        for word in (form, form[:1].upper() + form[1:]):
            if _has_rules(self._table, word):
                return word
        return None


def _marks(forms: Collection[str]) -> _Marks:
    last = (1 << (len(forms) * _MARKS_PER_FORM).bit_length()) - 1
    marks = bytearray(last + 1)
    for form in forms:
        marks[hash(form) & last] = 1
    return marks, last


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


def _by_first(evidence: dict[tuple[str, str], tuple[int, int]]) -> _Changes:
    """The changes that are trusted."""
    found: _Changes = {}
    for (one, other), (right, seen) in evidence.items():
        score = math.log(right / (seen + _DOUBT))
        if score >= _LEAST_RELATED:
            found.setdefault(one, []).append((score, other))
    return found
