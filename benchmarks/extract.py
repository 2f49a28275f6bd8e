"""Extracting and looking up rules: CPU time, memory and sizes, compared with Moses.

    ISOGLOSS_DATA=... python benchmarks/extract.py [--links FILE] [--scale]

The corpus is German-English multi30k-tok (29,000 pairs). Without ``--links``, it is first aligned by
``isogloss align`` (fast model; not counted here). Each extraction is the command that a user types, run as a
process with one thread. It includes reading, extracting, counting, scoring in both directions, lexical
weights, orientation and storing. Moses is not on the package index: its figures were measured once with the
same limits on the same corpus, in *units*, the CPU time of a fixed workload (see ``unit``), which can be
compared across machines. The number of phrase pairs depends on the links: fewer unaligned words give fewer
pairs (Moses used those of fast_align). Only hierarchical rules in target normal form are kept here; Moses
keeps all.

Lookup is measured on test_2016: all matches of all source sides of a sentence, including non-terminals.

``--scale`` repeats the extraction on a corpus enlarged to 100,000 and 200,000 pairs (aligned first) and
compares the growth with n log n; ``pipeline_scale.py`` goes to a million.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
import time
from pathlib import Path

from enlarged import data_folder, enlarge
from measure import ISOGLOSS, Cost, run
from unit import unit

from isogloss import _engine
from isogloss.grammar import RuleTable

MOSES_UNITS = {"phrase": 470, "hiero": 3160}
MOSES_RULES = {"phrase": 791_353, "hiero": 4_965_374}
MOSES_PEAK_MB = {"hiero": 1050}
SCALE = (100_000, 200_000)


def align(source: Path, target: Path, links: Path) -> Path:
    if not links.exists():
        command = [*ISOGLOSS, "--quiet", "align", str(source), str(target), "--output", str(links)]
        if run([*command, "--model-type", "fast"]).code != 0:
            sys.exit("'isogloss align' failed: give the links of the training pairs with --links")
    return links


def extract(source: Path, target: Path, links: Path, output: Path, grammar: str) -> tuple[Cost, int]:
    files = [str(source), str(target), str(links)]
    options = ["--grammar", grammar, "--threads", "1", "--json"]
    cost = run([*ISOGLOSS, "--quiet", "extract", *files, "--output", str(output), *options])
    if cost.code != 0:
        sys.exit(f"'isogloss extract' failed with exit code {cost.code}")
    return cost, int(json.loads(cost.stdout)["rules"])


def report(grammar: str, cost: Cost, rules: int, one: float) -> None:
    units = cost.cpu / one
    peak = MOSES_PEAK_MB.get(grammar)
    print(
        f"{grammar:7} {cost.cpu:6.1f} s = {units:5.0f} units, {rules:9,} rules, {cost.peak / 1e6:5.0f} MB; "
        f"Moses {MOSES_UNITS[grammar]:,} units, {MOSES_RULES[grammar]:,} rules"
        + (f", {peak:,} MB" if peak else "")
        + f": {MOSES_UNITS[grammar] / units:.1f} times as fast"
    )


def look_up(table: Path, text: Path) -> None:
    begun = time.perf_counter()
    rules = RuleTable.open(table)
    opened = time.perf_counter() - begun
    words, offsets = _engine.encode_text(rules.source_words, text.read_bytes().rstrip(b"\n"))
    best = math.inf
    for _ in range(5):
        begun = time.process_time()
        sides, matches, found = rules.engine.count_matches(words, offsets, max_span=15)
        best = min(best, time.process_time() - begun)
    sentences = len(offsets) - 1
    print(
        f"  opened in {1000 * opened:.0f} ms; looking up {1e6 * best / sentences:.0f} us per sentence "
        f"({len(words) / best:,.0f} words/s): {sides / sentences:.0f} source sides in "
        f"{matches / sentences:.0f} places, {found / sentences:,.0f} rules"
    )


def grow(corpora: Path, folder: Path) -> None:
    for grammar in MOSES_UNITS:
        seconds = []
        for pairs in SCALE:
            source, target = enlarge(corpora / "train.de", corpora / "train.en", folder, pairs)
            links = align(source, target, folder / f"links-{pairs}")
            cost, rules = extract(source, target, links, folder / "scale", grammar)
            print(
                f"{grammar:7} {pairs:9,} pairs {cost.cpu:6.1f} s {rules:11,} rules {cost.peak / 1e6:5.0f} MB"
            )
            seconds.append(cost.cpu)
        bound = SCALE[1] * math.log(SCALE[1]) / (SCALE[0] * math.log(SCALE[0]))
        print(f"{grammar:7} growth {seconds[1] / seconds[0]:.2f} (n log n: {bound:.2f})")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--links", type=Path, help="links of the 29,000 training pairs, source-target")
    parser.add_argument("--scale", action="store_true", help="also 100,000 and 200,000 pairs")
    arguments = parser.parse_args()
    corpora = data_folder() / "multi30k-tok"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        source, target = corpora / "train.de", corpora / "train.en"
        links = arguments.links or align(source, target, folder / "links")
        one = unit()
        print(f"unit {one:.3f} s")
        for grammar in MOSES_UNITS:
            cost, rules = extract(source, target, links, folder / grammar, grammar)
            report(grammar, cost, rules, one)
            look_up(folder / grammar, corpora / "test_2016.de")
        if arguments.scale:
            grow(corpora, folder)


if __name__ == "__main__":
    main()
