"""Changes that survive a crash: flush to disk, replace in one step, one writer at a time."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["move_into_place", "one_writer", "sync_path", "sync_tree"]


@contextlib.contextmanager
def one_writer(folder: Path) -> Iterator[None]:
    """Wait until no other process or thread is writing to the folder, and keep others waiting."""
    try:
        import fcntl
    except ImportError:  # Windows: the user must avoid two writers at a time
        yield
        return
    while True:
        lock = os.open(folder, os.O_RDONLY)
        try:
            with contextlib.suppress(OSError):  # some network file systems have no locks
                fcntl.flock(lock, fcntl.LOCK_EX)
            if os.path.samestat(os.fstat(lock), folder.stat()):  # not replaced while waiting
                yield
                return
        finally:
            os.close(lock)


def sync_path(path: Path) -> None:
    """Flush a file, or the names in a folder, to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some file systems cannot flush a folder; then there is nothing more to be done.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP) or not path.is_dir():
            raise
    finally:
        os.close(descriptor)


def move_into_place(made: Path, final: Path, aside: Path) -> None:
    """Rename a finished file or folder to its final name; an existing one is moved ``aside`` or takes the
    name of the new one.

    Everything is flushed to disk before the rename. The name always refers to the old or the new version,
    except for folders on systems that cannot swap names atomically: there it may be missing briefly.
    """
    sync_tree(made)
    final.parent.mkdir(parents=True, exist_ok=True)
    if final.is_dir() or (final.exists() and made.is_dir()):
        if not _swap(made, final):
            aside.parent.mkdir(parents=True, exist_ok=True)
            final.rename(aside)
            made.rename(final)
    else:
        made.replace(final)
    sync_path(final.parent)


def sync_tree(path: Path) -> None:
    """Flush a file, or a folder and everything in it, to disk."""
    if not path.is_dir():
        sync_path(path)
        return
    for folder, _, names in os.walk(path):
        for name in names:
            sync_path(Path(folder) / name)
        sync_path(Path(folder))


def _swap(first: Path, second: Path) -> bool:
    """Swap two names atomically, if the system can."""
    if not sys.platform.startswith("linux"):
        return False
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    try:
        swap = ctypes.CDLL(None, use_errno=True).renameat2
    except AttributeError:  # an older system library
        return False
    sys.audit("os.rename", first, second, here, here)  # as Python's own calls do
    if swap(here, os.fsencode(first), here, os.fsencode(second), exchange) == 0:
        return True
    if ctypes.get_errno() in (errno.EINVAL, errno.ENOSYS):  # a file system that cannot
        return False
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(second))
