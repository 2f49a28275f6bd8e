"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of real corpora; tests that use it are marked ``corpora``."""
    folder = os.environ.get("ISOGLOSS_DATA")
    if not folder:
        pytest.skip("ISOGLOSS_DATA names no folder of real corpora")
    return Path(folder)
