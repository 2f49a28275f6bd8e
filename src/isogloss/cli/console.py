"""What every verb prints through: results to standard output, everything else to standard error."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

__all__ = ["error", "note", "print_json", "print_table", "set_quiet", "track", "warn"]

T = TypeVar("T")

_PLAIN_EVERY = 10.0  # seconds between two lines when nobody watches a terminal
_quiet = False


def set_quiet(quiet: bool) -> None:
    """Silence notes and progress; warnings and errors are still printed."""
    global _quiet
    _quiet = quiet


def _stderr() -> Console:
    return Console(stderr=True, highlight=False, soft_wrap=True)


def note(message: str) -> None:
    """Say something on standard error that the user may want to know."""
    if not _quiet:
        _stderr().print(message, markup=False)


def warn(message: str) -> None:
    """Say something on standard error that the user should know."""
    _stderr().print(Text.assemble(("warning: ", "yellow"), message))


def error(message: str) -> None:
    """Say why the command failed."""
    _stderr().print(Text.assemble(("error: ", "bold red"), message))


def print_json(value: Any) -> None:
    """Print a result as one JSON document. NaN and infinities are refused: they are not JSON."""
    print(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))  # noqa: T201


def print_table(table: Table) -> None:
    """Print a result table, never cut to the width of a terminal when it goes into a file."""
    width = None if sys.stdout.isatty() else 10_000
    Console(highlight=False, width=width).print(table, soft_wrap=not sys.stdout.isatty())


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f}/s", style="progress.data.speed")


def track(items: Iterable[T], description: str, total: int | None = None) -> Iterator[T]:
    """Show progress while ``items`` are taken: a bar on a terminal, plain lines otherwise."""
    if _quiet:
        yield from items
    elif _stderr().is_terminal:
        bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            _Rate(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=_stderr(),
            transient=True,
        )
        with bar:
            yield from bar.track(items, total=total, description=description)
    else:
        yield from _plain_track(items, description, total)


def _plain_track(items: Iterable[T], description: str, total: int | None) -> Iterator[T]:
    begun = said = time.monotonic()
    for count, item in enumerate(items, start=1):
        yield item
        now = time.monotonic()
        if now - said >= _PLAIN_EVERY:
            said = now
            of = f" of {total:,}" if total is not None else ""
            note(f"{description}: {count:,}{of} ({count / (now - begun):,.0f}/s)")
