"""Token columns: annotations of words, such as class, part of speech or lemma."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.streams import StrPath, atomic_output, read_lines

if TYPE_CHECKING:
    from isogloss.classes.words import WordClasses

__all__ = ["TokenColumn"]


@dataclass(frozen=True, slots=True)
class TokenColumn:
    """The values of words; a word may have none, one or several.

    >>> TokenColumn({"saw": ("NOUN", "VERB")})["saw"]
    ('NOUN', 'VERB')
    """

    values: Mapping[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        for word, values in self.values.items():
            for text in (word, *values):
                if not text or text.split() != [text]:
                    raise ConfigError(f"a word or value must be text without whitespace, got {text!r}")

    def __getitem__(self, word: str) -> tuple[str, ...]:
        return self.values.get(word, ())

    def __len__(self) -> int:
        return len(self.values)

    @classmethod
    def from_classes(cls, classes: WordClasses) -> TokenColumn:
        """Word classes as a column; unknown words have no value."""
        return cls({word: (str(classes[word]),) for word in classes})

    def summary(self) -> dict[str, int]:
        """Number of words, of words with several values, and of different values."""
        return {
            "words": len(self),
            "ambiguous": sum(len(values) > 1 for values in self.values.values()),
            "values": len({value for values in self.values.values() for value in values}),
        }

    def save(self, path: StrPath) -> None:
        """Write a file for ``load``."""
        with atomic_output(path) as stream:
            for word, values in self.values.items():
                stream.write(f"{word}\t{' '.join(values)}\n")

    @classmethod
    def load(cls, path: StrPath) -> TokenColumn:
        """Read lines of a word, a tab, and its values separated by spaces."""
        values: dict[str, tuple[str, ...]] = {}
        for number, line in enumerate(read_lines(path), start=1):
            word, tab, rest = line.partition("\t")
            if not tab or not word or word.split() != [word]:
                raise DataFormatError(
                    f"'{line[:60]}' is not a word and its values",
                    path,
                    number,
                    "write a word, a tab and its values",
                )
            if word in values:
                raise DataFormatError(f"the word '{word}' occurs twice", path, number)
            values[word] = tuple(rest.split())
        return cls(values)

    @classmethod
    def from_factored(cls, path: StrPath, factor: int, *, separator: str = "|") -> TokenColumn:
        """A column from text with factors (``houses|NOUN|house``): all values seen with a word.

        ``factor`` is the position of the value; the word itself is 0.
        """
        seen: dict[str, dict[str, None]] = {}
        for number, line in enumerate(read_lines(path), start=1):
            for token in line.split():
                factors = token.split(separator)
                if len(factors) <= factor or not factors[0] or not factors[factor]:
                    raise DataFormatError(f"'{token[:60]}' has no factor {factor}", path, number)
                seen.setdefault(factors[0], {})[factors[factor]] = None
        return cls({word: tuple(sorted(found)) for word, found in seen.items()})
