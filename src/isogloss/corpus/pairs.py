"""A sentence and its translation, and what is told to and learnt from a reader of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from isogloss.io.errors import ConfigError

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
class ReadOptions:
    """What to take from a file that holds more than one could want."""

    source_language: str = ""
    """Language to take as the source, such as ``en`` or ``pt-BR``; empty for what the file calls source."""
    target_language: str = ""
    """Language to take as the target; empty for the only other one."""
    columns: tuple[int, int] | None = None
    """Columns of a TSV file that hold source and target, counted from 1; the first two if not given."""
    keep_markup: bool = False
    """Keep the tags inside segments of TMX and XLIFF as text."""

    def __post_init__(self) -> None:
        if self.columns is not None and (min(self.columns) < 1 or self.columns[0] == self.columns[1]):
            raise ConfigError(f"columns must be two different numbers from 1 on, got {self.columns}")


@dataclass(slots=True)
class Reading:
    """What a reader has learnt so far beside the pairs themselves."""

    source_language: str = ""
    target_language: str = ""
    skipped: Counter[str] = field(default_factory=Counter)
    """Units that are no pairs, by reason: ``fuzzy``, ``untranslated``, …"""
