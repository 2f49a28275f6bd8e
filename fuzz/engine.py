"""Run the fuzz targets of the engine's parsers (libFuzzer, AddressSanitizer, UBSan), and say how far they got.

    python fuzz/engine.py BUILD --inputs 10000000              all targets, in turn
    python fuzz/engine.py BUILD --inputs 100000 arpa rules     these

BUILD is where CMake has built them (``make fuzz-engine`` does both). Inputs that reach new code are kept, and the next
run goes on from there. A target goes on beyond its inputs until its last third has reached nothing new, for
ten times as long at most. A crash, a leak, or an input that takes more than ten seconds is a finding: its file is named,
and the exit code is 1.
"""

from __future__ import annotations

import argparse
import re
import resource
import subprocess
import sys
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
_PROGRESS = re.compile(r"^#(\d+)\s+(\S+)\s+cov: (\d+)")


def _cpu_seconds() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def run(binary: Path, name: str, inputs: int, folder: Path, seed: int) -> tuple[str, bool]:
    """Run one target; a row of the table, and whether it found nothing wrong."""
    corpus = folder / name
    corpus.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(SEEDS[name]):
        (corpus / f"seed-{number}").write_bytes(data)
    words = folder / f"{name}.words"
    escaped = ("".join(f"\\x{byte:02x}" for byte in word) for word in WORDS.get(name, (b"\n",)))
    words.write_text("".join(f'"{word}"\n' for word in escaped), encoding="ascii")
    done = last_new = coverage = 0
    begun = _cpu_seconds()
    while not done or (last_new > 2 / 3 * done and done < MOST_ROUNDS * inputs):
        more = inputs if not done else done // 2
        command = [
            str(binary),
            str(corpus),
            f"-runs={more}",
            f"-seed={seed + done}",
            f"-dict={words}",
            f"-artifact_prefix={folder}/{name}-",
            "-max_len=512",
            "-timeout=10",
            "-rss_limit_mb=2048",
            "-print_final_stats=1",
        ]
        found = subprocess.run(command, capture_output=True, text=True, errors="replace")
        for line in found.stderr.splitlines():
            if progress := _PROGRESS.match(line):
                # A run begins by reading what earlier ones have kept: that is nothing new.
                if int(progress[3]) > coverage and progress[2] not in ("READ", "INITED"):
                    last_new = done + int(progress[1])
                coverage = max(coverage, int(progress[3]))
        if found.returncode:
            print(found.stderr[-4000:], file=sys.stderr)
            return f"{name:16} FINDING", False
        done += more
    rate = done / max(0.01, _cpu_seconds() - begun)
    return f"{name:16}{done:>12,}{rate:>12,.0f}{coverage:>10,}{last_new:>12,}{'':>4}none", True


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build", type=Path)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(SEEDS))
    parser.add_argument("--inputs", type=int, default=100_000, help="inputs for each target")
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
    good = True
    for name in given.targets or SEEDS:
        row, fine = run(given.build / f"fuzz_{name}", name, given.inputs, given.folder.resolve(), given.seed)
        print(row, flush=True)
        good &= fine
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
