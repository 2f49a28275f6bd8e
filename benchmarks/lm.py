"""The language model against KenLM in the same run: estimation, scores, speed, memory, growth.

    ISOGLOSS_DATA=... python benchmarks/lm.py [--scale] [--folder SCRATCH]

Needs ``pip install kenlm`` for KenLM's queries. Its estimator lmplz is a separate program and is run if
``--lmplz PROGRAM`` names it. CPU seconds are user and system time of the whole process, including the start
of Python; a *unit* is the CPU time of a fixed workload on this machine (see ``unit``). Memory is what loading
and querying a model adds to a process. ``--scale`` estimates models of 100,000 and 1,000,000 sentences made
from the corpus, within 1 GB.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from enlarged import data_folder, enlarge
from measure import ISOGLOSS, Cost, run
from unit import cpu, unit

from isogloss.lm import LanguageModel

ROUNDS = 9
SCALES = (100_000, 1_000_000)


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """KenLM draws a progress bar, from below Python."""
    kept = os.dup(2)
    with Path(os.devnull).open("w") as nothing:
        os.dup2(nothing.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)


def kenlm_model(path: str) -> Any:
    import kenlm

    with silence():
        return kenlm.Model(path)


def estimating(folder: Path, train: Path, lmplz: str | None) -> None:
    one = unit()
    options = ["--order", "5", "--threads", "1", "--json"]
    outputs = {"ARPA": ["--arpa", str(folder / "m.arpa")], "binary": ["--binary", str(folder / "m")]}
    costs: dict[str, Cost] = {}
    for name, output in outputs.items():
        command = [*ISOGLOSS, "lm", "build", str(train), *options, *output]
        costs[name] = min((run(command) for _ in range(3)), key=lambda cost: cost.cpu)
    print(f"unit {one:.3f} s")
    print(f"n-grams {json.loads(costs['ARPA'].stdout)['counts']}")
    for name, cost in costs.items():
        print(
            f"estimate 5-grams, write {name}: {cost.cpu:.2f} s = {cost.cpu / one:.1f} units, "
            f"{cost.peak >> 20} MB"
        )
    if lmplz is not None:
        command = [lmplz, "-o", "5", "-S", "1G", "--text", str(train), "--arpa", str(folder / "peer.arpa")]
        peer = min((run(command) for _ in range(2)), key=lambda c: c.cpu)
        print(f"lmplz, write ARPA: {peer.cpu:.2f} s = {peer.cpu / one:.1f} units, {peer.peak >> 20} MB")
        print(f"ratio of CPU time to lmplz: {costs['ARPA'].cpu / peer.cpu:.2f}")


def scores(folder: Path, test: Path) -> None:
    ours = LanguageModel.load(folder / "m")
    theirs = kenlm_model(str(folder / "m.arpa"))
    lines = test.read_text("utf-8").splitlines()
    worst = 0.0
    for line in lines:
        expected = [prob for prob, _, _ in theirs.full_scores(line)]
        found = [word.log10 for word in ours.score_words(line)]
        worst = max(worst, *(abs(a - b) for a, b in zip(found, expected, strict=True)))
    text = ours.perplexity(lines)
    total = sum(theirs.score(line) for line in lines)
    print(
        f"perplexity of {test.name}: {text.including_unknown:.4f}, KenLM {10 ** (-total / text.words):.4f}; ",
        end="",
    )
    print(f"{text.unknown} unknown words, {text.excluding_unknown:.4f} without them")
    print(f"largest difference of a word's log10 probability: {worst:.1e}")


def speed(folder: Path, train: Path, test: Path) -> None:
    theirs = kenlm_model(str(folder / "m.arpa"))
    for own_memory in (False, True):
        ours = LanguageModel.load(folder / "m", own_memory=own_memory)
        for path in (train, test):
            lines = path.read_text("utf-8").splitlines()
            lines *= -(-20_000 // len(lines))
            own, peer = [], []
            for _ in range(ROUNDS):
                own.append(cpu(lambda: ours.score_sentences(lines)))  # noqa: B023
                peer.append(cpu(lambda: [theirs.score(line) for line in lines]))  # noqa: B023
            ratio = sorted(b / a for a, b in zip(own, peer, strict=True))[ROUNDS // 2]
            print(
                f"scoring {path.name} with {'own' if own_memory else 'mapped'} tables, one thread: "
                f"{len(lines) / min(own):,.0f} sentences/s, KenLM {len(lines) / min(peer):,.0f}; "
                f"ratio {ratio:.2f} (median of {ROUNDS})"
            )


MEASURE = """
import os, resource, sys
def resident():
    with open("/proc/self/statm") as stream:
        return int(stream.read().split()[1]) * resource.getpagesize()
lines = open(sys.argv[2], encoding="utf-8").read().splitlines()
if sys.argv[3] == "ours":
    from isogloss.lm import LanguageModel
    before = resident()
    model = LanguageModel.load(sys.argv[1])
    model.score_sentences(lines)
else:
    import kenlm
    before = resident()
    model = kenlm.Model(sys.argv[1])
    for line in lines:
        model.score(line)
print(resident() - before)
"""


def memory(folder: Path, train: Path) -> None:
    def added(path: Path, whose: str) -> float:
        command = [sys.executable, "-c", MEASURE, str(path), str(train), whose]
        return int(subprocess.run(command, capture_output=True, check=True).stdout) / 2**20

    own, peer = added(folder / "m", "ours"), added(folder / "m.arpa", "kenlm")
    size = sum(file.stat().st_size for file in (folder / "m").iterdir()) / 2**20
    print(
        f"memory after scoring {train.name}: {own:.1f} MB, KenLM (probing) {peer:.1f} MB; "
        f"ratio {own / peer:.2f}"
    )
    opening = cpu(lambda: LanguageModel.load(folder / "m"))
    print(f"stored model: {size:.1f} MB, opens in {1000 * opening:.1f} ms")


def scale(folder: Path, source: Path, target: Path) -> None:
    costs = {}
    for pairs in SCALES:
        _, text = enlarge(source, target, folder, pairs)
        output = ["--binary", str(folder / f"m{pairs}"), "--json"]
        bounds = ["--memory-limit", "1G", "--threads", "2"]
        costs[pairs] = run([*ISOGLOSS, "lm", "build", str(text), *bounds, *output])
        report = json.loads(costs[pairs].stdout)
        print(
            f"{pairs:,} sentences within 1 GB: {costs[pairs].cpu:.1f} s, "
            f"peak {costs[pairs].peak / 2**20:,.0f} MB, "
            f"{sum(report['counts']):,} n-grams, {report['spilled_bytes'] / 2**20:,.0f} MB on disk"
        )
    small, large = SCALES
    growth = costs[large].cpu / costs[small].cpu
    bound = large * math.log(large) / (small * math.log(small))
    print(f"growth of CPU time: {growth:.1f}; n log n would be {bound:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scale", action="store_true")
    parser.add_argument("--folder", type=Path, help="for scratch files; a temporary one if not given")
    parser.add_argument("--lmplz", help="KenLM's estimator")
    options = parser.parse_args()
    corpora = data_folder() / "multi30k-tok"
    train, test = corpora / "train.en", corpora / "test_2016.en"
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        estimating(folder, train, options.lmplz)
        scores(folder, test)
        speed(folder, train, test)
        memory(folder, train)
        if options.scale:
            scale(folder, corpora / "train.de", train)


if __name__ == "__main__":
    main()
