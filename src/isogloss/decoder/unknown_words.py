"""What else a word may be that the rules do not translate: its parts, or another form of it.

The search gets these beside the word itself and decides; each kind has a feature of its own. What the parts
and forms are was learned with the rule table (``isogloss.grammar.word_forms``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from isogloss import _engine
from isogloss.grammar.dictionary import read_dictionary
from isogloss.grammar.numbers import is_number, number_form, rewritten
from isogloss.grammar.table import RuleTable
from isogloss.grammar.word_forms import LONGEST_WORD, Evidence, WordForms, fold, is_word, without_marks

__all__ = ["KINDS", "Offer", "UnknownWords"]

KINDS = ("split", "related", "dictionary", "rewritten")
"""Kinds of offers; each has a feature of this name."""

_DOUBT = 2.0  # how many examples the average counts as
_LEAST_RELATED = math.log(0.05)
_REMEMBERED = 1 << 16
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


class UnknownWords:
    """Makes offers for the words that a rule table does not translate."""

    def __init__(self, table: RuleTable, forms: WordForms, overlay: RuleTable | None = None) -> None:
        self._table, self._forms = table, forms
        self._overlay = overlay
        self._marks = {(one, other): score for one, other, score in _trusted(forms.insides) if other}
        self._dictionary = read_dictionary(table)
        self.offers = lru_cache(_REMEMBERED)(self._offers)

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
        plain = without_marks(form)
        scores = [self._marks[pair] for pair in zip(form, plain, strict=True) if pair in self._marks]
        ways = self._known.ways(
            form,
            capitals=word.upper(),
            plain=plain,
            plain_score=max(scores, default=-math.inf),
            further=not found,
        )
        return (*found, *(Offer(words, (), "split" if parts else "related", s) for words, parts, s in ways))

    @cached_property
    def _known(self) -> _engine.KnownForms:
        """Finds known words that an unknown one may be made of."""
        forms = self._forms
        with self._table.report_corruption():
            return _engine.KnownForms(
                self._table.source_words,
                self._table.engine,
                endings=_trusted(forms.endings),
                beginnings=_trusted(forms.beginnings),
                insertions=[(one, score) for one, other, score in _trusted(forms.insides) if not other],
                joints=[
                    (joined, lost, (right + _DOUBT * 0.1) / (seen + _DOUBT))
                    for (lost, joined), (right, seen) in {**_HYPHENS, **forms.joints}.items()
                ],
                lengths=_smoothed(forms.lengths),
                parts=forms.parts,
            )

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


def _has_rules(table: RuleTable, word: str) -> bool:
    number = table.source_words.find(word)
    if number == _engine.NO_WORD:
        return False
    node = table.engine.find([number])
    if not node:
        return False
    with table.report_corruption():
        first, last = table.engine.rules(node)
    return first < last


def _smoothed(lengths: Sequence[tuple[int, int]]) -> list[float]:
    """How often parts of a length were right, smoothed by those of all lengths."""
    right, seen = (sum(pair[i] for pair in lengths) for i in (0, 1))
    average = (right + 0.1) / (seen + 1)
    return [(r + _DOUBT * average) / (n + _DOUBT) for r, n in lengths] or [average]


def _trusted(evidence: Evidence) -> list[tuple[str, str, float]]:
    """The changes that are trusted, with how far."""
    scored = (
        (one, other, math.log(right / (seen + _DOUBT))) for (one, other), (right, seen) in evidence.items()
    )
    return [row for row in scored if row[2] >= _LEAST_RELATED]
