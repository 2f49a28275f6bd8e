"""Run the fuzz targets of the engine's parsers (libFuzzer, AddressSanitizer, UBSan), and say how far they got.

    python fuzz/engine.py BUILD --inputs 10000000              all targets, in turn
    python fuzz/engine.py BUILD --inputs 100000 arpa rules     these
    python fuzz/engine.py BUILD --inputs 10000000 --campaign   all in slices; stop it, and repeat it to go on

BUILD is where CMake has built them (``make fuzz-engine`` does both). Inputs that reach new code are kept, and the next
run goes on from there. A target goes on beyond its inputs until its last third has reached nothing new, for
ten times as long at most. A crash, a leak, or an input that takes more than ten seconds is a finding: its file is named,
and the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from parsers import ARPA, HIERO, MOSES, NUMBERS, PHRASES

ORIENTATION = b"a ||| b ||| 0.2 0.3 0.5 0.2 0.3 0.5\n"
SEEDS: dict[str, tuple[bytes, ...]] = {
    "arpa": tuple(b"\x40" + one for one in ARPA),
    "moses_list": (
        *(b"\0" + one for one in MOSES),
        b"\1" + b"0 ||| a b ||| F0= -1.5 F1= 2 ||| -3.5\n",
        b"\2" + b"0 ||| a b ||| 0-0 1-1 ||| WordScores= -1 -2 -0.5 ||| F0= -1.5 ||| -3.5\n",
        b"\0" + b"0 ||| a b ||| lm= -1 pair:a|b=2 ||| -3 ||| 0-0=0-0 1-1=1-1 ||| 0-0 1-1\n",
    ),
    "rules": (*(b"\0" + one for one in PHRASES), b"\1" + ORIENTATION, *(b"\2" + one for one in HIERO)),
    "pharaoh": (b"0-0 1-2\n\n3-4\n",),
    "numbers": (b"-1.5e-3", b"0x1p-3", b"12345678901234567890", b"nan", b"inf", *NUMBERS),
    "feature_names": (
        b"pair:viol+|tnthk",
        b"pair_bigram:a|b|c|d",
        b"target_bigram:<s>|#12",
        b"rule:a ~ b|~ c",
    ),
    "tokenizers": (
        b"\0" + "Mr. X's well-known 3.5 % of l’été … „ja“ https://a.b/c İstanbul 東京".encode(),
        b"\5a\xc2\xa0b \xef\xbf\xbd",
    ),
    "case_tables": (b"\0The king sees The King . KING", b"\3" + bytes(range(64))),
}
WORDS = {
    "arpa": (b"\\data\\", b"\\end\\", b"\\1-grams:", b"ngram 1=", b"<unk>", b"</s>", *NUMBERS),
    "moses_list": (b" ||| ", b"= ", b"0-0=0-0", b"WordScores=", *NUMBERS),
    "rules": (b" ||| ", b"[X,1]", b"[X,2]", b"[X]", b"0-0", *NUMBERS),
    "feature_names": (b":", b"|", b"+", b"#", b"~", b"pair_bigram", b"insertion", b"deletion", b"distortion"),
}
MOST_ROUNDS = 10
SLICES = 50
# Memory that was freed is kept from reuse for a while. By default that is more than caches hold, and half of the time.
_ASAN = "quarantine_size_mb=4:malloc_context_size=8"
SLOWEST = 10
_EXECUTED = re.compile(r"stat::number_of_executed_units: (\d+)")
_WRITTEN = re.compile(r"Test unit written to (\S+)")
_PROGRESS = re.compile(r"^#(\d+)\s+(\S+)\s+cov: (\d+)")


def _cpu_seconds() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


@dataclass
class Progress:
    """How far a target got."""

    done: int = 0
    last_new: int = 0
    """The input that last reached new code."""
    coverage: int = 0
    seconds: float = 0.0

    def complete(self, inputs: int) -> bool:
        """Whether it had its inputs, and the last third of them has reached nothing new."""
        return self.done >= inputs and (
            self.last_new <= 2 / 3 * self.done or self.done >= MOST_ROUNDS * inputs
        )


class Runner:
    """One target with its corpus."""

    def __init__(self, binary: Path, name: str, folder: Path, seed: int) -> None:
        self.binary, self.name, self.folder, self.seed = binary, name, folder, seed
        self.corpus, self.words, self.tally = folder / name, folder / f"{name}.words", folder / f"{name}.json"
        self.progress = Progress()
        self.corpus.mkdir(parents=True, exist_ok=True)
        for number, data in enumerate(SEEDS[name]):
            (self.corpus / f"seed-{number}").write_bytes(data)
        escaped = ("".join(f"\\x{byte:02x}" for byte in word) for word in WORDS.get(name, (b"\n",)))
        self.words.write_text("".join(f'"{word}"\n' for word in escaped), encoding="ascii")

    def resume(self) -> None:
        """Count on from an earlier run of a campaign."""
        if self.tally.exists():
            self.progress = Progress(**json.loads(self.tally.read_text()))

    def spend(self, inputs: int) -> bool:
        """Try so many inputs; whether nothing was wrong."""
        progress, begun = self.progress, _cpu_seconds()
        command = [
            str(self.binary),
            str(self.corpus),
            f"-runs={inputs}",
            f"-seed={self.seed + progress.done}",
            f"-dict={self.words}",
            f"-artifact_prefix={self.folder}/{self.name}-",
            "-max_len=512",
            f"-timeout={SLOWEST}",
            "-rss_limit_mb=2048",
            "-print_final_stats=1",
        ]
        found = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            env={**os.environ, "ASAN_OPTIONS": _ASAN},
        )
        for line in found.stderr.splitlines():
            if step := _PROGRESS.match(line):
                # A run begins by reading what earlier ones have kept: that is nothing new.
                if int(step[3]) > progress.coverage and step[2] not in ("READ", "INITED"):
                    progress.last_new = progress.done + int(step[1])
                progress.coverage = max(progress.coverage, int(step[3]))
        if found.returncode and not self.only_waited(found.stderr):
            print(found.stderr[-4000:], file=sys.stderr)
            return False
        executed = _EXECUTED.search(found.stderr)
        progress.done += int(executed[1]) if found.returncode and executed else inputs
        progress.seconds += _cpu_seconds() - begun
        written = self.tally.with_suffix(".new")
        written.write_text(json.dumps(asdict(progress)))
        written.replace(self.tally)
        return True

    def only_waited(self, said: str) -> bool:
        """Whether an input took long because others had the processor: libFuzzer looks at the clock only."""
        written = _WRITTEN.search(said)
        if "libFuzzer: timeout" not in said or written is None:
            return False
        limit = partial(resource.setrlimit, resource.RLIMIT_CPU, (SLOWEST, SLOWEST))
        again = subprocess.run(
            [str(self.binary), "-timeout=3600", written[1]], capture_output=True, preexec_fn=limit
        )
        if again.returncode == 0:
            Path(written[1]).unlink()
        return again.returncode == 0

    def row(self, *, fine: bool) -> str:
        """One line of the table."""
        if not fine:
            return f"{self.name:16} FINDING"
        one = self.progress
        rate = one.done / max(0.01, one.seconds)
        return f"{self.name:16}{one.done:>12,}{rate:>12,.0f}{one.coverage:>10,}{one.last_new:>12,}{'':>4}none"


def campaign(runners: list[Runner], inputs: int) -> bool:
    """All targets in slices, counting over all runs; whether nothing was wrong."""
    for runner in runners:
        runner.resume()
    left = [one for one in runners if not one.progress.complete(inputs)]
    while left:
        for runner in left:
            fine = runner.spend(max(1000, inputs // SLICES))
            print(runner.row(fine=fine), flush=True)
            if not fine:
                return False
        left = [one for one in left if not one.progress.complete(inputs)]
    for runner in runners:
        print(runner.row(fine=True))
    return True


def in_turn(runners: list[Runner], inputs: int) -> bool:
    """One target after the other; whether nothing was wrong."""
    good = True
    for runner in runners:
        fine = True
        while fine and not runner.progress.complete(inputs):
            fine = runner.spend(inputs if not runner.progress.done else runner.progress.done // 2)
        print(runner.row(fine=fine), flush=True)
        good &= fine
    return good


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build", type=Path)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(SEEDS))
    parser.add_argument("--inputs", type=int, default=100_000, help="inputs for each target")
    parser.add_argument("--campaign", action="store_true", help="all targets in slices, over several runs")
    parser.add_argument("--folder", type=Path, default=HERE.parent / "build" / "fuzz" / "engine")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_intermixed_args()
    for name in given.targets:
        if name not in SEEDS:
            parser.error(f"no target is called '{name}'; known are {', '.join(SEEDS)}")
    print(
        f"{'target':16}{'inputs':>12}{'per CPU s':>12}{'edges':>10}{'last new':>12}{'':>4}findings",
        flush=True,
    )
    runners = [
        Runner(given.build / f"fuzz_{name}", name, given.folder.resolve(), given.seed)
        for name in given.targets or SEEDS
    ]
    return 0 if (campaign if given.campaign else in_turn)(runners, given.inputs) else 1


if __name__ == "__main__":
    raise SystemExit(main())
