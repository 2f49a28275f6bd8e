"""What all tests share."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from support.small_system import make_systems

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
    return make_systems(tmp_path_factory.mktemp("systems"))
