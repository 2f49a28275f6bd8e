"""Word classes: quality and CPU time against random and frequency-binned classes and a Brown clustering.

    ISOGLOSS_DATA=... python benchmarks/classes.py [--scale] [--peer]

``--peer`` needs ``pip install brown-clustering`` and takes minutes, all of them for the peer. ``--scale``
clusters a corpus enlarged to 100,000 and to 1,000,000 sentences. Quality is the perplexity of the training
text under the class bigram model fitted to it, which both programs minimize.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import tempfile
import time
from pathlib import Path

import numpy as np
from enlarged import data_folder, enlarge
from measure import ISOGLOSS, Cost, run

from isogloss.classes import WordClasses, class_perplexity

CLASSES = 50


def cluster(corpus: Path, output: Path, *options: str) -> tuple[Cost, float]:
    command = [*ISOGLOSS, "--quiet", "classes", str(corpus), "--output", str(output), "--json"]
    cost = run([*command, "--classes", str(CLASSES), *options])
    return cost, json.loads(cost.stdout)["perplexity"]


def frequency_binned(words: list[str], counts: np.ndarray) -> WordClasses:
    """Classes of equal mass along the list of falling frequency."""
    mass = np.cumsum(counts)
    bins = np.minimum(mass * CLASSES // mass[-1], CLASSES - 1)
    return WordClasses({word: 2 + int(number) for word, number in zip(words, bins, strict=True)})


def baselines(sentences: list[list[str]]) -> dict[str, WordClasses]:
    counts: dict[str, int] = {}
    for sentence in sentences:
        for word in sentence:
            counts[word] = counts.get(word, 0) + 1
    words = sorted(counts, key=lambda word: -counts[word])
    rng = np.random.default_rng(1)
    return {
        "random": WordClasses({word: int(rng.integers(2, 2 + CLASSES)) for word in words}),
        "frequency bins": frequency_binned(words, np.array([counts[word] for word in words])),
    }


def brown(sentences: list[list[str]]) -> tuple[float, WordClasses]:
    os.environ["TQDM_DISABLE"] = "1"
    from brown_clustering import BigramCorpus, BrownClustering

    begun = time.process_time()
    # As little smoothing as its logarithms bear: the perplexity compared is the unsmoothed one.
    groups = BrownClustering(BigramCorpus(sentences, alpha=1e-4), CLASSES).train()
    cpu = time.process_time() - begun
    return cpu, WordClasses({word: 2 + i for i, group in enumerate(groups) for word in group})


def quality(folder: Path, peer: bool) -> None:
    print(
        f"{CLASSES} classes\n{'language':10} {'classes by':24} {'perplexity':>10} {'CPU s':>8} {'peak MB':>8}"
    )
    for language in ("en", "de"):
        corpus = data_folder() / "multi30k-tok" / f"train.{language}"
        sentences = [line.split() for line in corpus.read_text(encoding="utf-8").splitlines()]
        for name, options in (("isogloss, 1 descent", ["--restarts", "0"]), ("isogloss", [])):
            cost, found = cluster(corpus, folder / "classes.tsv", *options, "--threads", "1")
            print(f"{language:10} {name:24} {found:10.2f} {cost.cpu:8.2f} {cost.peak / 1e6:8.0f}")
        for name, classes in baselines(sentences).items():
            print(f"{language:10} {name:24} {class_perplexity(sentences, classes):10.2f}")
        if peer:
            cpu, classes = brown(sentences)
            found = class_perplexity(sentences, classes)
            print(f"{language:10} {'brown-clustering':24} {found:10.2f} {cpu:8.2f}")
            print(f"{language:10} CPU time, isogloss : brown-clustering = {cost.cpu / cpu:.3f} : 1")


def scale(folder: Path) -> None:
    small, large = 100_000, 1_000_000
    corpora = data_folder() / "multi30k-tok"
    for language, index in (("de", 0), ("en", 1)):
        costs = []
        for pairs in (small, large):
            corpus = enlarge(corpora / "train.de", corpora / "train.en", folder, pairs)[index]
            cost, found = cluster(corpus, folder / "classes.tsv")
            costs.append(cost)
            print(
                f"{language} {pairs:9,} sentences: CPU {cost.cpu:7.2f} s, wall {cost.wall:7.2f} s, "
                f"peak {cost.peak / 1e6:5.0f} MB, perplexity {found:.2f}"
            )
        bound = large * math.log(large) / (small * math.log(small))
        print(
            f"{language} growth of CPU time {costs[1].cpu / costs[0].cpu:.2f}, n log n would be {bound:.2f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scale", action="store_true")
    parser.add_argument("--peer", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        quality(Path(folder), arguments.peer)
        if arguments.scale:
            scale(Path(folder))


if __name__ == "__main__":
    main()
