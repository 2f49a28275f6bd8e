"""Run a function over shards: the interface that long stages are written against.

A stage cuts its data into shards that depend on the data and the options alone, maps a function over them and
combines the results in the order of the shards. Where the shards run, in this process or on many machines,
then cannot change the result. Executors for many machines are in ``isogloss.pipeline.executors``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from isogloss.io.errors import InputFileError
from isogloss.io.streams import StrPath

__all__ = ["Executor", "LocalExecutor", "ShardFile", "absolute", "line_ranges", "shared_scratch"]

S = TypeVar("S")
R = TypeVar("R")


class Executor(Protocol):
    """Runs functions over shards."""

    @property
    def distributed(self) -> bool:
        """Whether shards run in other processes, perhaps on other machines."""

    @property
    def threads(self) -> int:
        """Threads that a shard may use."""

    def map(self, function: Callable[[S, int], R], shards: Iterable[S], what: str) -> Iterator[R]:
        """Call ``function(shard, threads)`` for every shard and yield the results in order.

        The function must be at the top of a module, and shards and results must be plain values: they may
        travel to another machine. Names of files must be absolute. The same shard must give the same result
        every time, because a shard whose worker is lost runs again. The first error ends the map, and so does
        closing the iterator; shards that still run are then canceled. ``what`` names the work in reports.
        """


@dataclass(frozen=True, slots=True)
class LocalExecutor:
    """Runs shards one after the other in this process; each may use all threads.

    >>> list(LocalExecutor(threads=2).map(pow, [3, 4], "squares"))
    [9, 16]
    """

    threads: int = 1
    distributed = False

    def map(self, function: Callable[[S, int], R], shards: Iterable[S], what: str) -> Iterator[R]:
        """Call the function for every shard, in order."""
        for shard in shards:
            yield function(shard, self.threads)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardFile:
    """A file that a shard has written on shared storage, with its checksum."""

    path: str
    size: int
    checksum: str

    @classmethod
    def of(cls, path: StrPath) -> ShardFile:
        """Describe a file that is complete."""
        place = Path(path)
        return cls(path=str(place), size=place.stat().st_size, checksum=_checksum(place))

    def checked(self) -> Path:
        """The file, if it is here and is what the shard wrote; otherwise an error."""
        place = Path(self.path)
        try:
            same = place.stat().st_size == self.size and _checksum(place) == self.checksum
        except OSError as error:
            raise InputFileError(
                error.strerror or str(error), place, "is this folder on storage that all nodes share?"
            ) from None
        if not same:
            raise InputFileError(
                "is not what the worker wrote", place, "check the shared storage, then repeat the command"
            )
        return place


def _checksum(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "blake2b").hexdigest()


def absolute(path: StrPath) -> str:
    """A path as other processes can use it."""
    return str(Path(path).resolve())


def shared_scratch(executor: Executor | None, given: StrPath | None, output: StrPath) -> StrPath | None:
    """A folder for temporary files that all workers see: the given one, or the one of the output."""
    if given is not None or executor is None or not executor.distributed:
        return given
    return Path(output).resolve().parent


def line_ranges(lines: Iterable[Any], size: int) -> Iterator[tuple[int, list[Any]]]:
    """Cut items into shards of ``size``: the number of the first, and the items.

    >>> list(line_ranges("abcde", 2))
    [(0, ['a', 'b']), (2, ['c', 'd']), (4, ['e'])]
    """
    first, part = 0, []
    for line in lines:
        part.append(line)
        if len(part) == size:
            yield first, part
            first, part = first + size, []
    if part:
        yield first, part
