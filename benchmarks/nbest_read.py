"""Reading a Moses n-best list, against a plain Python loop over the same file in the same run.

    python benchmarks/nbest_read.py [--sentences N] [--candidates N] [--folder DIR]

1000 sentences with 1000 candidates of about 20 words and 15 dense features in 6 groups (synthetic, seeded),
one thread. Prints lines per CPU second of reading and writing; the ratio to a loop that splits fields and
tokens, calls ``float()`` on every value and keeps nothing; and the peak memory of a process that only reads,
which must stay under 1.5 times the store's own size plus 100 MB.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from isogloss.nbest import NbestStore, read_nbest, write_nbest

GROUPS = {"LexicalReordering0": 6, "Distortion0": 1, "LM0": 1, "WordPenalty0": 1, "PhrasePenalty0": 1}
GROUPS |= {"TranslationModel0": 5}
VOCABULARY, LENGTH, CHOICES = 50_000, 20, 8
LOOP_LINES = 100_000  # the loop is slow; its first lines are enough

READ = """
import json, resource, sys
from isogloss.nbest import read_nbest
store = read_nbest(sys.argv[1])
print(json.dumps({"bytes": store.nbytes, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))
"""


def make_list(path: Path, sentences: int, candidates: int) -> None:
    """Write the list sentence by sentence; candidates differ in words for which there are a few choices."""
    rng = np.random.default_rng(1)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    vocabulary = ["".join(rng.choice(letters, size)) for size in rng.poisson(4, VOCABULARY) + 1]
    numbers = [f"{value:.6g}" for value in -rng.gamma(1, 8, 100_000)]
    template = " ".join(f"{name}={' {}' * size}" for name, size in GROUPS.items()).format
    columns = sum(GROUPS.values())
    with path.open("w", encoding="utf-8") as stream:
        for sentence in range(sentences):
            length = max(3, rng.poisson(LENGTH))
            choices = zipf(rng, CHOICES, length)
            chosen = rng.integers(CHOICES, size=(candidates, length))
            words = np.where(
                rng.random(chosen.shape) < 0.3, np.take_along_axis(choices, chosen, 0), choices[0]
            )
            values = rng.integers(len(numbers), size=(candidates, columns + 1))
            for row, picked in zip(words.tolist(), values.tolist(), strict=True):
                text = " ".join([vocabulary[word] for word in row])
                *features, score = [numbers[value] for value in picked]
                stream.write(f"{sentence} ||| {text} ||| {template(*features)} ||| {score}\n")


def zipf(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Word numbers as frequent as words are: the n-th most frequent about 1/n as often as the first."""
    return (np.exp(rng.random(shape) * np.log(VOCABULARY)) - 1).astype(np.int64)


def plain_loop(path: Path, lines: int) -> float:
    """What a script of ten lines would do. Returns a sum, so that nothing can be left out."""
    total = 0.0
    with path.open(encoding="utf-8") as stream:
        for line in itertools.islice(stream, lines):
            sentence, text, features, score = line.split(" ||| ")
            total += int(sentence) + len(text.split()) + float(score)
            for token in features.split():
                if not token.endswith("="):
                    total += float(token)
    return total


def cpu_seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--candidates", type=int, default=1000)
    parser.add_argument("--folder", type=Path, help="where the list of some 300 MB is written for a while")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path = Path(folder) / "list.nbest"
        make_list(path, options.sentences, options.candidates)
        measure(path, options.sentences * options.candidates)


def measure(path: Path, lines: int) -> None:
    megabytes = path.stat().st_size / 1e6
    columns = sum(GROUPS.values())
    print(f"{lines:,} lines, {megabytes:,.0f} MB, {columns} dense features; one thread, CPU time\n")
    stores: list[NbestStore] = []
    reading = cpu_seconds(lambda: stores.append(read_nbest(path)))
    looped = min(LOOP_LINES, lines)
    looping = cpu_seconds(lambda: plain_loop(path, looped))
    writing = cpu_seconds(lambda: write_nbest(stores[0], path.with_name("again"), format="moses"))
    assert stores[0].num_candidates == lines
    loop_rate = looped / looping
    print(f"{'':28}{'lines/s':>12}{'MB/s':>8}{'ratio':>8}")
    for name, rate in (
        ("plain Python loop", loop_rate),
        ("isogloss reads", lines / reading),
        ("isogloss writes", lines / writing),
    ):
        ratio = "" if name.endswith("writes") else f"{rate / loop_rate:8.1f}"
        print(f"{name:28}{rate:>12,.0f}{rate * megabytes / lines:>8.0f}{ratio}")
    command = [sys.executable, "-c", READ, str(path)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    limit = 1.5 * found["bytes"] + 100e6
    print(
        f"\npeak memory of a process that reads it: {found['peak'] / 1e6:,.0f} MB; the store is "
        f"{found['bytes'] / 1e6:,.0f} MB, and 1.5 times that plus 100 MB is {limit / 1e6:,.0f} MB"
    )
    if found["peak"] > limit:
        sys.exit("the reader takes more memory than it may")


if __name__ == "__main__":
    main()
