"""A Ray cluster of several nodes on this machine, on the loopback interface only."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_DEDUP_LOGS": "0",
    # Nodes of the tests die on purpose; look for them more often than every few seconds.
    "RAY_health_check_initial_delay_ms": "1000",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_failure_threshold": "3",
    "RAY_health_check_timeout_ms": "3000",
}
_NODE = {"num_cpus": 1, "object_store_memory": 80 << 20}


def _in_time(start: Callable[[], Any]) -> Any:
    """Ray gives a node 30 seconds to start, which a very busy machine may not have: try again."""
    for _ in range(3):
        try:
            return start()
        except Exception as error:
            if "timed out during startup" not in str(error):
                raise
    pytest.skip("this machine is too busy: nodes of Ray do not start within 30 seconds")


@contextlib.contextmanager
def ray_nodes(count: int) -> Iterator[Any]:
    """Start a head and ``count`` - 1 other nodes with a processor each, and connect to them."""
    folder = tempfile.mkdtemp(prefix="ray-")  # short: the names of sockets are limited
    tests = str(Path(__file__).parents[1])
    with pytest.MonkeyPatch.context() as patch:
        for name, value in _SETTINGS.items():
            patch.setenv(name, value)
        patch.setenv("RAY_TMPDIR", folder)
        Path(folder, "ray").mkdir()  # where Ray notes the address; it makes only its default folder
        # Workers find functions of the tests too.
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (tests, os.environ.get("PYTHONPATH")))))
        ray = pytest.importorskip("ray", reason="the extra 'cluster' is not installed")
        from ray.cluster_utils import Cluster

        head = {**_NODE, "include_dashboard": False, "temp_dir": folder}
        cluster = _in_time(lambda: Cluster(initialize_head=True, head_node_args=head))
        try:
            for _ in range(count - 1):
                _in_time(lambda: cluster.add_node(**_NODE))
            patch.setenv("RAY_ADDRESS", cluster.address)
            assert cluster.address.startswith("127.0.0.1:")
            ray.init(cluster.address, log_to_driver=False)
            yield cluster
        finally:
            ray.shutdown()
            cluster.shutdown()
            shutil.rmtree(folder, ignore_errors=True)
