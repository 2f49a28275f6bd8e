"""Connect to where shards run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from isogloss.io.errors import ClusterError
from isogloss.io.executor import Executor, LocalExecutor
from isogloss.io.resources import LOCAL
from isogloss.io.streams import StrPath
from isogloss.pipeline.executors.nodes import Node, check_nodes, mismatches

__all__ = ["cluster_nodes", "connected"]


@contextmanager
def connected(
    cluster: str = LOCAL, *, threads: int = 1, note: Callable[[str], None] = lambda message: None
) -> Iterator[Executor]:
    """The executor for a value of the option ``cluster``; disconnects at the end.

    All nodes must have the same Isogloss, engine, Python and CPU features as this machine; otherwise results
    could depend on where a shard runs, and a ``ClusterError`` names the nodes that differ. ``note`` is called
    with the bytes that every map has moved.
    """
    if cluster == LOCAL:
        yield LocalExecutor(threads)
        return
    from isogloss.pipeline.executors.ray_cluster import ray_executor

    with ray_executor(cluster, threads=threads, note=note) as executor:
        different = mismatches(check_nodes(executor.on_every_node))
        if different:
            raise ClusterError("; ".join(different))
        yield executor


def cluster_nodes(cluster: str, folder: StrPath | None = None, *, threads: int = 1) -> list[Node]:
    """This machine, and the nodes of a cluster; with a folder, whether each can use it."""
    if cluster == LOCAL:
        return check_nodes(lambda function, shard: [function(shard, 1)], folder)
    from isogloss.pipeline.executors.ray_cluster import ray_executor

    with ray_executor(cluster, threads=threads) as executor:
        return check_nodes(executor.on_every_node, folder)
