"""Threads, memory and machines of a command. They never change a result."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Annotated

from isogloss.io.errors import ConfigError
from isogloss.io.options import AtLeast, ByteSize, DefaultText, Options

__all__ = ["LOCAL", "RAY", "Cluster", "MemoryLimit", "Resources", "Threads"]

LOCAL, RAY = "local", "ray"
_ADDRESS = re.compile(r"ray://[^\s/]+:\d+")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster(Options):
    """The machines."""

    cluster: str = LOCAL
    """Where to run: local (this machine), ray (the Ray cluster this machine belongs to) or ray://HOST:PORT.
    All nodes must see the same files under the same names. Results do not depend on it."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.cluster not in (LOCAL, RAY) and not _ADDRESS.fullmatch(self.cluster):
            raise ConfigError(f"cluster must be local, ray or ray://HOST:PORT, got '{self.cluster}'")
