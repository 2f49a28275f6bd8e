"""Word classes and their file format: one ``word<TAB>class`` per line, as in mkcls and Moses.

Class 0 is that of unknown words and class 1 that of the sentence boundary, so induced classes begin at 2.
A line for ``<unk>`` gives unknown words a class among the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from isogloss._engine import Vocabulary
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.streams import StrPath, atomic_output, read_lines

__all__ = ["BOUNDARY_CLASS", "FIRST_CLASS", "UNKNOWN_CLASS", "UNKNOWN_WORD", "WordClasses"]

UNKNOWN_CLASS = 0
BOUNDARY_CLASS = 1
FIRST_CLASS = 2
UNKNOWN_WORD = "<unk>"

_LARGEST = 2**32 - 1


class WordClasses:
    """The classes of words, in the given order (induced classes: most frequent words first).

    >>> classes = WordClasses({"man": 2, "woman": 2, "runs": 3})
    >>> classes["woman"], classes["unheard-of"], "runs" in classes
    (2, 0, True)
    """

    def __init__(self, classes: Mapping[str, int]) -> None:
        for word, number in classes.items():
            if not word or word.split() != [word]:
                raise ConfigError(f"a word must be text without whitespace, got {word!r}")
            if not 0 <= number <= _LARGEST:
                raise ConfigError(f"the class of {word!r} must be between 0 and {_LARGEST}, got {number}")
        self._class_of = dict(classes)
        self.unknown = self._class_of.get(UNKNOWN_WORD, UNKNOWN_CLASS)
        """The class of every word that is not in the table."""

    @classmethod
    def load(cls, path: StrPath) -> WordClasses:
        """Read a file of ``word<TAB>class`` lines; a single space instead of the tab is accepted too."""
        table: dict[str, int] = {}
        for number, line in enumerate(read_lines(path), start=1):
            word, class_number = _parse(line, path, number)
            if word in table:
                raise DataFormatError(f"the word '{word}' occurs twice", path, number)
            table[word] = class_number
        return cls(table)

    def save(self, path: StrPath) -> None:
        """Write one ``word<TAB>class`` line per word."""
        with atomic_output(path) as stream:
            for word, number in self._class_of.items():
                stream.write(f"{word}\t{number}\n")

    def __getitem__(self, word: str) -> int:
        return self._class_of.get(word, self.unknown)

    def __contains__(self, word: object) -> bool:
        return word in self._class_of

    def __len__(self) -> int:
        return len(self._class_of)

    def __iter__(self) -> Iterator[str]:
        return iter(self._class_of)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WordClasses) and self._class_of == other._class_of

    __hash__ = None  # type: ignore[assignment]

    def classify(self, words: Iterable[str]) -> list[int]:
        """The class of each word of a sentence."""
        return [self._class_of.get(word, self.unknown) for word in words]

    def members(self) -> dict[int, list[str]]:
        """The words of each class, in the order of classes."""
        groups: dict[int, list[str]] = {}
        for word, number in self._class_of.items():
            groups.setdefault(number, []).append(word)
        return dict(sorted(groups.items()))

    def by_id(self, vocabulary: Vocabulary) -> npt.NDArray[np.uint32]:
        """The class of every word of a vocabulary, indexed by word id."""
        return np.array(self.classify(vocabulary.words()), dtype=np.uint32)


def _parse(line: str, path: StrPath, number: int) -> tuple[str, int]:
    fields = line.split("\t") if "\t" in line else line.split(" ")
    if len(fields) != 2:
        raise DataFormatError(
            f"{len(fields)} fields found, 2 expected",
            path,
            number,
            "each line must be a word, a tab and its class",
        )
    word, text = fields
    if not word or word.split() != [word]:
        raise DataFormatError(f"{word!r} is not a word", path, number, "words must not contain whitespace")
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and int(text) <= _LARGEST):
        raise DataFormatError(
            f"the class {text!r} is not a number from 0 to {_LARGEST}",
            path,
            number,
            "give classes as numbers",
        )
    return word, int(text)
