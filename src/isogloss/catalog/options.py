"""Options for filling a catalog."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from isogloss.io.options import Between, DefaultText, Options
from isogloss.io.streams import StrPath

__all__ = ["FillOptions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FillOptions(Options):
    """Options for filling a catalog."""

    source_language: Annotated[str, DefaultText("what the file says")] = ""
    """Source language of a TMX file, such as ``en``."""
    target_language: Annotated[str, DefaultText("the language that the engine writes")] = ""
    """Target language of a TMX file, such as ``de``."""
    terms: StrPath | None = None
    """Terminology file: term and translation in a TSV, CSV or TBX file."""
    terms_ignore_case: bool = False
    """Ignore case when looking for terms."""
    confidence: StrPath | None = None
    """Write a TSV file with line, confidence, message and translation of each draft, least confident
    first."""
    replace_drafts: bool = False
    """Translate again the drafts of engines that nobody has changed or accepted. Use it after retraining."""
    replace_fuzzy: bool = False
    """Translate fuzzy entries again (XLIFF: entries that need work), no matter who wrote them."""
    fuzzy_flag: bool = True
    """Mark drafts as fuzzy (XLIFF: as needing review), so that programs do not show them before they are
    reviewed."""
    min_confidence: Annotated[float, Between(0, 1)] = 0.0
    """Leave an entry unchanged if the confidence of its draft is below this, from 0 to 1. Confidence is the
    expected chrF, divided by 100; 'isogloss inspect' shows what a threshold is worth."""
