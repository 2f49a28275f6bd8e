"""Parallel text that models for features are trained on."""

from __future__ import annotations

from isogloss.io.errors import DataFormatError
from isogloss.io.text_lines import TextLines, text_lines

__all__ = ["both_sides"]


def both_sides(source: TextLines, target: TextLines) -> tuple[list[str], list[str]]:
    """Both sides of parallel text, files or lists of sentences; their lengths must be equal."""
    sides = list(text_lines(source, "text")), list(text_lines(target, "text"))
    if len(sides[0]) != len(sides[1]):
        raise DataFormatError(
            f"{len(sides[1]):,} lines found, but the source has {len(sides[0]):,}",
            target if isinstance(target, str) else "target",
            hint="line i of each file must belong to the same sentence",
        )
    return sides
