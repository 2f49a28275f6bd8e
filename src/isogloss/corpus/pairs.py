"""A sentence and its translation, and what is told to and learned from a reader of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated

from isogloss.io.errors import ConfigError
from isogloss.io.options import AtLeast, DefaultText, Options

__all__ = ["PairWriter", "ReadOptions", "Reading", "SentencePair"]


@dataclass(frozen=True, slots=True)
class SentencePair:
    """A sentence and its translation; the rest is empty where a format has no such thing."""

    source: str
    target: str
    id: str = ""
    context: str = ""
    line: int = field(default=0, compare=False)
    """Where the pair begins in the file it was read from, counted from 1; 0 if it was not read."""


PairWriter = Callable[[SentencePair], bool]
"""Writes one pair and says whether it could: a format may have no place for it.

The modules of the formats make one out of open streams, one per file, the two languages, and the name
of the output for messages.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions(Options):
    """Which part of a bilingual file to read."""

    source_language: Annotated[str, DefaultText("what the file calls source")] = ""
    """Source language in a TMX or XLIFF file, such as en or pt-BR."""
    target_language: Annotated[str, DefaultText("the only other one in the file")] = ""
    """Target language in a TMX or XLIFF file, such as de."""
    columns: Annotated[tuple[int, int] | None, AtLeast(1), DefaultText("1,2")] = None
    """Columns of a TSV file with source and target, counted from 1, such as 2,4."""
    keep_markup: bool = False
    """Keep tags inside TMX and XLIFF segments as text."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.columns is not None and len(set(self.columns)) != 2:
            raise ConfigError(f"columns must be two different numbers, such as 2,4, got {self.columns}")


@dataclass(slots=True)
class Reading:
    """What a reader has learned so far beside the pairs themselves."""

    source_language: str = ""
    target_language: str = ""
    skipped: Counter[str] = field(default_factory=Counter)
    """Units that are no pairs, by reason: ``fuzzy``, ``untranslated``, …"""
