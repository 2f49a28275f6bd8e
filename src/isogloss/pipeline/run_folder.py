"""The lock of a run's folder."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from isogloss.io.errors import OutputError

__all__ = ["LOCK", "locked"]

LOCK = "run.lock"


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the folder, creating it if needed.

    The operating system releases the lock when the process ends, even if it is killed: a leftover lock file
    has no effect.
    """
    import fcntl

    try:
        folder.mkdir(parents=True, exist_ok=True)
        stream = (folder / LOCK).open("a+")
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
