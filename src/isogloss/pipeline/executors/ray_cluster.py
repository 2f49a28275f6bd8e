"""Shards on a Ray cluster. Ray places tasks and repeats those whose worker or node is lost.

What is added here: results in shard order with a bounded number of shards under way; another node for a shard
whose node has no disk space; a second copy of a shard that takes far longer than the others.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import logging
import os
import pickle
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from isogloss.io.errors import ClusterError, InternalError, MissingExtraError
from isogloss.io.resources import RAY

try:
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
except ImportError:
    raise MissingExtraError("running on a Ray cluster", "cluster") from None

__all__ = ["Moved", "RayExecutor", "ray_executor"]

S = TypeVar("S")
R = TypeVar("R")

_RETRIES = 8  # of a shard whose worker or node is lost
_MOVES = 4  # to other nodes, of a shard whose node has no disk space
_OBJECT_STORE = 200 << 20  # of a cluster that is started here: shards are small, data are in files
_PER_CPU = 2  # shards under way for each processor
_POLL = 2.0  # seconds between looks for stragglers
_SLOW = 4.0  # times the median of the shards so far
_LEAST_SLOW = 30.0  # seconds; a shorter shard is not worth a second copy
_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS)


@dataclass(slots=True)
class Moved:
    """What a map has moved over the network, apart from files."""

    shards: int = 0
    sent: int = 0
    received: int = 0
    repeated: int = 0
    """Second copies of slow shards, and shards that had to go to another node."""

    def add(self, other: Moved) -> None:
        """Add what another map has moved."""
        self.shards += other.shards
        self.sent += other.sent
        self.received += other.received
        self.repeated += other.repeated

    def __str__(self) -> str:
        again = f", {self.repeated} repeated" if self.repeated else ""
        return f"{self.shards:,} shards, {_size(self.sent)} sent, {_size(self.received)} received{again}"


def _size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 100_000 else f"{count / 1e3:,.1f} kB"


@contextmanager
def ray_executor(
    address: str = RAY, *, threads: int = 1, note: Callable[[str], None] = lambda message: None
) -> Iterator[RayExecutor]:
    """Connect to a cluster: the one this machine belongs to (``ray``), or ``ray://HOST:PORT``.

    If this machine belongs to none, ``ray`` starts one here with ``threads`` processors and ends it again.
    """
    logging.getLogger("ray").setLevel(logging.ERROR)
    logging.getLogger("ray._private").setLevel(logging.ERROR)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing about the user leaves the machine
    common: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    mine = not ray.is_initialized()
    if mine:
        try:
            if address != RAY:
                ray.init(address, **common)
            else:
                _join_or_start(threads, common)
        except Exception as error:  # Ray raises Exception itself when a node does not start in time
            raise ClusterError(f"cannot connect to the Ray cluster '{address}': {error}") from None
    try:
        yield RayExecutor(note)
    finally:
        if mine:
            ray.shutdown()


def _join_or_start(threads: int, common: dict[str, Any]) -> None:
    try:
        ray.init("auto", **common)
    except ConnectionError:
        ray.init(
            "local",
            num_cpus=max(threads, 1),
            object_store_memory=_OBJECT_STORE,
            include_dashboard=False,
            **common,
        )


def _call(module: str, name: str, shard: bytes) -> tuple[str, bytes]:
    """Run a function on a worker. Errors travel as values: Ray would hide their class."""
    try:
        result = getattr(importlib.import_module(module), name)(pickle.loads(shard), 1)
        return "done", pickle.dumps(result, protocol=5)
    except OSError as error:
        if error.errno in _DISK:
            node = ray.get_runtime_context().get_node_id()
            return "disk", pickle.dumps((node, platform.node(), str(error)))
        return "error", pickle.dumps(error)
    except Exception as error:
        return "error", _portable(error)


def _portable(error: Exception) -> bytes:
    try:
        content = pickle.dumps(error)
        pickle.loads(content)
    except Exception:
        return pickle.dumps(InternalError(f"{type(error).__name__}: {error}"))
    return content


@dataclass(slots=True)
class _Shard:
    content: bytes
    begun: float
    copies: list[Any] = field(default_factory=list)
    avoid: set[str] = field(default_factory=set)
    """Ids of nodes that failed with it."""


class RayExecutor:
    """Runs shards on the processors of a Ray cluster, one thread each."""

    threads = 1
    distributed = True

    def __init__(self, note: Callable[[str], None] = lambda message: None) -> None:
        self._note = note
        self._task = ray.remote(_call)
        self.moved: dict[str, Moved] = {}
        """By the name of the work, all its maps together."""

    @property
    def processors(self) -> int:
        """Processors of the cluster now."""
        return max(1, int(ray.cluster_resources().get("CPU", 1)))

    def on_every_node(self, function: Callable[[S, int], R], shard: S) -> list[R]:
        """Call a function once on every node that is alive."""
        content = pickle.dumps(shard)
        running = {
            node: self._task.options(
                num_cpus=0, scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False)
            ).remote(*_named(function), content)
            for node in _alive()
        }
        found = []
        for node, one in running.items():
            try:
                found.append(_result(*ray.get(one)))
            except ray.exceptions.RayError as error:
                if node in _alive():
                    raise ClusterError(f"node {node} does not answer: {error}") from None
        return found

    def map(self, function: Callable[[S, int], R], shards: Iterable[S], what: str) -> Iterator[R]:
        """Run the shards on the cluster, a bounded number at a time, and yield the results in order."""
        moved = Moved()
        work = _Map(self._task, _named(function), self.processors, moved)
        try:
            yield from work.results(iter(shards))
        except ray.exceptions.RayError as error:
            reason = str(error).strip().partition("\n")[0]
            raise ClusterError(
                f"{what}: a shard failed {_RETRIES + 1} times because its worker or node was lost ({reason})"
            ) from None
        finally:
            work.cancel()
            self.moved.setdefault(what, Moved()).add(moved)
        self._note(f"{what}: {moved}")


class _Map:
    """One map under way."""

    def __init__(self, task: Any, name: tuple[str, str], processors: int, moved: Moved) -> None:
        self._task, self._name, self._moved = task, name, moved
        self._window = _PER_CPU * processors
        self._processors = processors
        self._shards: dict[int, _Shard] = {}
        self._numbers: dict[Any, int] = {}  # by copy
        self._seconds: list[float] = []

    def results(self, shards: Iterator[Any]) -> Iterator[Any]:
        done: dict[int, tuple[str, bytes]] = {}
        submitted = following = 0
        ended = False
        while True:
            while not ended and len(self._shards) + len(done) < self._window:
                shard = next(shards, self)  # nothing else is this
                if shard is self:
                    ended = True
                    break
                self._shards[submitted] = _Shard(pickle.dumps(shard, protocol=5), time.monotonic())
                self._moved.shards += 1
                self._submit(submitted)
                submitted += 1
            if following in done:
                yield _result(*done.pop(following))  # an error comes after the results before it
                following += 1
                continue
            if not self._numbers:
                return
            ready, _ = ray.wait(list(self._numbers), num_returns=1, timeout=_POLL)
            for copy in ready:
                number = self._numbers.pop(copy)
                outcome, content = ray.get(copy)
                if number in self._shards and self._accepted(number, outcome, content):
                    done[number] = outcome, content
            if not ready:
                self._double_slow_ones()

    def _submit(self, number: int) -> None:
        shard = self._shards[number]
        how: dict[str, Any] = {"max_retries": _RETRIES}
        others = [node for node in _alive() if node not in shard.avoid] if shard.avoid else []
        if others:
            chosen = others[len(shard.avoid) % len(others)]
            how["scheduling_strategy"] = NodeAffinitySchedulingStrategy(chosen, soft=True)
        copy = self._task.options(**how).remote(*self._name, shard.content)
        self._moved.sent += len(shard.content)
        shard.copies.append(copy)
        self._numbers[copy] = number

    def _accepted(self, number: int, outcome: str, content: bytes) -> bool:
        shard = self._shards[number]
        if outcome == "disk":
            node, name, problem = pickle.loads(content)
            shard.avoid.add(node)
            if len(shard.avoid) >= min(_MOVES, len(_alive())):
                raise ClusterError(f"{name}: {problem}; no other node has room for this shard either")
            self._moved.repeated += 1
            self._submit(number)
            return False
        del self._shards[number]
        self._seconds.append(time.monotonic() - shard.begun)
        self._moved.received += len(content)
        for copy in shard.copies:
            if self._numbers.pop(copy, None) is not None:
                _cancel(copy)
        return True

    def _double_slow_ones(self) -> None:
        """Start a second copy of shards that take far longer than the others, if processors are idle."""
        if not self._seconds or len(self._numbers) >= self._processors:
            return
        limit = max(_LEAST_SLOW, _SLOW * statistics.median(self._seconds))
        for number, shard in list(self._shards.items()):
            if len(shard.copies) == 1 and time.monotonic() - shard.begun > limit:
                self._moved.repeated += 1
                self._submit(number)

    def cancel(self) -> None:
        for copy in self._numbers:
            _cancel(copy)
        self._numbers.clear()


def _cancel(copy: Any) -> None:
    with contextlib.suppress(Exception):  # it may have ended
        ray.cancel(copy, force=True)


def _result(outcome: str, content: bytes) -> Any:
    value = pickle.loads(content)
    if outcome == "error":
        raise value
    if outcome == "disk":
        raise ClusterError(f"{value[1]}: {value[2]}")
    return value


def _alive() -> Sequence[str]:
    return [node["NodeID"] for node in ray.nodes() if node["Alive"]]


def _named(function: Callable[..., Any]) -> tuple[str, str]:
    module, name = function.__module__, function.__qualname__
    if getattr(importlib.import_module(module), name, None) is not function:
        raise InternalError(f"{module}.{name} is not at the top of a module, so workers cannot find it")
    return module, name
