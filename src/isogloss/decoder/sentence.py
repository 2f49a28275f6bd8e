"""A sentence to translate: words, factors and given translations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from isogloss.decoder.plf import Lattice

__all__ = ["Fixed", "Sentence", "Source", "split_words"]

_SPACE = re.compile(r"[ \t-\r]+")  # what separates words everywhere in isogloss
_UNFIT = re.compile(r"[\0 \t-\r\ud800-\udfff]")
_MOST_FIXED_WORDS = 1000


def split_words(sentence: str) -> list[str]:
    """The words of a sentence, separated by ASCII whitespace."""
    # The only white space of printable text is the space; splitting there needs no regular expression.
    words = sentence.split(" ") if sentence.isprintable() else _SPACE.split(sentence)
    return words if all(words) else [word for word in words if word]


@dataclass(frozen=True, slots=True, order=True)
class Fixed:
    """A given translation of the words ``begin`` up to ``end`` (exclusive) of a sentence."""

    begin: int
    end: int
    translation: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A tokenized sentence with optional factors and given translations.

    >>> Sentence.of("das alte Haus", fixed=[Fixed(1, 3, ("Altbau",))]).units()
    ['das', (['alte', 'Haus'], ['Altbau'])]
    """

    words: tuple[str, ...]
    factors: tuple[tuple[str, ...], ...] = field(default=(), kw_only=True)
    """Extra columns, such as parts of speech; each has an entry for every word."""
    factor_names: tuple[str, ...] = field(default=(), kw_only=True)
    """A name for each column."""
    fixed: tuple[Fixed, ...] = field(default=(), kw_only=True)
    """Given translations, from left to right; each is used as one unit, unchanged."""
    text: str = field(default="", kw_only=True, compare=False)
    """The text that the words were made from, if the input was not tokenized."""

    def __post_init__(self) -> None:
        for word in (*self.words, *(word for part in self.fixed for word in part.translation)):
            if not word or _UNFIT.search(word):
                raise ValueError(
                    f"the word {word!r} is empty or contains whitespace, a NUL byte or a lone surrogate"
                )
        if len(self.factors) != len(self.factor_names) or len(set(self.factor_names)) != len(self.factors):
            raise ValueError("factor names must be unique, one for each factor column")
        for name, column in zip(self.factor_names, self.factors, strict=True):
            if len(column) != len(self.words):
                raise ValueError(f"the factor '{name}' has {len(column)} entries for {len(self.words)} words")
        covered = 0
        for part in self.fixed:
            if not covered <= part.begin < part.end <= len(self.words):
                raise ValueError(
                    f"the translation given for words {part.begin} to {part.end} overlaps another one, is "
                    f"empty or is outside the {len(self.words)} words"
                )
            if len(part.translation) > _MOST_FIXED_WORDS:
                raise ValueError(f"a given translation has more than {_MOST_FIXED_WORDS} words")
            covered = part.end

    @classmethod
    def of(cls, tokens: str | Sequence[str], *, fixed: Iterable[Fixed] = (), text: str = "") -> Sentence:
        """Make a sentence from tokens: a string with spaces, or a list."""
        words = split_words(tokens) if isinstance(tokens, str) else tokens
        return cls(tuple(words), fixed=tuple(sorted(fixed)), text=text)

    def factor(self, name: str) -> tuple[str, ...]:
        """The factor column with this name; raises KeyError if there is none."""
        try:
            return self.factors[self.factor_names.index(name)]
        except ValueError:
            raise KeyError(name) from None

    def with_fixed(self, more: Iterable[Fixed]) -> Sentence:
        """A copy with additional given translations."""
        return replace(self, fixed=tuple(sorted((*self.fixed, *more))))

    def units(self) -> list[str | tuple[list[str], list[str]]]:
        """The units of translation: a word, or several words with a given translation."""
        units: list[str | tuple[list[str], list[str]]] = []
        begin = 0
        for part in self.fixed:
            units += self.words[begin : part.begin]
            units.append((list(self.words[part.begin : part.end]), list(part.translation)))
            begin = part.end
        units += self.words[begin:]
        return units


Source = str | Sentence | Lattice
"""Anything that can be translated: a tokenized string, a ``Sentence`` or a word lattice."""
