"""Run fuzz targets for some time, and say how far they got.

    python fuzz/run.py --minutes 10                 all targets, in turn
    python fuzz/run.py --minutes 10 po arpa         these
    python fuzz/run.py --campaign 1000000           all targets in slices, until each has had so many
    python fuzz/run.py --input FILE po              one input again

Inputs that reach code that no other input reached are kept in a folder, build/fuzz by default, and the next
run goes on from there. Coverage is that of Python code, line by line. An input that takes more than ten
seconds, or raises anything but an error that explains the user's mistake, is a finding: it is written to the
folder, and the exit code is 1. After a crash of the whole process, the input is in the file last-input.

A campaign counts over all its runs: stop it at any time and repeat the command. A target ends when it has had
its inputs and the last third of them has reached nothing new.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import hashlib
import json
import math
import mmap
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]

from mutate import mutated
from parsers import PARSERS, Target
from stored import make_folders, stored_targets

import isogloss
from isogloss.io.errors import UserError

OURS = str(Path(isogloss.__file__).parent)
SLOWEST = 10.0
MEMORY = 4 << 30
_TICKS = (
    (signal.SIGPROF, signal.ITIMER_PROF, 1.0),
    (signal.SIGALRM, signal.ITIMER_REAL, 60.0),
)
SLICE = 20.0
_TRACED = 0.03
_LARGEST = 1 << 17


class TooSlowError(Exception):
    """An input took too long."""


class Watch:
    """Python's own way to watch lines, from 3.12 on: a line that was reported costs nothing any more."""

    def __init__(self) -> None:
        self.found: set[tuple[str, int]] = set()
        monitoring = sys.monitoring
        monitoring.use_tool_id(monitoring.COVERAGE_ID, "fuzz")
        monitoring.register_callback(monitoring.COVERAGE_ID, monitoring.events.LINE, self._line)
        monitoring.set_events(monitoring.COVERAGE_ID, monitoring.events.LINE)

    def _line(self, code: CodeType, line: int) -> Any:
        if code.co_filename.startswith(OURS):
            self.found.add((code.co_filename, line))
        return sys.monitoring.DISABLE


WATCH = Watch() if sys.version_info >= (3, 12) else None


@dataclass
class Coverage:
    """Lines of the package that were run."""

    seen: set[tuple[str, int]] = field(default_factory=set)

    def begin(self) -> None:
        """Begin with a target: what others have reached is reported again."""
        if WATCH is not None:
            sys.monitoring.restart_events()

    @contextlib.contextmanager
    def watching(self) -> Iterator[set[tuple[str, int]]]:
        """The lines that are new while this is open."""
        if WATCH is None:
            with self._tracing() as new:
                yield new
            return
        new = set()
        WATCH.found.clear()
        try:
            yield new
        finally:
            if WATCH.found:
                new |= WATCH.found - self.seen
                self.seen |= new

    @contextlib.contextmanager
    def _tracing(self) -> Iterator[set[tuple[str, int]]]:
        """The same for older versions, at a multiple of the time."""
        new: set[tuple[str, int]] = set()
        ours: dict[CodeType, bool] = {}

        def trace(frame: FrameType, event: str, argument: Any) -> Any:
            code = frame.f_code
            if code not in ours:
                ours[code] = code.co_filename.startswith(OURS)
            if not ours[code]:
                return None
            if event == "line":
                place = code.co_filename, frame.f_lineno
                if place not in self.seen:
                    new.add(place)
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            yield new
        finally:
            sys.settrace(before)
            self.seen |= new


@dataclass
class Outcome:
    """How far a target got."""

    target: str
    executions: int = 0
    refused: int = 0
    seconds: float = 0.0
    lines: int = 0
    last_new: int = 0
    """The execution that last reached new lines."""
    findings: int = 0

    def row(self) -> str:
        """One line of the table."""
        rate = self.executions / self.seconds if self.seconds else 0.0
        return (
            f"{self.target:18}{self.executions:>10,}{rate:>10,.0f}{self.lines:>8,}{self.last_new:>10,}"
            f"{self.refused / max(1, self.executions):>9.0%}{self.findings:>10}"
        )


