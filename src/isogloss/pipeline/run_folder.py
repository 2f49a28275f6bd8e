"""The folder of a run: lock it, and move finished outputs into place."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from isogloss.io.errors import OutputError

__all__ = ["locked", "move_into_place"]


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the folder, creating it if needed.

    The operating system releases the lock when the process ends, even if it is killed: a leftover lock file
    has no effect.
    """
    import fcntl

    try:
        folder.mkdir(parents=True, exist_ok=True)
        stream = (folder / "run.lock").open("a+")
    except OSError as error:
        raise OutputError(error.strerror or str(error), folder) from None
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            stream.seek(0)
            holder = stream.read().strip() or "unknown"
            raise OutputError(
                f"another run is using this folder (process {holder})",
                folder,
                "wait until it finishes, or choose another folder",
            ) from None
        with contextlib.suppress(OSError):  # the process number is for the message only
            stream.truncate(0)
            stream.write(f"{os.getpid()}\n")
            stream.flush()
        yield


def move_into_place(made: Path, final: Path, aside: Path) -> None:
    """Rename a finished file or folder to its final name; an existing one is moved ``aside``.

    Everything is flushed to disk before the rename. The name always refers to the old or the new version,
    except for folders on systems that cannot swap names atomically: there it may be missing briefly.
    """
    _sync(made)
    final.parent.mkdir(parents=True, exist_ok=True)
    if final.is_dir() or (final.exists() and made.is_dir()):
        if not _swap(made, final):
            aside.parent.mkdir(parents=True, exist_ok=True)
            final.rename(aside)
            made.rename(final)
    else:
        made.replace(final)
    _sync_one(final.parent)


def _sync(path: Path) -> None:
    if path.is_dir():
        for folder, _, names in os.walk(path):
            for name in names:
                _sync_one(Path(folder) / name)
            _sync_one(Path(folder))
    else:
        _sync_one(path)


def _sync_one(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _swap(first: Path, second: Path) -> bool:
    """Swap two names atomically, if the system can."""
    if not sys.platform.startswith("linux"):
        return False
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    try:
        swap = ctypes.CDLL(None, use_errno=True).renameat2
    except AttributeError:  # an older system library
        return False
    if swap(here, os.fsencode(first), here, os.fsencode(second), exchange) == 0:
        return True
    if ctypes.get_errno() in (errno.EINVAL, errno.ENOSYS):  # a file system that cannot
        return False
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(second))
