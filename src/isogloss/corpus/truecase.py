"""Truecasing: give each word the case that it usually has inside sentences, as the Moses truecaser does.

The rules are those of Moses and sacremoses. The model is a table with three columns: the word in lower case,
a form of it, and how often this form occurred inside sentences.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from isogloss.corpus.case import lowered
from isogloss.corpus.placeholders import MARK
from isogloss.io.errors import DataFormatError
from isogloss.io.streams import StrPath, atomic_output, read_lines

__all__ = ["Truecaser", "load_truecaser", "parse_truecaser", "train_truecaser", "undo_truecase"]

_COUNT = re.compile(r"[0-9]{1,18}")
_ENDS = frozenset({".", ":", "?", "!"})
"""Tokens after which a sentence begins."""
_OPENINGS = frozenset({"(", "[", '"', "'", "&apos;", "&quot;", "&#91;", "&#93;"})
"""Tokens that do not count as the beginning of a sentence; it begins after them."""


class Truecaser:
    """Chooses the usual case of words.

    >>> case = train_truecaser([["The", "dog", "saw", "the", "Pope"], ["Dogs", "saw", "Peter"]])
    >>> case.truecase(["The", "DOG", "saw", "THE", "Pope"])
    ['the', 'dog', 'saw', 'the', 'Pope']
    """

    def __init__(self, counts: dict[str, int], language: str = "") -> None:
        self._counts, self._language = counts, language
        self._best: dict[str, str] = {}
        for word, forms in groupby(self._rows(), key=lambda row: row[0]):
            self._best[word] = next(iter(forms))[1]

    def _rows(self) -> list[tuple[str, str, int]]:
        rows = [(self._lower(form), form, count) for form, count in self._counts.items()]
        return sorted(rows, key=lambda row: (row[0], -row[2], row[1]))

    def _lower(self, form: str) -> str:
        return lowered(form, self._language)

    def usual_form(self, word: str) -> str | None:
        """Return the usual form of a word inside sentences; None if it never occurred there."""
        form = self._best.get(self._lower(word))
        return form if form is not None and self._counts[form] else None

    def truecase(self, tokens: Sequence[str]) -> list[str]:
        """Give the first word of a sentence, and words in an unknown form, their usual form."""
        cased: list[str] = []
        begins = True
        for token in tokens:
            if begins or not self._counts.get(token):
                cased.append(self._best.get(self._lower(token), token))
            else:
                cased.append(token)
            if token not in _OPENINGS:
                begins = token in _ENDS
        return cased

    def usual(self, tokens: Sequence[str]) -> list[str]:
        """Give every word its usual form.

        >>> train_truecaser([["x", "the", "user"], ["x", "the", "user"], ["x", "IP"]]).usual(["User", "IP"])
        ['user', 'IP']
        """
        return [self._best.get(self._lower(token), token) for token in tokens]

    def save(self, path: StrPath) -> None:
        """Write the table."""
        with atomic_output(path) as stream:
            stream.writelines(f"{line}\n" for line in self.lines())

    def lines(self) -> list[str]:
        """Return the lines of the table."""
        return [f"{word}\t{form}\t{count}" for word, form, count in self._rows()]


def train_truecaser(sentences: Iterable[Sequence[str]], language: str = "") -> Truecaser:
    """Count the forms of words in tokenized sentences of a language.

    From a text without case, or with only one word per line, nothing is learned and no word is changed.
    """
    counts: Counter[str] = Counter()
    for tokens in sentences:
        begins = True
        for token in tokens:
            if not MARK.fullmatch(token) and _has_case(token):
                # The first word of a sentence counts only if it is in lower case. Other first words are
                # recorded with a count of 0, in case they occur nowhere else.
                counts[token] += not begins or token[:1].islower()
            if token not in _OPENINGS:
                begins = not begins and token in _ENDS
    return Truecaser(dict(counts), language)


def _has_case(token: str) -> bool:
    # Georgian letters have capitals, but words do not begin with them.
    return any(c.title() != c or c.lower() != c for c in token)


def load_truecaser(path: StrPath) -> Truecaser:
    """Read a table written by ``Truecaser.save``."""
    return parse_truecaser(read_lines(path), path)


def parse_truecaser(lines: Iterable[str], path: StrPath, language: str = "") -> Truecaser:
    """Parse the lines of such a table; ``path`` is for error messages."""
    counts: dict[str, int] = {}
    rows = list(lines)
    for number, line in enumerate([] if rows == [""] else rows, start=1):
        fields = line.split("\t")
        if len(fields) != 3 or not _COUNT.fullmatch(fields[2]) or not _same(fields, language):
            raise DataFormatError(
                "a word in lower case, a form of it and a count expected, separated by tabs",
                path,
                number,
                "is this a table written by 'isogloss corpus truecase train'?",
            )
        counts[fields[1]] = int(fields[2])
    return Truecaser(counts, language)


def _same(fields: Sequence[str], language: str) -> bool:
    """Whether the first field is the second in lower case, by the rules of the language or of Unicode."""
    return fields[0] in (fields[1].lower(), lowered(fields[1], language))


def undo_truecase(tokens: Sequence[str]) -> list[str]:
    """Capitalize the first word of each sentence.

    >>> undo_truecase(["the", "end", ".", "'", "really", "?"])
    ['The', 'end', '.', "'", 'Really', '?']
    """
    cased: list[str] = []
    begins = True
    for token in tokens:
        opening = token in _OPENINGS
        cased.append(token[:1].title() + token[1:] if begins and not opening else token)
        if not opening:
            begins = token in _ENDS
    return cased