HEADER = (
    f"{'target':18}{'inputs':>10}{'per CPU s':>10}{'lines':>8}{'last new':>10}{'refused':>9}{'findings':>10}"
)


class Fuzzer:
    """One target with its corpus."""

    def __init__(self, target: Target, folder: Path, scratch: Path, seed: int) -> None:
        self.target, self.scratch = target, scratch
        self.corpus_folder, self.findings = folder / target.name, folder / "findings"
        self.corpus_folder.mkdir(parents=True, exist_ok=True)
        kept = [item.read_bytes() for item in sorted(self.corpus_folder.iterdir())]
        self.corpus = [*target.seeds, *kept]
        self.coverage = Coverage()
        self.outcome = Outcome(target.name)
        self.rng = random.Random(f"{seed} {target.name} {len(kept)}")
        self.tally = folder / f"{target.name}.json"
        self.last = _last_input(folder / "last-input")
        self.coverage.begin()
        with self.time_limit():
            for data in list(self.corpus):
                self.execute(data, covered=True)

    def resume(self, seed: int) -> None:
        """Count on from an earlier run of the campaign, with other inputs than it had."""
        earlier = json.loads(self.tally.read_text()) if self.tally.exists() else {}
        self.outcome = Outcome(self.target.name, lines=len(self.coverage.seen))
        for name in ("executions", "refused", "seconds", "last_new", "findings"):
            setattr(self.outcome, name, earlier.get(name, 0))
        self.rng.seed(f"{seed} {self.target.name} {self.outcome.executions}")

    def slice(self, seconds: float, most: int) -> None:
        """Spend a slice of a campaign."""
        self.spend(seconds, most if self.outcome.executions < most else None)
        written = self.tally.with_suffix(".new")
        written.write_text(json.dumps(asdict(self.outcome)))
        written.replace(self.tally)

    def complete(self, most: int) -> bool:
        """Whether a campaign is done with this target."""
        done = self.outcome.executions
        return done >= most and (self.outcome.last_new <= 2 / 3 * done or done >= 10 * most)

    def spend(self, seconds: float, most: int | None = None) -> None:
        """Try inputs for so long, or until there have been so many."""
        end, begun, outcome = time.monotonic() + seconds, time.process_time(), self.outcome
        stored = self.target.name.startswith("stored")
        self.coverage.begin()
        with self.time_limit():
            while time.monotonic() < end and (most is None or outcome.executions < most):
                data = self.rng.randbytes(8) if stored else mutated(self.corpus, self.target.words, self.rng)
                # Tracing costs most of the time: look at every input while there is much to find, then at some.
                stale = outcome.executions - outcome.last_new
                covered = WATCH is not None or stale < 2000 or self.rng.random() < _TRACED
                self.execute(data, covered=covered)
        outcome.seconds += time.process_time() - begun

    def execute(self, data: bytes, *, covered: bool) -> None:
        """Try one input."""
        outcome, new = self.outcome, set[tuple[str, int]]()
        outcome.executions += 1
        self.last[: 4 + len(data)] = len(data).to_bytes(4, "little") + data
        try:
            if covered:
                with self.coverage.watching() as new:
                    self.target.run(data, self.scratch)
            else:
                self.target.run(data, self.scratch)
        except UserError:
            outcome.refused += 1
        except Exception as error:
            self.report(data, error)
        if new:
            outcome.last_new, outcome.lines = outcome.executions, len(self.coverage.seen)
            if data not in self.target.seeds:
                (self.corpus_folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
                self.corpus.append(data)

    @contextlib.contextmanager
    def time_limit(self) -> Iterator[None]:
        """A limit on the CPU time of an input, and a long one on its time, in case that it waits for something.

        A clock ticks all the time and looks whether there is still the same input: that costs nothing per input.
        """
        seen = {number: [0, 0] for number, _, _ in _TICKS}

        def tick(number: int, frame: FrameType | None) -> None:
            input_before, ticks = seen[number]
            ticks = ticks + 1 if input_before == self.outcome.executions else 0
            seen[number] = [self.outcome.executions, ticks]
            if ticks > SLOWEST:
                seen[number] = [0, 0]
                raise TooSlowError(f"more than {SLOWEST:g} s")

        for number, timer, seconds in _TICKS:
            signal.signal(number, tick)
            signal.setitimer(timer, seconds, seconds)
        try:
            yield
        finally:
            for _, timer, _ in _TICKS:
                signal.setitimer(timer, 0)

    def report(self, data: bytes, error: Exception) -> None:
        """Write down an input that should have been refused."""
        self.outcome.findings += 1
        self.findings.mkdir(parents=True, exist_ok=True)
        where = traceback.extract_tb(error.__traceback__)[-1]
        name = f"{self.target.name}-{type(error).__name__}-{Path(where.filename).stem}-{where.lineno}"
        path = self.findings / name
        if not path.exists():
            path.write_bytes(data)
            print(f"finding: {path}", flush=True)
            traceback.print_exception(error)


def _last_input(path: Path) -> mmap.mmap:
    """A file that always has the input that is being tried, after its length: a crash leaves it behind."""
    path.write_bytes(bytes(_LARGEST))
    with path.open("r+b") as stream:
        return mmap.mmap(stream.fileno(), _LARGEST)


def main() -> int:
    """Run the command."""
    known = {target.name: target for target in (*PARSERS, *stored_targets())}
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(known))
    parser.add_argument("--minutes", type=float, default=1.0, help="time for all targets together")
    parser.add_argument(
        "--inputs", type=int, help="inputs for each target, in place of a time: always the same ones"
    )
    parser.add_argument("--campaign", type=int, help="inputs for each target, over all runs of the campaign")
    parser.add_argument(
        "--folder", type=Path, default=HERE.parent / "build" / "fuzz", help="corpus and findings"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--input", type=Path, help="try this input only")
    given = parser.parse_intermixed_args()
    for name in given.targets:
        if name not in known:
            parser.error(f"no target is called '{name}'; known are {', '.join(known)}")
    chosen = [known[name] for name in given.targets or known]
    faulthandler.enable()
    if "ISOGLOSS_SANITIZED" not in os.environ:  # the sanitizer maps terabytes that it never uses
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    outcomes: list[Outcome] = []
    os.fsync = lambda descriptor: os.fstat(descriptor) and None  # nobody stops the machine meanwhile
    in_memory = Path("/dev/shm")  # files on disk take longer than most parsers
    with tempfile.TemporaryDirectory(
        prefix="isogloss-fuzz-", dir=in_memory if os.access(in_memory, os.W_OK) else None
    ) as scratch:
        os.chdir(scratch)
        if any(target.name.startswith("stored") for target in chosen):
            make_folders(Path(scratch))
        if given.input is not None:
            for target in chosen:
                with contextlib.suppress(UserError):
                    target.run(given.input.read_bytes(), Path(scratch))
            return 0
        print(HEADER, flush=True)
        if given.campaign:
            fuzzers = [Fuzzer(one, given.folder.resolve(), Path(scratch), given.seed) for one in chosen]
            for fuzzer in fuzzers:
                fuzzer.resume(given.seed)
            while left := [one for one in fuzzers if not one.complete(given.campaign)]:
                for fuzzer in left:
                    fuzzer.slice(SLICE, given.campaign)
                    print(fuzzer.outcome.row(), flush=True)
            outcomes = [fuzzer.outcome for fuzzer in fuzzers]
            print(HEADER, *(one.row() for one in outcomes), sep="\n")
        for target in [] if given.campaign else chosen:
            fuzzer = Fuzzer(target, given.folder.resolve(), Path(scratch), given.seed)
            seconds = math.inf if given.inputs else given.minutes * 60 / len(chosen)
            fuzzer.spend(seconds, given.inputs)
            outcomes.append(fuzzer.outcome)
            print(fuzzer.outcome.row(), flush=True)
        os.chdir("/")
    total = Outcome("all", lines=sum(one.lines for one in outcomes))
    for one in outcomes:
        total.executions += one.executions
        total.refused += one.refused
        total.seconds += one.seconds
        total.findings += one.findings
    print(total.row())
    return 1 if total.findings else 0


if __name__ == "__main__":
    raise SystemExit(main())
