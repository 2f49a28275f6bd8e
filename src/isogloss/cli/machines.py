"""Where the shards of a command run, as ``--cluster`` says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from isogloss.cli import console
from isogloss.io.executor import Executor, LocalExecutor
from isogloss.io.resources import LOCAL, Cluster

__all__ = ["executor_of"]


@contextmanager
def executor_of(machines: Cluster, threads: int) -> Iterator[Executor]:
    """The executor of a command; what it moves is printed."""
    if machines.cluster == LOCAL:
        yield LocalExecutor(threads)
        return
    from isogloss.pipeline.executors import connected  # takes a second to import

    with connected(machines.cluster, threads=threads, note=console.note) as executor:
        yield executor
