"""A Ray cluster for all tests of this folder that run in one process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.ray_nodes import ray_nodes


@pytest.fixture(scope="session")
def nodes() -> Iterator[Any]:
    """Four nodes with a processor each; skipped without Ray."""
    with ray_nodes(4) as cluster:
        yield cluster
