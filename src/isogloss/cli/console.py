"""Printing for all verbs: results go to standard output, everything else to standard error."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:  # importing it takes longer than many a verb
    from rich.console import Console
    from rich.table import Table

__all__ = [
    "error",
    "note",
    "print_json",
    "print_line",
    "print_table",
    "set_quiet",
    "track",
    "track_bytes",
    "warn",
    "watch_file",
]

T = TypeVar("T")

_PLAIN_EVERY = 10.0  # seconds between two lines when nobody watches a terminal
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # all but tab and line end
_quiet = False


def set_quiet(quiet: bool) -> None:
    """Silence notes and progress; warnings and errors are still printed."""
    global _quiet
    _quiet = quiet


def _stderr() -> Console:
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True)


def _is_terminal() -> bool:
    """Whether somebody watches: a terminal, or what the environment says is one."""
    forced = any(name in os.environ for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"))
    return (forced or sys.stderr.isatty()) and _stderr().is_terminal


def _shown(message: str) -> str:
    """Escape control characters: messages quote files, and a file must not control the terminal."""
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", message)


def note(message: str) -> None:
    """Print an informative message on standard error."""
    if not _quiet:
        _stderr().print(_shown(message), markup=False)


def warn(message: str) -> None:
    """Print a warning on standard error."""
    from rich.text import Text

    _stderr().print(Text.assemble(("warning: ", "yellow"), _shown(message)))


def error(message: str) -> None:
    """Print why the command failed."""
    try:
        from rich.text import Text

        _stderr().print(Text.assemble(("error: ", "bold red"), _shown(message)))
    except (ImportError, MemoryError, OSError):  # no memory or no file left, not even for this
        sys.stderr.write(f"error: {_shown(message)}\n")


def print_json(value: Any) -> None:
    """Print a result as one JSON document. NaN and infinities are errors: JSON has none."""
    print(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))  # noqa: T201


def print_line(text: str) -> None:
    """Print one line of a result."""
    print(text)  # noqa: T201


def print_table(table: Table) -> None:
    """Print a result table. In a file, it is never cut to the width of a terminal.

    What is in brackets is text: sentences have brackets too.
    """
    from rich.console import Console

    if sys.stdout.isatty():
        Console(highlight=False, markup=False).print(table)
        return
    text = io.StringIO()
    Console(highlight=False, markup=False, width=10_000, file=text).print(table, soft_wrap=True)
    for line in text.getvalue().splitlines():
        print(line.rstrip())  # noqa: T201


def track(items: Iterable[T], description: str, total: int | None = None) -> Iterator[T]:
    """Show progress while ``items`` are consumed: a bar on a terminal, plain lines otherwise."""
    if _quiet:
        yield from items
    elif _is_terminal():
        from isogloss.cli.bars import counting_bar

        with counting_bar(_stderr()) as bar:
            yield from bar.track(items, total=total, description=_escaped(description))
    else:
        yield from _plain_track(items, description, total)


def track_bytes(chunks: Iterable[bytes], description: str, total: int | None = None) -> Iterator[bytes]:
    """Show progress in bytes, as ``track`` does, while the pieces of a file are consumed."""
    if _quiet:
        yield from chunks
    elif _is_terminal():
        from isogloss.cli.bars import byte_bar

        with byte_bar(_stderr()) as bar:
            task = bar.add_task(_escaped(description), total=total)
            for chunk in chunks:
                yield chunk
                bar.advance(task, len(chunk))
    else:
        yield from _plain_track_bytes(chunks, description, total)


def watch_file(path: str) -> Callable[[Iterable[bytes]], Iterable[bytes]]:
    """What shows progress while the pieces of this file are read: of how much, if it is not compressed."""
    file = Path(path)
    size = file.stat().st_size if file.is_file() and file.suffix not in (".gz", ".zst") else None
    name = "standard input" if path == "-" else path
    return lambda chunks: track_bytes(chunks, f"reading {name}", size)


def _escaped(description: str) -> str:
    return _shown(description).replace("[", "\\[")


def _plain_track(items: Iterable[T], description: str, total: int | None) -> Iterator[T]:
    begun = said = time.monotonic()
    for count, item in enumerate(items, start=1):
        yield item
        now = time.monotonic()
        if now - said >= _PLAIN_EVERY:
            said = now
            of = f" of {total:,}" if total is not None else ""
            note(f"{description}: {count:,}{of} ({count / (now - begun):,.0f}/s)")


def _plain_track_bytes(chunks: Iterable[bytes], description: str, total: int | None) -> Iterator[bytes]:
    begun = said = time.monotonic()
    done = 0
    for chunk in chunks:
        yield chunk
        done += len(chunk)
        now = time.monotonic()
        if now - said >= _PLAIN_EVERY:
            said = now
            of = f" of {total / 1e6:,.0f}" if total is not None else ""
            note(f"{description}: {done / 1e6:,.0f}{of} MB ({done / 1e6 / (now - begun):,.1f} MB/s)")
