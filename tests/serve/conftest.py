"""Services that the tests of this folder share."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.served import Served, serving
from support.shared import shared_folder
from support.small_engine import make_engine


@pytest.fixture(scope="session")
def small_engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small engine, not to be changed."""
    return shared_folder(tmp_path_factory, "engine-phrase", make_engine)


@pytest.fixture
def engine(small_engine: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(small_engine, tmp_path / "engine"))


@pytest.fixture(scope="session")
def served(small_engine: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A service with two workers and a copy of the engine, shared by tests that change nothing."""
    folder = tmp_path_factory.mktemp("served")
    shutil.copytree(small_engine, folder / "engine")
    with serving(folder, folder / "engine") as service:
        yield service
