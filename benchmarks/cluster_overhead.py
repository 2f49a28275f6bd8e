"""What a cluster costs: CPU time of a train on Ray against the same train without it, and bytes moved.

    ISOGLOSS_DATA=... python benchmarks/cluster_overhead.py [--pairs 100000] [--folder SCRATCH] [--commands]

The text is Multi30k German-English, enlarged. A train (phrase-based, batch MIRA on val, `--effort quick`)
runs on this machine alone with one thread, and then with `--cluster ray`, which starts a cluster of two
processors here. CPU time is that of all processes: the driver, Ray's own and the workers. With `--commands`,
only word alignment, language model, rules and classes run, one command each, with 4 GB of memory. The files
of both runs must be the same. What every step has moved over the object store is printed as it ends.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cluster_faults import contents
from enlarged import data_folder, enlarge

COMMAND = [sys.executable, "-m", "isogloss"]
MARK = "ISOGLOSS_MEASURED"
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class Cost:
    cpu: float = 0
    wall: float = 0
    peak: int = 0
    """Bytes of the largest process."""


class Meter:
    """CPU time and memory of all processes that carry a mark in their environment (Linux)."""

    def __init__(self, mark: str) -> None:
        self._mark = f"{MARK}={mark}".encode()
        self._known: dict[int, bool] = {}
        self.seconds: dict[int, float] = {}
        self.peaks: dict[int, int] = {}

    def look(self) -> None:
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            with contextlib.suppress(OSError, IndexError, ValueError):
                pid = int(entry.name)
                if not self._known.get(pid):
                    self._known[pid] = self._mark in (entry / "environ").read_bytes().split(b"\0")
                if self._known[pid]:
                    fields = (entry / "stat").read_text().rpartition(")")[2].split()
                    self.seconds[pid] = (int(fields[11]) + int(fields[12])) / TICKS
                    status = (entry / "status").read_text()
                    self.peaks[pid] = 1024 * int(status.partition("VmHWM:")[2].split()[0])


def measured(command: Sequence[str]) -> Cost:
    """Run a command; what it says about moved bytes is printed."""
    mark = secrets.token_hex(8)
    meter, ended = Meter(mark), threading.Event()

    def watch() -> None:
        while not ended.wait(0.1):
            meter.look()

    watcher = threading.Thread(target=watch)
    watcher.start()
    begun = time.monotonic()
    try:
        environment = {**os.environ, MARK: mark, "RAY_USAGE_STATS_ENABLED": "0"}
        done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    finally:
        ended.set()
        watcher.join()
    for line in done.stderr.splitlines():
        if " sent, " in line:
            print(f"    {line}")
    if done.returncode != 0:
        sys.exit(done.stderr[-2000:])
    return Cost(sum(meter.seconds.values()), time.monotonic() - begun, max(meter.peaks.values(), default=0))


def trains(folder: Path, pairs: int) -> Iterator[tuple[str, list[str]]]:
    raw = data_folder() / "multi30k"
    source, target = enlarge(raw / "train.de", raw / "train.en", folder.parent, pairs)
    yield (
        "train",
        [
            *("train", str(folder / "engine"), "--source", str(source), "--target", str(target)),
            *("--dev-source", str(raw / "val.de"), "--dev-target", str(raw / "val.en")),
            *("--search", "phrase", "--method", "batch-mira", "--effort", "quick", "--memory-limit", "4G"),
        ],
    )


def commands(folder: Path, pairs: int) -> Iterator[tuple[str, list[str]]]:
    text = data_folder() / "multi30k-tok"
    source, target = enlarge(text / "train.de", text / "train.en", folder.parent, pairs)
    links, bounds = str(folder / "links"), ("--memory-limit", "4G")
    yield "align", ["align", str(source), str(target), "--output", links, *bounds]
    yield "lm build", ["lm", "build", str(target), "--binary", str(folder / "lm"), *bounds]
    rules = ("--grammar", "phrase", "--output", str(folder / "rules"))
    yield "extract", ["extract", str(source), str(target), links, *rules, *bounds]
    yield "classes", ["classes", str(target), "--output", str(folder / "classes"), "--restarts", "0"]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--commands", action="store_true", help="single commands instead of a train")
    arguments = parser.parse_args()
    work = commands if arguments.commands else trains
    with contextlib.ExitStack() as stack:
        scratch = arguments.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        places = {"local": ("--threads", "1"), "ray": ("--threads", "2", "--cluster", "ray")}
        costs: dict[str, dict[str, Cost]] = {}
        for place, how in places.items():
            folder = scratch / f"{place}-{arguments.pairs}"
            folder.mkdir(parents=True)
            for name, command in work(folder, arguments.pairs):
                cost = measured([*COMMAND, *command, *how])
                costs.setdefault(name, {})[place] = cost
                print(
                    f"{name} {place}: {cost.cpu:.1f} CPU s, {cost.wall:.1f} s, "
                    f"largest process {cost.peak / 1e6:.0f} MB",
                    flush=True,
                )
        for name, found in costs.items():
            print(f"{name}: {found['ray'].cpu / found['local'].cpu:.2f} x the CPU time")
        one, other = (contents(scratch / f"{place}-{arguments.pairs}") for place in places)
        different = sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
        print(f"{len(one)} files: {f'DIFFERENT: {different[:9]}' if different else 'same bytes'}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
