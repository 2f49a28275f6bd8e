"""Keystrokes that type-ahead saves, and the CPU time of a completion.

    python benchmarks/completion.py ENGINE SOURCE REFERENCE [--sentences 200]

A simulated translator types the reference. After each character, the engine is asked how the translation goes
on; as long as its next word is that of the reference, the translator takes it with one key. The peers are a
translator without an engine, who types every character, and one who edits the first translation: the fewest
characters to delete and insert, each one key. One more key accepts the sentence.
"""

from __future__ import annotations

import argparse
import re
import statistics
import time
from pathlib import Path

import isogloss


def fewest_keys(before: str, after: str) -> int:
    """Characters to insert and delete."""
    row = list(range(len(after) + 1))
    for i, one in enumerate(before, start=1):
        above, row[0] = row[0], i
        for j, other in enumerate(after, start=1):
            above, row[j] = row[j], above if one == other else min(row[j], row[j - 1]) + 1
    return row[-1]


def typed_keys(system: isogloss.System, source: str, reference: str, times: list[float]) -> int:
    """Keys of a translator with type-ahead."""
    typed, keys = "", 0
    while typed != reference:
        begun = time.process_time()
        completion = system.complete(source, typed)[0].completion
        times.append(time.process_time() - begun)
        word = re.match(r"\s*\S+", completion)
        following = word.group() if word else ""
        whole = following and (
            typed + following == reference
            or reference[len(typed + following) : len(typed + following) + 1].isspace()
        )
        if following and reference.startswith(typed + following) and whole:
            typed += following
        else:
            typed += reference[len(typed)]
        keys += 1
    return keys + 1  # accept the sentence


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("engine")
    parser.add_argument("source", type=Path)
    parser.add_argument("reference", type=Path)
    parser.add_argument("--sentences", type=int, default=200)
    parser.add_argument("--no-matches", action="store_true", help="without known translations")
    args = parser.parse_args()
    system = isogloss.load(args.engine, matches=not args.no_matches)
    pairs = list(
        zip(
            args.source.read_text("utf-8").splitlines(),
            args.reference.read_text("utf-8").splitlines(),
            strict=True,
        )
    )
    pairs = [(source, reference) for source, reference in pairs if source.strip() and reference.strip()][
        : args.sentences
    ]
    plain = edited = ahead = 0
    times: dict[bool, list[float]] = {False: [], True: []}
    for source, reference in pairs:
        reference = " ".join(reference.split())
        plain += len(reference) + 1
        edited += fewest_keys(str(system.translate(source)), reference) + 1
        ahead += typed_keys(system, source, reference, times[18 <= len(source.split()) <= 22])
    print(f"{'sentences':<30}{len(pairs):>10,}")
    for name, keys in (
        ("typing all", plain),
        ("editing the first translation", edited),
        ("type-ahead", ahead),
    ):
        print(f"{name:<30}{keys:>10,}{keys / plain:>10.1%}")
    for name, some in (("all", times[False] + times[True]), ("of 18 to 22 words", times[True])):
        if len(some) > 1:
            middle, late = statistics.median(some), statistics.quantiles(some, n=100)[98]
            print(f"CPU time, {name:<18}{len(some):>9,}  median {1e3 * middle:.1f}, 99% {1e3 * late:.1f} ms")


if __name__ == "__main__":
    main()
