"""Token columns: what a dictionary says about words, such as their class, part of speech or lemma."""

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
    """The values of words; a word may have several, and one without any is not seen in this column.

    >>> TokenColumn({"saw": ("NOUN", "VERB")})["saw"]
    ('NOUN', 'VERB')
    """

    values: Mapping[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        for word, values in self.values.items():
            for text in (word, *values):
                if not text or text.split() != [text]:
                    raise ConfigError(f"a word or value must be text without white space, got {text!r}")

    def __getitem__(self, word: str) -> tuple[str, ...]:
        return self.values.get(word, ())

    def __len__(self) -> int:
        return len(self.values)

    @classmethod
    def from_classes(cls, classes: WordClasses) -> TokenColumn:
        """Word classes as a column; unknown words have no class in it."""
        return cls({word: (str(classes[word]),) for word in classes})

    def summary(self) -> dict[str, int]:
        """How many words, words with several values, and different values there are."""
        return {
            "words": len(self),
            "ambiguous": sum(len(values) > 1 for values in self.values.values()),
            "values": len({value for values in self.values.values() for value in values}),
        }

    def save(self, path: StrPath) -> None:
        """Write lines as ``load`` reads them."""
        with atomic_output(path) as stream:
            for word, values in self.values.items():
                stream.write(f"{word}\t{' '.join(values)}\n")

    @classmethod
    def load(cls, path: StrPath) -> TokenColumn:
        """Read lines of a word, a tab, and its values with spaces between them."""
        values: dict[str, tuple[str, ...]] = {}
        for number, line in enumerate(read_lines(path), start=1):
            word, tab, rest = line.partition("\t")
            if not tab or not word or word.split() != [word]:
                raise DataFormatError(
                    f"'{line[:60]}' is not a word and its values",
                    path,
                    number,
                    "write them with a tab between",
                )
            if word in values:
                raise DataFormatError(f"the word '{word}' stands twice", path, number)
            values[word] = tuple(rest.split())
        return cls(values)

    @classmethod
    def from_factored(cls, path: StrPath, factor: int, *, separator: str = "|") -> TokenColumn:
        """From text whose words carry factors (``houses|NOUN|house``): all values a word was seen with.

        ``factor`` is the position of the value, the word itself being 0.
        """
        seen: dict[str, dict[str, None]] = {}
        for number, line in enumerate(read_lines(path), start=1):
            for token in line.split():
                factors = token.split(separator)
                if len(factors) <= factor or not factors[0] or not factors[factor]:
                    raise DataFormatError(f"'{token[:60]}' has no factor {factor}", path, number)
                seen.setdefault(factors[0], {})[factors[factor]] = None
        return cls({word: tuple(sorted(found)) for word, found in seen.items()})
