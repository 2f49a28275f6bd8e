"""How words of a language are made from others: parts of compounds, and endings. Learned from a rule table.

A word of the table that looks like two others joined (``drahtzaun``: ``draht`` + ``zaun``) is evidence for a
compound if both parts translate to words that the whole translates to, and otherwise against it. The same
holds for two words that share a translation and differ in their ending or beginning (``hund``, ``hunde``),
in letters inside (``abzuholen``, ``abholen``) or in a mark on a letter (``bälle``, ``ball``).
So nothing is listed by hand: which letters join parts, which words occur as parts and which endings alternate
are all counted, with how often they were right. ``WordForms`` keeps the counts with the table.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.grammar.numbers import is_number, learn_number_forms
from isogloss.grammar.storage import KIND, VERSION
from isogloss.grammar.table import RuleTable
from isogloss.io.streams import StrPath
from isogloss.storage.folder import ArrayFolder, update_folder

__all__ = [
    "LONGEST_WORD",
    "Evidence",
    "WordForms",
    "fold",
    "is_word",
    "learn_word_forms",
    "store_word_forms",
    "without_marks",
]

LONGEST_WORD = 60
"""Longer words are not taken apart."""

_INSIDE = re.compile("[-'’‐·]")
_SHORTEST_PART = 3
_SHORTEST_STEM = 3  # of words with different endings; roots of Arabic have three letters
_MOST_JOINING = 2  # letters that join two parts, and letters that the first part loses
_MOST_ENDING = 3
_BEFORE_INSIDE, _AFTER_INSIDE = 2, 3  # letters before and after those that are inside
_LIKELY, _LIKELY_BACK, _POSSIBLE = 0.1, 0.01, 0.05  # probabilities of translations of a part and of a whole
_LEAST_SEEN = 3  # examples of an ending or of joining letters
_LEAST_RIGHT = 0.02  # share of examples that are right
_ALIKE = 0.6  # common beginning of two target words that count as one, as a share of the longer
_MOST_FORMS = 50  # words with one stem; more say nothing

Evidence = dict[tuple[str, str], tuple[int, int]]
"""What is replaced by what, with how often that was right and how often it was seen."""


@dataclass(frozen=True, slots=True)
class WordForms:
    """Evidence of how words are made."""

    joints: Evidence = field(default_factory=dict)
    """End of a word, and what it is as the first part of a compound: ``("e", "en")`` for Straße, Straßen-."""
    endings: Evidence = field(default_factory=dict)
    """End of a word, and of another one with the same translation."""
    beginnings: Evidence = field(default_factory=dict)
    """The same for beginnings."""
    lengths: tuple[tuple[int, int], ...] = ()
    """By the length of the shorter part: compounds that were right, and seen."""
    parts: npt.NDArray[np.uint16] = field(default_factory=lambda: np.zeros((0, 4), np.uint16))
    """By source word: as first part right and seen, as last part right and seen."""
    insides: Evidence = field(default_factory=dict)
    """The same for letters inside, which become none, and for letters with a mark, which lose it."""
    numbers: Evidence = field(default_factory=dict)
    """Form of a number, and its form in the other language; see ``isogloss.grammar.numbers``."""

    def attributes(self) -> dict[str, Any]:
        """What is stored with the attributes of a table, beside ``parts``."""

        def rows(evidence: Evidence) -> list[list[Any]]:
            return [[*key, *value] for key, value in sorted(evidence.items())]

        return {
            "joints": rows(self.joints),
            "endings": rows(self.endings),
            "beginnings": rows(self.beginnings),
            "insides": rows(self.insides),
            "numbers": rows(self.numbers),
            "lengths": [list(pair) for pair in self.lengths],
        }

    @classmethod
    def of(cls, table: RuleTable) -> WordForms | None:
        """What was learned with a table; None if nothing was."""
        stored = table.attributes.get("word_forms")
        if stored is None:
            return None
        with table.report_corruption():
            parts = np.asarray(table.arrays["word_parts"], np.uint16).reshape(-1, 4)
            if len(parts) != len(table.source_words):
                raise ValueError("the evidence of parts does not fit the words")
            joints, endings, beginnings, insides, numbers = (
                {(str(a), str(b)): (int(r), int(n)) for a, b, r, n in stored.get(name, ())} for name in _KINDS
            )
            for evidence in (joints, endings, beginnings, insides, numbers):
                if not all(right > 0 and seen > 0 for right, seen in evidence.values()):
                    raise ValueError("the evidence of how words are made is out of range")
            lengths = tuple((int(right), int(seen)) for right, seen in stored["lengths"])
            if any(min(pair) < 0 for pair in lengths):
                raise ValueError("the evidence of lengths is out of range")
            return cls(joints, endings, beginnings, lengths, parts, insides, numbers)


_KINDS = ("joints", "endings", "beginnings", "insides", "numbers")


def fold(word: str) -> str:
    """A word without upper case; letters are never added, so that positions stay."""
    return word.lower() if len(word.lower()) == len(word) else word


def without_marks(form: str) -> str:
    """A form without marks on its letters; the same if that changes its length.

    >>> without_marks("bälle"), without_marks("tür")
    ('balle', 'tur')
    """
    if form.isascii():
        return form
    plain = "".join(unicodedata.normalize("NFD", letter)[0] for letter in form)
    return plain if len(plain) == len(form) else form


def is_word(text: str) -> bool:
    """Whether a token is a word: letters and marks, and hyphens or apostrophes inside.

    >>> is_word("rot-graue"), is_word("3D"), is_word("--")
    (True, False, False)
    """
    if text.isalpha():
        return True
    parts = _INSIDE.split(text)
    return all(parts) and all(
        character.isalpha() or unicodedata.category(character).startswith("M")
        for part in parts
        for character in part
    )


def learn_word_forms(table: RuleTable) -> WordForms:
    """Learn how the source words of a table are made; empty for a table without a lexicon."""
    if "lexicon_offsets" not in table.arrays or not len(table.source_words):
        return WordForms(parts=np.zeros((len(table.source_words), 4), np.uint16))
    learning = _Learning(table)
    joints, lengths, parts = learning.compounds()
    endings = _reliable(learning.changes(reverse=False))
    return WordForms(
        _reliable(joints),
        endings,
        _reliable(learning.changes(reverse=True)),
        lengths,
        parts,
        _reliable(learning.insides()) | _reliable(learning.marks(endings)),
        learn_number_forms(learning.numbers()),
    )


def store_word_forms(path: StrPath) -> None:
    """Learn how the source words of a stored table are made, and store it there."""

    def change(folder: ArrayFolder) -> tuple[dict[str, Any], tuple[str, ...], dict[str, Any]]:
        forms = learn_word_forms(RuleTable(folder))
        return {"word_parts": forms.parts}, (), {**folder.attributes, "word_forms": forms.attributes()}

    update_folder(path, kind=KIND, version=VERSION, change=change)


def _reliable(evidence: Mapping[tuple[str, str], list[int]]) -> Evidence:
    return {
        key: (right, seen)
        for key, (right, seen) in evidence.items()
        if seen >= _LEAST_SEEN and right >= 2 and right / seen >= _LEAST_RIGHT
    }


class _Learning:
    """The words of a table with their translations."""

    def __init__(self, table: RuleTable) -> None:
        self.size = len(table.source_words)
        offsets = np.asarray(table.arrays["lexicon_offsets"]).astype(np.int64)
        targets = np.asarray(table.arrays["lexicon_targets"])
        chances = np.asarray(table.arrays["lexicon_probabilities"]).reshape(-1, 2)
        words = self.words = table.source_words.words()
        usable = [
            number
            for number, word in enumerate(words[: len(offsets) - 1])
            if is_word(word) and len(word) <= LONGEST_WORD
        ]
        real = targets < len(table.target_words)  # not the word that stands for none
        likely = real & (chances[:, 0] >= _LIKELY) & (chances[:, 1] >= _LIKELY_BACK)
        possible = real & (chances[:, 0] >= _POSSIBLE)
        self.likely = _sets(offsets, targets, likely)
        self.possible = _sets(offsets, targets, possible)
        self.target_words = table.target_words.words()
        self.forms: dict[str, int] = {}  # by folded form: the word that has the most translations
        for number in usable:
            form = fold(words[number])
            known = self.forms.setdefault(form, number)
            if offsets[number + 1] - offsets[number] > offsets[known + 1] - offsets[known]:
                self.forms[form] = number

    def numbers(self) -> Iterator[tuple[str, list[str]]]:
        """Numbers with their translations."""
        for number, word in enumerate(self.words[: len(self.possible)]):
            if is_number(word):
                yield word, [self.target_words[target] for target in self.possible[number]]

    def compounds(
        self,
    ) -> tuple[Mapping[tuple[str, str], list[int]], tuple[tuple[int, int], ...], npt.NDArray[np.uint16]]:
        """Count joints, lengths and parts of words that look like compounds."""
        stems: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for form, number in self.forms.items():
            for lost in range(_MOST_JOINING + 1):
                if len(form) - lost >= _SHORTEST_PART + (lost > 0):
                    stems[form[: len(form) - lost]].append((form[len(form) - lost :], number))
        joints: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
        lengths = [[0, 0] for _ in range(LONGEST_WORD + 1)]
        parts = np.zeros((self.size, 4), np.int64)
        for form, whole in self.forms.items():
            for first, last, joint, shorter in self._ways(form, whole, stems):
                right = self._explained(whole, first, last)
                for counts in (joints[joint], lengths[shorter]):
                    counts[0] += right
                    counts[1] += 1
                parts[first, :2] += (right, 1)
                parts[last, 2:] += (right, 1)
        most = np.iinfo(np.uint16).max
        return joints, tuple((a, b) for a, b in lengths), np.minimum(parts, most).astype(np.uint16)

    def _ways(
        self, form: str, whole: int, stems: Mapping[str, list[tuple[str, int]]]
    ) -> Iterator[tuple[int, int, tuple[str, str], int]]:
        """Ways to make a form of two other words: both words, the joint, the length of the shorter."""
        for at in range(_SHORTEST_PART, len(form) - _SHORTEST_PART + 1):
            last = self.forms.get(form[at:])
            if last is None:
                continue
            for joining in range(min(_MOST_JOINING, at - _SHORTEST_PART) + 1):
                found = stems.get(form[: at - joining], ())
                if len(found) > _MOST_FORMS:
                    continue
                for lost, first in found:
                    joined = form[at - joining : at]
                    if first in (whole, last) or (lost and joined and lost[0] == joined[0]):
                        continue
                    yield first, last, (lost, joined), min(at - joining + len(lost), len(form) - at)

    def _explained(self, whole: int, first: int, last: int) -> bool:
        """Whether the parts translate to different words that the whole translates to."""
        wanted = self.possible[whole]
        a, b = self.likely[first] & wanted, self.likely[last] & wanted
        return bool(a) and bool(b) and len(a | b) > 1

    def changes(self, *, reverse: bool) -> Mapping[tuple[str, str], list[int]]:
        """Count endings (or beginnings) of words with the same stem, and whether they translate alike."""
        stems: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for form, number in self.forms.items():
            turned = form[::-1] if reverse else form
            for lost in range(_MOST_ENDING + 1):
                if len(turned) - lost >= _SHORTEST_STEM:
                    stems[turned[: len(turned) - lost]].append((turned[len(turned) - lost :], number))
        found: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
        for forms in stems.values():
            if len(forms) > _MOST_FORMS:
                continue
            for ending, number in forms:
                for other, known in forms:
                    if known == number or (ending and other and ending[0] == other[0]):
                        continue
                    key = (ending[::-1], other[::-1]) if reverse else (ending, other)
                    self._count(found[key], number, known)
        return found

    def insides(self) -> Mapping[tuple[str, str], list[int]]:
        """Count letters inside words that are other words without them, and whether those translate alike."""
        found: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
        for form, number in self.forms.items():
            for at in range(_BEFORE_INSIDE, len(form) - _AFTER_INSIDE):
                for length in range(1, min(_MOST_ENDING, len(form) - _AFTER_INSIDE - at) + 1):
                    other = self.forms.get(form[:at] + form[at + length :])
                    if other is not None:
                        self._count(found[form[at : at + length], ""], number, other)
        return found

    def marks(self, endings: Evidence) -> Mapping[tuple[str, str], list[int]]:
        """Count letters with marks without which words, or words with another ending, are known."""
        found: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
        others: dict[str, list[str]] = defaultdict(list)
        for one, other in endings:
            others[one].append(other)
        for form, number in self.forms.items():
            plain = without_marks(form)
            changed = [(a, b) for a, b in zip(form, plain, strict=True) if a != b]
            if len(changed) != 1:
                continue
            for length in range(min(_MOST_ENDING, len(plain) - _SHORTEST_STEM) + 1):
                stem = plain[: len(plain) - length]
                for ending in {"", *others.get(form[len(stem) :], ())} if length else {""}:
                    known = self.forms.get(stem + ending)
                    if known is not None:
                        self._count(found[changed[0]], number, known)
        return found

    def _count(self, counts: list[int], one: int, other: int) -> None:
        counts[0] += self._alike(one, other)
        counts[1] += 1

    def _alike(self, one: int, other: int) -> bool:
        """Whether most translations of one word are forms of translations of the other; compounds that share
        a part have only some in common."""
        fewer, more = sorted((self.likely[one], self.likely[other]), key=len)
        words = self.target_words
        same = sum(x in more or any(similar(words[x], words[y]) for y in more) for x in fewer)
        return same > len(fewer) / 2


def similar(one: str, other: str) -> bool:
    """Whether two words begin alike, as forms of one word do.

    >>> similar("walk", "walking"), similar("walk", "wall"), similar("a", "an")
    (True, False, False)
    """
    shorter, longer = sorted((len(one), len(other)))
    common = next((i for i in range(shorter) if one[i] != other[i]), shorter)
    if common == shorter:
        return common >= max(3, _ALIKE * longer - 1)
    return common >= max(4, _ALIKE * longer)


def _sets(
    offsets: npt.NDArray[np.int64], targets: npt.NDArray[Any], chosen: npt.NDArray[np.bool_]
) -> list[frozenset[int]]:
    """The chosen targets of every source word."""
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(chosen)])
    kept = targets[chosen].tolist()
    bounds = before[offsets].tolist()
    return [frozenset(kept[a:b]) for a, b in pairwise(bounds)]
