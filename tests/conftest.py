"""What all tests share."""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from isogloss.cli import console
from support.fork_server import ForkServer
from support.properties import register_profiles
from support.shared import shared_folder
from support.small_system import make_systems

register_profiles()

# Ray's way to say: listen on the loopback interface only. It reads this when it is imported, also by a child.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"

# A shell that starts the tests in the background has them ignore Ctrl-C, and some of them press it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of real corpora; tests that use it are marked ``corpora``."""
    folder = os.environ.get("ISOGLOSS_DATA")
    if not folder:
        pytest.skip("ISOGLOSS_DATA names no folder of real corpora")
    return Path(folder)


@pytest.fixture(scope="session")
def systems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the synthetic corpus and two systems made from it; not to be changed."""
    return shared_folder(tmp_path_factory, "systems", make_systems)


@pytest.fixture(scope="session")
def fork_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    """Runs commands in processes of their own, without the time that imports take."""
    with ForkServer(tmp_path_factory.mktemp("fork_server")) as server:
        yield server


@pytest.fixture(autouse=True, scope="session")
def _no_waiting_for_disks() -> Iterator[None]:
    """Flushing matters when a machine stops, which no test does; waiting for it takes minutes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: os.fstat(descriptor) and None)
        yield


@pytest.fixture(autouse=True, scope="session")
def _no_progress_lines() -> Iterator[None]:
    """What a command prints must not depend on how long it took."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(console, "_PLAIN_EVERY", math.inf)
        yield
