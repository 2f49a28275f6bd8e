"""Functions that workers of a cluster run in tests. Each leaves a trace in a folder."""

from __future__ import annotations

import errno
import os
import signal
import time
from pathlib import Path

from isogloss.io.errors import DataFormatError
from isogloss.pipeline.executors.nodes import Node, node_facts


def square(number: int, threads: int) -> int:
    return number * number


def refuse(number: int, threads: int) -> int:
    if number == 3:
        raise DataFormatError("three", "numbers", number)
    return number


def fail(number: int, threads: int) -> int:
    raise ZeroDivisionError(f"division of {number}")


def die_once(item: tuple[str, int], threads: int) -> int:
    """Kill the worker at the first attempt at this item."""
    folder, number = item
    trace = Path(folder) / f"died-{number}"
    if not trace.exists():
        trace.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die(number: int, threads: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def full_disk_on_first_node(item: tuple[str, int], threads: int) -> str:
    """Fail as on a full disk, on the node that comes first."""
    import ray

    node = ray.get_runtime_context().get_node_id()
    try:
        (Path(item[0]) / "full").symlink_to(node)
    except FileExistsError:
        if str((Path(item[0]) / "full").readlink()) != node:
            return node
    raise OSError(errno.ENOSPC, "No space left on device")


def wait_for(item: tuple[str, int], threads: int) -> int:
    """The first copy of item 0 waits for a file that the second one makes."""
    folder, number = item
    if number:
        return number
    try:
        (Path(folder) / "first").touch(exist_ok=False)
    except FileExistsError:
        return 0
    while True:
        time.sleep(3600)


def begin_and_wait(item: tuple[str, int], threads: int) -> int:
    """Leave a trace, then wait until the file 'go' is there."""
    folder, number = item
    (Path(folder) / f"begun-{number}-{os.getpid()}").touch()
    while not (Path(folder) / "go").exists():
        time.sleep(0.02)
    return number


def other_version(token: tuple[str, str], threads: int) -> Node:
    """As on a node with another engine."""
    from dataclasses import replace

    return replace(node_facts(token, threads), name="stranger", engine="0123")
