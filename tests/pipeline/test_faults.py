"""Every verb that writes, with a few faults; ``make faults`` tries a thousand."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from support.faults import CASES, Campaign, make_base
from support.fork_server import ForkServer
from support.shared import shared_folder
from support.small_engine import make_engine

NAMES = ("correct", "rerank train", "catalog fill", "memory add")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    engine = shared_folder(tmp_path_factory, "engine-phrase", make_engine)
    return shared_folder(tmp_path_factory, "faults", lambda folder: make_base(folder, engine))


@pytest.mark.parametrize("name", NAMES)
def test_old_or_new_and_a_repetition_ends_the_same(
    name: str, base: Path, fork_server: ForkServer, tmp_path: Path
) -> None:
    case = next(case for case in CASES if case.name == name)
    campaign = Campaign(fork_server, base, tmp_path / "work", random.Random(name))
    for kind in ("kill", "error"):
        assert campaign.fault(case, kind).rpartition(", ")[2] in ("old", "new")
