from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from isogloss.io import durable
from isogloss.io.durable import move_into_place, one_writer


@pytest.mark.parametrize("can_swap", [True, False])
def test_a_folder_takes_the_place_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, can_swap: bool
) -> None:
    if not can_swap:
        monkeypatch.setattr(durable, "_swap", lambda first, second: False)
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    move_into_place(tmp_path / "new", tmp_path / "old", tmp_path / "aside")
    assert (tmp_path / "old" / "file").read_text() == "new"
    left = tmp_path / ("new" if can_swap else "aside")
    assert (left / "file").read_text() == "old"


def test_everything_is_flushed_before_it_gets_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "file").write_text("x")
    flushed: list[tuple[str, bool]] = []
    final = tmp_path / "final"
    monkeypatch.setattr(durable, "sync_path", lambda path: flushed.append((path.name, final.exists())))
    move_into_place(tmp_path / "made", final, tmp_path / "aside")
    assert flushed == [("file", False), ("made", False), (tmp_path.name, True)]


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    inside = most = 0
    lock = threading.Lock()

    def work() -> None:
        nonlocal inside, most
        for _ in range(20):
            with one_writer(tmp_path):
                with lock:
                    inside += 1
                    most = max(most, inside)
                with lock:
                    inside -= 1

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_a_writer_that_waited_for_a_folder_that_was_replaced_waits_for_the_new_one(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    place, made = tmp_path / "place", tmp_path / "made"
    place.mkdir()
    made.mkdir()
    waiting, locked = threading.Event(), []

    def work() -> None:
        waiting.set()
        with one_writer(place):
            descriptor = os.open(place, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                locked.append(True)
            finally:
                os.close(descriptor)

    thread = threading.Thread(target=work)
    with one_writer(place):
        thread.start()
        waiting.wait()
        time.sleep(0.1)  # it opens the folder that is going to be replaced
        place.rename(tmp_path / "old")
        made.rename(place)
    thread.join()
    assert locked == [True]
