"""Threads and memory of a command. They never change a result."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Annotated

from isogloss.io.options import AtLeast, ByteSize, DefaultText, Options

__all__ = ["MemoryLimit", "Resources", "Threads"]


# Without slots, so that a class can have both.
@dataclass(frozen=True, kw_only=True)
class Threads(Options):
    """The number of threads."""

    threads: Annotated[int, AtLeast(0), DefaultText("all processors")] = 0
    """Threads to use; 0 uses all processors. Results do not depend on it."""

    @property
    def count(self) -> int:
        """The number of threads, at least 1."""
        return self.threads or os.cpu_count() or 1


@dataclass(frozen=True, kw_only=True)
class MemoryLimit(Options):
    """The memory limit."""

    memory_limit: Annotated[int, ByteSize(), AtLeast(1)] = 4 << 30
    """Memory that counting and sorting may use, such as 500M or 4G; more is faster on large corpora."""


@dataclass(frozen=True, kw_only=True)
class Resources(Threads, MemoryLimit):
    """Threads and memory."""
