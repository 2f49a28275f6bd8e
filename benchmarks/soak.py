"""Long runs in one process: translations, corrections, a growing memory; prints memory and latency over time.

    python benchmarks/soak.py ENGINE SENTENCES [--minutes 10] [--part translate|memory]

*translate*: several threads translate; sentences are corrected, and the oldest corrections taken back, so
that there are always about as many. The memory of the process must not grow by more than 5 % after the first
third; the exit code is 1 if it does. *memory*: examples are added to a memory one by one, and it is opened
and used after each; it grows with its examples. ``benchmarks/serve.py`` does the same for the service.
"""

from __future__ import annotations

import argparse
import itertools
import random
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from measure import private_memory

import isogloss
from isogloss.adapt import Example, LocalOptions, LocalTranslator, Memory, add_examples, build_memory
from isogloss.align import AlignmentModel
from isogloss.decoder import load

_CORRECTIONS = 50
_ROWS = 12


class Watch:
    """Latencies since the last row, and a row each now and then."""

    def __init__(self, minutes: float, known: Callable[[], int]) -> None:
        self.begun, self.seconds, self.known = time.monotonic(), 60 * minutes, known
        self.taken: list[float] = []
        self.memory: list[int] = []
        print(
            f"{'minute':>8}{'steps':>9}{'median':>12}{'p99':>12}{'private MB':>12}{'stored':>9}", flush=True
        )

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() - self.begun > self.seconds

    def timed(self, work: Callable[[], object]) -> None:
        """Do something and note how long it took; print a row if it is time for one."""
        begun = time.perf_counter()
        work()
        self.taken.append(time.perf_counter() - begun)
        passed = time.monotonic() - self.begun
        if passed > self.seconds / _ROWS * (len(self.memory) + 1) and len(self.taken) > 1:
            self.memory.append(private_memory())
            middle, late = statistics.median(self.taken), statistics.quantiles(self.taken, n=100)[98]
            print(
                f"{passed / 60:>8.1f}{len(self.taken):>9,}{1e3 * middle:>9.1f} ms{1e3 * late:>9.1f} ms"
                f"{self.memory[-1] / 1e6:>12.1f}{self.known():>9,}",
                flush=True,
            )
            self.taken = []

    @property
    def growth(self) -> float:
        """Of the memory, from the end of the first third on."""
        return self.memory[-1] / self.memory[len(self.memory) // 3] - 1 if self.memory else 0.0


def translate(engine: Path, lines: list[str], minutes: float, threads: int) -> bool:
    """Translate with several threads while corrections come and go."""
    system = isogloss.load(engine)
    watch = Watch(minutes, lambda: len(system.corrections()))
    failed: list[BaseException] = []

    def beside(seed: int) -> None:
        rng = random.Random(seed)
        try:
            while not watch.over:
                list(system.translate(rng.sample(lines, 8)))
        except BaseException as error:
            failed.append(error)

    others = [threading.Thread(target=beside, args=(seed,)) for seed in range(1, threads)]
    for other in others:
        other.start()
    rng = random.Random(0)
    numbers: list[int] = []
    for step in itertools.count():
        if watch.over or failed:
            break
        watch.timed(lambda: list(system.translate(rng.sample(lines, 8))))
        if step % 10 == 0:
            source = f"{rng.choice(lines)} {step}"
            numbers.append(system.correct(source, f"answer {step}").number)
            if len(numbers) > _CORRECTIONS:
                system.undo_correction(numbers.pop(0))
    for other in others:
        other.join()
    print(f"growth after the first third: {watch.growth:+.1%}; threads that failed: {len(failed)}")
    return not failed and watch.growth <= 0.05


def memory(engine: Path, lines: list[str], minutes: float, threads: int) -> bool:
    """Add examples to a memory, and translate with it after each."""
    system = load(engine, corrections=False, matches=False)
    text = system.text
    assert text is not None
    examples = [Example(source=text.tokenize(line), references=(text.tokenize(line),)) for line in lines]
    place = engine.parent / "memory"
    build_memory(place, system, examples[:20], aligner=AlignmentModel.load(engine / "aligner"))
    rng = random.Random(0)
    added = iter(examples[20:])
    watch = Watch(minutes, lambda: len(Memory.open(place, system)))

    def step() -> None:
        example = next(added, None)
        if example is not None:
            add_examples(place, system, [example])
        translator = LocalTranslator(system, Memory.open(place, system), update=LocalOptions(strength=1.0))
        translator.translate([rng.choice(examples).source])

    while not watch.over:
        watch.timed(step)
    return True


def main() -> int:
    """Run the parts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("engine", type=Path)
    parser.add_argument("sentences", type=Path)
    parser.add_argument("--minutes", type=float, default=10.0, help="for each part")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--part", choices=["translate", "memory"], action="append")
    given = parser.parse_args()
    lines = [line for line in given.sentences.read_text("utf-8").splitlines() if line.strip()]
    parts = {"translate": translate, "memory": memory}
    good = True
    with tempfile.TemporaryDirectory() as place:
        for part in given.part or parts:
            folder = Path(place) / part / "engine"
            shutil.copytree(given.engine, folder, ignore=shutil.ignore_patterns("work", "corrections"))
            print(part)
            good &= parts[part](folder, lines, given.minutes, given.threads)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
