"""Run a command and measure it: CPU time, wall-clock time, peak memory.

A process inherits the peak memory of its parent, so a small process runs in between: this file, run as a
script.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ISOGLOSS = (sys.executable, "-c", "from isogloss.cli.main import run; run()")


@dataclass(frozen=True, slots=True)
class Cost:
    cpu: float
    """Seconds of the process and of its children, user and system."""
    wall: float
    peak: int
    """Bytes of its largest process."""
    code: int
    stdout: str


def run(command: Sequence[str], *, loud: bool = True) -> Cost:
    """Run to the end; what it says on standard error is passed on only if it fails, and if ``loud``."""
    with tempfile.NamedTemporaryFile() as report:
        between = [sys.executable, "-S", __file__, report.name, *command]
        done = subprocess.run(between, capture_output=True, text=True, check=False)
        cost = json.loads(Path(report.name).read_text())
    if cost["code"] != 0 and loud:
        print(done.stderr[-2000:], file=sys.stderr)
    return Cost(stdout=done.stdout, **cost)


def private_memory(process: int | str = "self") -> int:
    """Bytes of a process that it does not share with others (Linux)."""
    rows = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return 1024 * sum(
        int(row.split()[1]) for row in rows if row.startswith(("Private_Clean", "Private_Dirty"))
    )


def _between(report: str, command: list[str]) -> None:
    begun = time.monotonic()
    pid = os.posix_spawn(command[0], command, os.environ)
    _, status, usage = os.wait4(pid, 0)
    cost = {
        "cpu": usage.ru_utime + usage.ru_stime,
        "wall": time.monotonic() - begun,
        "peak": usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
        "code": os.waitstatus_to_exitcode(status),
    }
    Path(report).write_text(json.dumps(cost))


if __name__ == "__main__":
    _between(sys.argv[1], sys.argv[2:])
