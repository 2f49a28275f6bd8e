"""Data selection from a large corpus: wall-clock time and memory, against plain Python on a slice.

    ISOGLOSS_DATA=... python benchmarks/sampling.py [--pairs N] [--slice N] [--threads N]

The corpus is callhome's training text enlarged to a million pairs (see enlarged.py); the text is the 3,979
lines of fisher/dev. The peer is the obvious program: the n-grams of the text in dictionaries, the precision
of every pair against every sentence with which it shares an n-gram, and a heap for each n-gram. It sees a
slice of the corpus. Its selection must be the same (checked), and its time is scaled to the whole corpus.
"""

from __future__ import annotations

import argparse
import heapq
import json
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

from enlarged import data_folder, enlarge
from measure import ISOGLOSS, run

ORDER, COVERAGE = 3, 10
LIMIT_SECONDS, LIMIT_BYTES = 180, 2e9


def ngrams(line: str) -> Counter[tuple[str, ...]]:
    words = line.split()
    return Counter(tuple(words[i : i + n]) for n in range(1, ORDER + 1) for i in range(len(words) - n + 1))


def plain_python(corpus: list[str], text: list[str]) -> list[int]:
    postings: dict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)
    for number, line in enumerate(dict.fromkeys(" ".join(line.split()) for line in text)):
        for gram, count in ngrams(line).items():
            postings[gram].append((number, count))
    heaps: dict[tuple[tuple[str, ...], int], list[tuple[float, int]]] = defaultdict(list)
    for number, line in enumerate(corpus):
        own = {gram: count for gram, count in ngrams(line).items() if gram in postings}
        length = len(line.split())
        precisions: dict[int, float] = defaultdict(float)
        for gram, count in own.items():
            share = 1 / (length - len(gram) + 1)
            for sentence, other in postings[gram]:
                precisions[sentence] += min(count, other) * share
        for gram in own:
            for sentence, _ in postings[gram]:
                heap = heaps[gram, sentence]
                item = (round(precisions[sentence], 9), -number)
                if len(heap) < COVERAGE:
                    heapq.heappush(heap, item)
                elif item > heap[0]:
                    heapq.heapreplace(heap, item)
    return sorted({-number for heap in heaps.values() for _, number in heap})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--slice", type=int, default=5_000)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    data = data_folder()
    text = data / "fisher" / "dev.asr.es"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        source, target = enlarge(
            data / "callhome" / "train.oracle.es", data / "callhome" / "train.en", folder, arguments.pairs
        )

        def sample(first: Path, second: Path, *options: str) -> tuple[float, float, int, dict[str, object]]:
            outputs = [str(folder / "chosen.src"), str(folder / "chosen.tgt")]
            command = ["sample", str(first), str(second), *outputs, "--for", str(text), "--json", *options]
            cost = run([*ISOGLOSS, "--quiet", *command, "--threads", str(arguments.threads)])
            return cost.wall, cost.cpu, cost.peak, json.loads(cost.stdout)

        wall, cpu, peak, found = sample(source, target, "--no-perplexity")
        print(
            f"{arguments.pairs:,} pairs, {found['chosen']:,} chosen: {wall:.1f} s (limit {LIMIT_SECONDS}), "
            f"{cpu:.1f} s of CPU on {arguments.threads} threads, {peak / 1e6:,.0f} MB "
            f"(limit {LIMIT_BYTES / 1e6:,.0f})"
        )
        wall, cpu, peak, _ = sample(source, target)
        print(
            f"with the perplexity of the text before and after: {wall:.1f} s, {cpu:.1f} s of CPU, "
            f"{peak / 1e6:,.0f} MB"
        )
        lines = source.read_text(encoding="utf-8").split("\n")[: arguments.slice]
        for side in (source, target):
            rows = side.read_text(encoding="utf-8").split("\n")[: arguments.slice]
            (folder / f"slice{side.suffix}").write_text("\n".join(rows) + "\n", encoding="utf-8")
        begun = time.process_time()
        slow = plain_python(lines, text.read_text(encoding="utf-8").splitlines())
        seconds = time.process_time() - begun
        slices = (folder / f"slice{source.suffix}", folder / f"slice{target.suffix}")
        _, own, _, _ = sample(*slices, "--no-perplexity", "--list", str(folder / "list"))
        rows = (folder / "list").read_text(encoding="utf-8").splitlines()[1:]
        same = [int(row.split("\t")[0]) - 1 for row in rows] == slow
        whole = seconds * arguments.pairs / arguments.slice
        print(
            f"{arguments.slice:,} pairs: plain Python {seconds:.1f} s of CPU, here {own:.1f} s with "
            f"starting; the same choice: {'yes' if same else 'NO'}"
        )
        _, cpu, _, _ = sample(source, target, "--no-perplexity")
        print(f"scaled to {arguments.pairs:,} pairs: {whole:,.0f} s, {whole / cpu:.0f} times as long")


if __name__ == "__main__":
    main()
