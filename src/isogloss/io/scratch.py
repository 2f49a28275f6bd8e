"""Folders for temporary files, removed at the end or, after a kill, at the next start."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from isogloss.io.streams import StrPath

__all__ = ["temporary_folder"]


@contextlib.contextmanager
def temporary_folder(parent: StrPath | None, prefix: str) -> Iterator[Path]:
    """Make a folder inside ``parent`` or the system's temporary folder, and remove it at the end.

    A process locks its folder, and the operating system releases the lock when the process ends. Folders with
    the same prefix and without a lock were left by killed processes and are removed first, so nothing else
    may use the prefix.
    """
    where = Path(parent) if parent is not None else Path(tempfile.gettempdir())
    _sweep(where, prefix)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=where))
        with _opened(folder) as descriptor:
            if descriptor is None or not _lock(descriptor) or not folder.exists():
                continue  # another process removed it as a leftover before it was locked
            try:
                yield folder
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            return


def _sweep(where: Path, prefix: str) -> None:
    """Remove the folders that killed processes of this user left behind."""
    for folder in where.glob(f"{prefix}*"):
        with _opened(folder) as descriptor:
            if descriptor is not None and os.fstat(descriptor).st_uid == os.getuid() and _lock(descriptor):
                shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[int | None]:
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        yield None
        return
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
