"""Sentence pairs, and the options and results of reading them."""

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
    """A sentence and its translation; fields that the format does not have are empty."""

    source: str
    target: str
    id: str = ""
    context: str = ""
    line: int = field(default=0, compare=False)
    """Line on which the pair begins in its file, counted from 1; 0 if it does not come from a file."""


PairWriter = Callable[[SentencePair], bool]
"""Writes one pair. Returns False if the format cannot store it.

Each format module creates one from open streams (one per file), the two languages, and the name of the
output for error messages.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions(Options):
    """Which part of a bilingual file to read."""

    source_language: Annotated[str, DefaultText("what the file calls source")] = ""
    """Source language in a TMX or XLIFF file, such as en or pt-BR."""
    target_language: Annotated[str, DefaultText("the only other one in the file")] = ""
    """Target language in a TMX or XLIFF file, such as de."""
    columns: Annotated[tuple[int, int] | None, AtLeast(1), DefaultText("1,2")] = None
    """Source and target columns of a TSV file, counted from 1, such as 2,4."""
    keep_markup: bool = False
    """Keep tags inside TMX and XLIFF segments as text."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.columns is not None and len(set(self.columns)) != 2:
            raise ConfigError(f"columns must be two different numbers, such as 2,4, got {self.columns}")


@dataclass(slots=True)
class Reading:
    """Facts that a reader collects in addition to the pairs."""

    source_language: str = ""
    target_language: str = ""
    skipped: Counter[str] = field(default_factory=Counter)
    """Number of skipped units by reason: ``fuzzy``, ``untranslated``, …"""
