"""Progress of long work, without knowing who shows it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

__all__ = ["Track", "no_track"]

T = TypeVar("T")


class Track(Protocol):
    """Shows progress while items are taken; the command line hands in its own."""

    def __call__(self, items: Iterable[T], description: str, total: int | None = None, /) -> Iterable[T]:
        """Pass the items on."""


def no_track(items: Iterable[T], description: str, total: int | None = None, /) -> Iterable[T]:
    """Show nothing."""
    return items
