"""Giving each word the case it has inside sentences: learned by counting, as the Moses truecaser does.

The rules are those of Moses and sacremoses; the model is a table of three columns, the word in lower
case, a form of it, and how often it was seen where a sentence does not begin.
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
"""After these a sentence begins."""
_OPENINGS = frozenset({"(", "[", '"', "'", "&apos;", "&quot;", "&#91;", "&#93;"})
"""Before these, and after them, it has still to begin."""


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
        """The form that a word usually has inside sentences; None if it was not seen there."""
        form = self._best.get(self._lower(word))
        return form if form is not None and self._counts[form] else None

    def truecase(self, tokens: Sequence[str]) -> list[str]:
        """Give a sentence's first word, and words in a form never seen, the form that is usual."""
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
        """Give every word the form that is usual.

        >>> train_truecaser([["x", "the", "user"], ["x", "the", "user"], ["x", "IP"]]).usual(["User", "IP"])
        ['user', 'IP']
        """
        return [self._best.get(self._lower(token), token) for token in tokens]

    def save(self, path: StrPath) -> None:
        """Write the table."""
        with atomic_output(path) as stream:
            stream.writelines(f"{line}\n" for line in self.lines())

    def lines(self) -> list[str]:
        """The lines of the table."""
        return [f"{word}\t{form}\t{count}" for word, form, count in self._rows()]


def train_truecaser(sentences: Iterable[Sequence[str]], language: str = "") -> Truecaser:
    """Count the forms of words in tokenized sentences of a language.

    A text without case, or with nothing but first words, teaches nothing, and then no word is changed.
    """
    counts: Counter[str] = Counter()
    for tokens in sentences:
        begins = True
        for token in tokens:
            if not MARK.fullmatch(token) and _has_case(token):
                # At its beginning a sentence tells something only about words that it leaves in lower case;
                # others are noted, for those that stand nowhere else.
                counts[token] += not begins or token[:1].islower()
            if token not in _OPENINGS:
                begins = not begins and token in _ENDS
    return Truecaser(dict(counts), language)


def _has_case(token: str) -> bool:
    # Georgian letters have capitals too, but words do not begin with them.
    return any(c.title() != c or c.lower() != c for c in token)


def load_truecaser(path: StrPath) -> Truecaser:
    """Read a table written by ``Truecaser.save``."""
    return parse_truecaser(read_lines(path), path)


def parse_truecaser(lines: Iterable[str], path: StrPath, language: str = "") -> Truecaser:
    """Read the lines of such a table; ``path`` is for the messages."""
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
    """Whether the first is the second in small letters, as the language has them or as most do."""
    return fields[0] in (fields[1].lower(), lowered(fields[1], language))


def undo_truecase(tokens: Sequence[str]) -> list[str]:
    """Begin each sentence with a capital.

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
