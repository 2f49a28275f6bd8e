"""Truecasing: give each word the case that it usually has inside sentences, as the Moses truecaser does.

The rules are those of Moses and sacremoses. The model is a table with three columns: the word in lower case,
a form of it, and how often this form occurred inside sentences. The engine learns it and looks words up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

import numpy.typing as npt

from isogloss import _engine
from isogloss.corpus.case import is_dotted, lowered
from isogloss.io.errors import DataFormatError, ModelFormatError
from isogloss.io.streams import StrPath, atomic_output, read_lines

__all__ = ["Truecaser", "load_truecaser", "parse_truecaser", "train_truecaser", "undo_truecase"]

_COUNT = re.compile(r"[0-9]{1,18}")
_ENDS = frozenset({".", ":", "?", "!"})
"""Tokens after which a sentence begins."""
_OPENINGS = frozenset({"(", "[", '"', "'", "&apos;", "&quot;", "&#91;", "&#93;"})
"""Tokens that do not count as the beginning of a sentence; it begins after them."""
_BATCH = 10_000


class Truecaser:
    """Chooses the usual case of words.

    >>> case = train_truecaser(["The dog saw the Pope", "Dogs saw Peter"])
    >>> case.truecase(["The", "DOG", "saw", "THE", "Pope"])
    ['the', 'dog', 'saw', 'the', 'Pope']
    """

    def __init__(
        self, arrays: Mapping[str, npt.NDArray[Any]], language: str = "", path: StrPath = "truecaser"
    ) -> None:
        """Use the arrays of another truecaser, in memory or mapped from a file; nothing is read here, and
        ``path`` is for error messages."""
        self.arrays, self._path = dict(arrays), path
        self._table = _engine.CaseTable(dotted=is_dotted(language), **self.arrays)

    def usual_form(self, word: str) -> str | None:
        """Return the usual form of a word inside sentences; None if it never occurred there."""
        with self._report_damage():
            return self._table.usual_form(word)

    def truecase(self, tokens: Sequence[str]) -> list[str]:
        """Give the first word of a sentence, and words in an unknown form, their usual form."""
        return self.truecase_lines([" ".join(tokens)])[0].split(" ") if tokens else []

    def truecase_lines(self, lines: list[str], *, threads: int = 1) -> list[str]:
        """Do the same for lines of tokens with a space between them."""
        with self._report_damage():
            return self._table.truecase_lines(lines, threads=threads)

    def usual(self, tokens: Sequence[str]) -> list[str]:
        """Give every word its usual form.

        >>> train_truecaser(["x the user", "x the user", "x IP"]).usual(["User", "IP"])
        ['user', 'IP']
        """
        return self.usual_lines([" ".join(tokens)])[0].split(" ") if tokens else []

    def usual_lines(self, lines: list[str], *, threads: int = 1) -> list[str]:
        """Do the same for lines of tokens with a space between them."""
        with self._report_damage():
            return self._table.usual_lines(lines, threads=threads)

    def save(self, path: StrPath) -> None:
        """Write the table."""
        with atomic_output(path) as stream:
            stream.writelines(f"{word}\t{form}\t{count}\n" for word, form, count in self.rows())

    def rows(self) -> list[tuple[str, str, int]]:
        """Return the rows of the table."""
        with self._report_damage():
            return self._table.rows()

    @contextmanager
    def _report_damage(self) -> Iterator[None]:
        """Say which table has a form that is no text."""
        try:
            yield
        except UnicodeDecodeError:
            raise ModelFormatError(
                "the table of case is damaged (a word is not valid UTF-8)",
                self._path,
                "rebuild it or restore it from a backup",
            ) from None


def train_truecaser(lines: Iterable[str], language: str = "") -> Truecaser:
    """Count the forms of words in lines of tokens of a language, with a space between tokens.

    From a text without case, or with only one word per line, nothing is learned and no word is changed.
    """
    counter = _engine.CaseCounter()
    rest = iter(lines)
    while batch := list(islice(rest, _BATCH)):
        counter.add_lines(batch)
    return Truecaser(counter.arrays(is_dotted(language)), language)


def load_truecaser(path: StrPath) -> Truecaser:
    """Read a table written by ``Truecaser.save``."""
    return parse_truecaser(read_lines(path), path)


def parse_truecaser(lines: Iterable[str], path: StrPath, language: str = "") -> Truecaser:
    """Parse the lines of such a table; ``path`` is for error messages."""
    counter = _engine.CaseCounter()
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
        counter.add(fields[1], int(fields[2]))
    return Truecaser(counter.arrays(is_dotted(language)), language)


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
