"""Many writers and readers on one memory, and what was lost, doubled or could not be read.

    python fuzz/crowd.py --minutes 10 --writers 24 --readers 24

Every writer adds examples of its own, one by one, and repeats every fifth of them, as somebody would who did not see
the answer. One writer in six is killed at a random moment and replaced. Readers open the memory, search it, and
compare what they find with what writers have acknowledged before. The exit code is 1 if an acknowledged example is
missing, an example is there twice, or a read fails.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]

from stored import make_folders

from isogloss.adapt import Example, Memory, RetrievalOptions, add_examples
from isogloss.decoder import load

_WORDS = [
    "der",
    "alte",
    "König",
    "schläft",
    "heute",
    "oft",
    "und",
    "Drache",
    "kommt",
    "Fluss",
    "See",
    "Brücke",
    "Stadt",
    "Nacht",
]


def _source(writer: str, number: int) -> str:
    rng = random.Random(f"{writer} {number}")
    return " ".join([*rng.choices(_WORDS, k=6), f"w{writer}n{number}"])


def write(folder: Path, writer: str, end: float) -> None:
    """Add examples; a line in the log of the writer is an addition that was acknowledged."""
    system = load(folder / "of_memory")
    with (folder / "logs" / writer).open("a") as log:
        number = 0
        while time.monotonic() < end:
            example = Example(source=_source(writer, number), references=(f"answer {writer} {number}",))
            for _ in range(2 if number % 5 == 0 else 1):
                add_examples(folder / "memory", system, [example])
            print(example.source, file=log, flush=True)
            number += 1


def acknowledged(folder: Path) -> list[str]:
    """Every whole line of every log."""
    return [
        line.rstrip("\n")
        for path in sorted((folder / "logs").iterdir())
        for line in path.open()
        if line.endswith("\n")
    ]


def read(folder: Path, reader: int, end: float, reads: multiprocessing.Queue[tuple[int, str]]) -> None:
    """Look for acknowledged examples in a memory that is opened again and again."""
    rng, done = random.Random(reader), 0
    try:
        while time.monotonic() < end:
            before = acknowledged(folder)
            memory = Memory.open(folder / "memory")
            assert len(memory) >= len(before), f"{len(memory)} examples, {len(before)} were acknowledged"
            for source in rng.sample(before, min(5, len(before))):
                hits = memory.search(source, RetrievalOptions(size=3))
                assert any(hit.example().source == source for hit in hits), f"not found: {source}"
                done += 1
    except BaseException:
        reads.put((done, traceback.format_exc()))
        return
    reads.put((done, ""))


def main() -> int:
    """Run the crowd."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--writers", type=int, default=24)
    parser.add_argument("--readers", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng, kills = random.Random(given.seed), 0
    with tempfile.TemporaryDirectory(prefix="isogloss-crowd-") as name:
        folder = Path(name)
        make_folders(folder)
        first = len(Memory.open(folder / "memory"))
        (folder / "logs").mkdir()
        context = multiprocessing.get_context("fork")
        end = time.monotonic() + 60 * given.minutes
        reads: multiprocessing.Queue[tuple[int, str]] = context.Queue()
        readers = [
            context.Process(target=read, args=(folder, one, end, reads)) for one in range(given.readers)
        ]
        writers = [
            context.Process(target=write, args=(folder, str(one), end)) for one in range(given.writers)
        ]
        for process in (*readers, *writers):
            process.start()
        while time.monotonic() < end:
            time.sleep(max(0.1, 60 * given.minutes / max(1, given.writers)))
            if time.monotonic() < end and kills < given.writers // 6:
                victim = rng.randrange(len(writers))
                pid = writers[victim].pid
                if pid is not None and writers[victim].is_alive():
                    os.kill(pid, signal.SIGKILL)
                    kills += 1
                    writers[victim] = context.Process(target=write, args=(folder, f"{victim}x{kills}", end))
                    writers[victim].start()
        outcomes = [reads.get() for _ in readers]
        for process in (*readers, *writers):
            process.join()
        memory = Memory.open(folder / "memory")
        there = Counter(memory.find(number).source for number in range(len(memory)))
        said = acknowledged(folder)
        lost = [source for source in said if source not in there]
        doubled = [source for source, count in there.items() if count > 1]
        failures = [error for _, error in outcomes if error]
        failed_writers = sum(process.exitcode != 0 for process in writers)
        for error in failures[:3]:
            print(error, file=sys.stderr)
        print(
            f"{given.writers} writers, {given.readers} readers, {given.minutes:g} minutes, {kills} writers killed: "
            f"{len(said):,} examples acknowledged, {len(there) - first:,} there; {len(lost)} lost, {len(doubled)} "
            f"doubled; {sum(done for done, _ in outcomes):,} reads, {len(failures)} readers and {failed_writers} "
            f"writers failed"
        )
    return 1 if lost or doubled or failures or failed_writers else 0


if __name__ == "__main__":
    raise SystemExit(main())
