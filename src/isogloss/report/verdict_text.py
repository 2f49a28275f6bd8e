"""A verdict as plain text, for terminals and notebooks."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from isogloss.report.verdict import ConfidenceCheck, JudgedString, Verdict, share

__all__ = ["verdict_lines"]

_WIDTH = 100
_LONGEST = 90
"""Characters of a string that are shown."""
_FILLED = 0.8
"""Threshold that is given as an example."""


def verdict_lines(verdict: Verdict) -> Iterator[str]:
    """The lines of the text."""
    yield from ("How good is it?", *_wrapped(verdict.headline()), "")
    if verdict.parts:
        yield from (*_table(verdict.HEAD, verdict.rows()), "")
    for text in verdict.warnings:
        yield from _wrapped(f"Note: {text}")
    if verdict.warnings:
        yield ""
    if verdict.advice:
        yield "What would help most"
        for number, text in enumerate(verdict.advice, start=1):
            yield from _wrapped(text, f"{number}. ")
        yield ""
    if verdict.confidence is not None:
        yield from (*_confidence(verdict.confidence), "")
    if verdict.best:
        yield f"The {len(verdict.best)} best"
        for one in verdict.best:
            yield f"  {_short(one.source, _LONGEST // 2)} → {_short(one.translation, _LONGEST // 2)}"
        yield ""
        yield f"The {len(verdict.worst)} worst"
        for one in verdict.worst:
            yield from _worst(one)


def _worst(one: JudgedString) -> Iterator[str]:
    yield f"  {_short(one.source)}"
    yield f"    engine     {_short(one.translation)}"
    yield f"    reference  {_short(one.reference)}"


def _confidence(check: ConfidenceCheck) -> Iterator[str]:
    rank = "" if check.correlation is None else f"Its rank correlation with chrF is {check.correlation:.2f}"
    text = f"Confidence is {check.meaning}. {rank}"
    if rank and check.calibrated:
        text += f", and it is off by {check.error:.2f} on average"
    yield from _wrapped(f"{text}." if rank else text)
    everything = sum(row.strings for row in check.reliability)
    for row in check.thresholds:
        if row.low == _FILLED and check.calibrated:
            yield from _wrapped(
                f"catalog fill --min-confidence {row.low} would fill {share(row.strings, everything)} of "
                f"these strings, {share(row.right, row.strings)} of them right as they stand."
            )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns with spaces between them; figures are aligned to the right."""
    lines = [head, *rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(head))]
    for line in lines:
        cells = [
            cell.ljust(width) if at in (0, 2) else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def _wrapped(text: str, mark: str = "") -> list[str]:
    lines = textwrap.wrap(
        _printable(text), _WIDTH - len(mark), break_long_words=False, break_on_hyphens=False
    )
    return [(mark if at == 0 else " " * len(mark)) + line for at, line in enumerate(lines)]


def _short(text: str, longest: int = _LONGEST) -> str:
    text = _printable(text)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _printable(text: str) -> str:
    """Escape control characters: a catalog must not control the terminal."""
    return "".join(
        letter if letter.isprintable() else " " if letter.isspace() else "\N{REPLACEMENT CHARACTER}"
        for letter in text
    )
