from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from isogloss.io import scratch
from isogloss.io.scratch import temporary_folder

HOLDER = """
import sys
from isogloss.io.scratch import temporary_folder
with temporary_folder(sys.argv[1], "test-") as folder:
    (folder / "file").write_text("x")
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> subprocess.Popen[bytes]:
    """A process that has a scratch folder with a file in it."""
    return subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], stdin=-1, stdout=-1)


def folder_of(process: subprocess.Popen[bytes]) -> Path:
    assert process.stdout is not None
    return Path(os.fsdecode(process.stdout.readline().strip()))


def test_a_folder_is_there_as_long_as_it_is_used(tmp_path: Path) -> None:
    with temporary_folder(tmp_path, "test-") as folder:
        (folder / "deeper").mkdir()
        (folder / "deeper" / "file").write_text("x")
        assert folder.parent == tmp_path
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ZeroDivisionError), temporary_folder(tmp_path, "test-"):
        _ = 1 // 0
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError), temporary_folder(tmp_path / "nowhere", "test-"):
        pass


def test_what_a_killed_process_left_is_cleared_away_and_nothing_else(
    holder: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    (tmp_path / "other-folder").mkdir()
    (tmp_path / "test-file").write_text("not a folder")
    with holder:
        used = folder_of(holder)
        with temporary_folder(tmp_path, "test-"), temporary_folder(tmp_path, "test-"):
            assert (used / "file").exists()  # somebody is using it
        holder.send_signal(signal.SIGKILL)
    assert (used / "file").exists()
    with temporary_folder(tmp_path, "test-") as folder:
        assert sorted(tmp_path.iterdir()) == sorted(
            [folder, tmp_path / "other-folder", tmp_path / "test-file"]
        )


def test_a_folder_that_is_taken_for_a_leftover_before_it_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, taken = scratch._lock, []

    def lock_later(descriptor: int) -> bool:
        if not taken:  # another process is quicker
            taken.extend(tmp_path.iterdir())
            taken[0].rmdir()
        return lock(descriptor)

    monkeypatch.setattr(scratch, "_lock", lock_later)
    with temporary_folder(tmp_path, "test-") as folder:
        assert folder.is_dir()
        assert folder != taken[0]
