"""Progress of long tasks, independent of how it is displayed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

__all__ = ["Track", "as_track", "no_track", "show_progress"]

T = TypeVar("T")


class Track(Protocol):
    """Shows progress while items are consumed; the command line passes its own."""

    def __call__(self, items: Iterable[T], description: str, total: int | None = None, /) -> Iterable[T]:
        """Pass the items on."""


def no_track(items: Iterable[T], description: str, total: int | None = None, /) -> Iterable[T]:
    """Show nothing."""
    return items


def show_progress(items: Iterable[T], description: str, total: int | None = None, /) -> Iterable[T]:
    """Show a bar on standard error, or in the notebook."""
    from rich.console import Console
    from rich.progress import track

    return track(items, description, total, console=Console(stderr=True), transient=True)


def as_track(progress: bool | Track) -> Track:
    """Interpret ``progress=``: True is a progress bar, False is nothing, a function is used directly.

    >>> list(as_track(False)(range(3), "counting", 3))
    [0, 1, 2]
    """
    if isinstance(progress, bool):
        return show_progress if progress else no_track
    return progress
