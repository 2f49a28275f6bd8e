"""Starts and asks ``forked``, which runs ``isogloss`` commands in forks of one process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from support import forked
from support.forked import COUNT_CALLS, FAIL_AT, KILL_AFTER, KILL_AT, KILLED, LARGEST_FILE


class ForkServer:
    """The serving process, and ``command``: a script that is what ``isogloss`` is. A context manager."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.command = folder / "isogloss"
        self._address = folder / "socket"

    def __enter__(self) -> ForkServer:
        script = Path(forked.__file__).resolve()
        words = [f"'{word}'" for word in (sys.executable, "-S", "-E", script, self._address)]
        self.command.write_text(f'#!/bin/sh\nexec {" ".join(words)} "$@"\n')
        self.command.chmod(0o755)
        self._process = subprocess.Popen(
            [sys.executable, script, self._address],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"ready\n"
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def run(
        self,
        *words: str | Path,
        largest_file: int | None = None,
        cwd: Path | None = None,
        stdout: IO[bytes] | int = subprocess.PIPE,
        **more: str,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command; ``largest_file`` in bytes is what a full disk looks like."""
        if largest_file is not None:
            more[LARGEST_FILE] = str(largest_file)
        return subprocess.run(
            [self.command, *words],
            env={**os.environ, **more},
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    def count(self, *words: str | Path, cwd: Path | None = None) -> dict[str, int]:
        """Run a command; how many calls to the file system it makes, how many of them are changes, and its
        processor time in milliseconds."""
        out = self.folder / "count"
        done = self.run(*words, cwd=cwd, **{COUNT_CALLS: str(out)})
        assert done.returncode == 0, done.stderr
        found: dict[str, int] = json.loads(out.read_text())
        return found

    def failed(
        self,
        words: Sequence[str | Path],
        *,
        call: int = 0,
        error: str = "",
        largest_file: int | None = None,
        cwd: Path | None = None,
    ) -> bool:
        """Have one call to the file system fail, or all files end at a size; whether the command says so.

        It must not call that a bug.
        """
        more = {FAIL_AT: f"{call}:{error}"} if largest_file is None else {}
        done = self.run(*words, cwd=cwd, largest_file=largest_file, **more)
        assert done.returncode in (0, 2), (call, error, largest_file, done.stderr)
        assert "bug in Isogloss" not in done.stderr, done.stderr
        return done.returncode == 2

    def killed(
        self,
        words: Sequence[str | Path],
        *,
        change: int = 0,
        seconds: float | None = None,
        cwd: Path | None = None,
    ) -> bool:
        """Kill a command at a change of the file system or after some seconds of processor time; whether it
        had come so far."""
        when = {KILL_AT: str(change)} if seconds is None else {KILL_AFTER: str(seconds)}
        done = self.run(*words, cwd=cwd, **when)
        assert done.returncode in (0, KILLED), done.stderr
        return done.returncode == KILLED
