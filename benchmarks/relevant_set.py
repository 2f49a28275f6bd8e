"""Relevant-set training at the size of the paper: a decoding pass, a pass of SGD, memory, growth.

    [ISOGLOSS_DATA=...] python benchmarks/relevant_set.py [--folder DIR] [--sentences N] [--decoded N]
        [--threads N] [--part NAME]

The decoding pass covers 29,000 sentences with a block system (SWAP, all features); if fewer are decoded, the
time is scaled up. The pass of SGD covers 29,000 sentences with 5 truths and 30 alternatives each. Their
features are drawn at random from 20 million, 130 per sequence, half of them shared by all sequences of a
sentence. The peer is the same pass of SGD in NumPy and SciPy on a thousandth of the sentences. Times are CPU
seconds; SGD uses one thread.

With ISOGLOSS_DATA, the text is multi30k-tok/train.de; otherwise it is synthetic. The system that decodes it
is trained first, its weights on a tenth of the text; ``--folder`` keeps it for another run.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse

import isogloss
from isogloss import _engine
from isogloss.corpus.synthetic.text import write_corpus
from isogloss.io.streams import read_lines
from isogloss.pipeline import train as train_system

SENTENCES, TRUTHS, PER_SEQUENCE, FEATURES = 29_000, 5, 130, 20_000_000
RATE = {"learning_rate": 0.005, "decay": 0.0, "regularization": 1e-5}


def draw(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Offsets and features of sequences of one sentence: half of the features of each are in all of them."""
    shared = rng.integers(1, FEATURES + 1, PER_SEQUENCE // 2, dtype=np.uint64)
    found = []
    for _ in range(rows):
        own = rng.integers(1, FEATURES + 1, PER_SEQUENCE - len(shared), dtype=np.uint64)
        found.append(np.unique(np.concatenate([shared, own])))
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in found])]).astype(np.int64)
    return offsets, np.concatenate(found)


def fill(made: _engine.RelevantSet, rng: np.random.Generator, sentences: int, alternatives: int) -> None:
    """Add so many alternatives to every sentence; truths at the first call."""
    for sentence in range(sentences):
        is_new = made.sizes(sentence)[0] == 0
        rows = alternatives + (TRUTHS if is_new else 0)
        offsets, features = draw(rng, rows)
        qualities = np.concatenate([np.full(TRUTHS if is_new else 0, 0.9), rng.random(alternatives) * 0.8])
        for part, as_truth in (
            (slice(0, rows - alternatives), True),
            (slice(rows - alternatives, rows), False),
        ):
            first, last = part.start, part.stop
            if first == last:
                continue
            made.add(
                np.full(last - first, sentence, np.uint32),
                offsets[first : last + 1] - offsets[first],
                features[offsets[first] : offsets[last]],
                np.ones(offsets[last] - offsets[first], np.float32),
                np.zeros((last - first, 0)),
                qualities[part],
                as_truth=as_truth,
            )


def growth(sentences: int) -> None:
    """A pass of SGD after every ten alternatives, and what all of it takes."""
    rng = np.random.default_rng(7)
    made = _engine.RelevantSet(sentences=sentences, truths=TRUTHS, real_columns=0, min_count=1)
    print(f"\n{'alternatives':>13}{'sequences':>12}{'features':>13}{'CPU s':>8}{'us/sequence':>13}{'MB':>8}")
    for total in (10, 20, 30):
        fill(made, rng, sentences, 10)
        order = rng.permutation(sentences).astype(np.uint32)
        begun = time.process_time()
        made.sweep(order, **RATE)
        spent = time.process_time() - begun
        print(
            f"{total:>13}{made.rows:>12,}{made.columns:>13,}{spent:>8.1f}{1e6 * spent / made.rows:>13.1f}"
            f"{made.bytes / 1e6:>8,.0f}",
            flush=True,
        )
    print(f"a pass over {SENTENCES:,} sentences, 30 alternatives: {spent * SENTENCES / sentences:.1f} s CPU")


def peer(sentences: int) -> None:
    """The same steps with SciPy's sparse rows and NumPy's weights."""
    rng = np.random.default_rng(7)
    weights, rate = np.zeros(FEATURES + 1), RATE["learning_rate"]
    problems = []
    for _ in range(sentences):
        offsets, features = draw(rng, TRUTHS + 30)
        matrix = scipy.sparse.csr_matrix(
            (np.ones(len(features)), features.astype(np.int64), offsets), shape=(TRUTHS + 30, FEATURES + 1)
        )
        problems.append((matrix, rng.random(30) * 0.8))
    begun = time.process_time()
    for matrix, qualities in problems:
        for truth in range(TRUTHS):
            scores = matrix @ weights
            margins = scores[truth] - scores[TRUTHS:]
            costs = (0.9 - qualities) * np.maximum(0, 1 - margins) ** 2
            worst = int(np.argmax(costs))
            step = rate * (0.9 - qualities[worst]) * max(0.0, 1 - margins[worst])
            for row, sign in ((truth, 1), (TRUTHS + worst, -1)):
                chosen = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
                weights[chosen] += sign * step
    spent = time.process_time() - begun
    whole = spent * SENTENCES / sentences
    print(f"the same without shrinking, by SciPy: {whole:,.0f} s CPU (from {sentences:,} sentences)")


def decode(folder: Path, sentences: int, threads: int) -> None:
    """One best translation of every sentence."""
    data = os.environ.get("ISOGLOSS_DATA")
    if data is None:
        write_corpus(folder / "corpus", pairs=2000, seed=5)
        source, target = folder / "corpus" / "train.src", folder / "corpus" / "train.tgt"
    else:
        source, target = (Path(data) / "multi30k-tok" / f"train.{side}" for side in ("de", "en"))
    lines = [line for line in read_lines(source) if line][:sentences]
    train_system(
        folder / "system",
        source=source,
        target=target,
        tokenizer="none",
        search="block",
        method="relevant-set",
        significance="alpha+epsilon",
        tune={"iterations": 3, "relevant": {"sentences": len(lines) // 10}},
        threads=threads,
    )
    decoder = isogloss.load(folder / "system").decoder
    begun, cpu = time.perf_counter(), time.process_time()
    for at in range(0, len(lines), 200):
        found = decoder.search(lines[at : at + 200], threads=threads)
        ids = found.store.sentence_ids.tolist()
        found.engine.sparse_of(ids, [0] * len(ids))
    wall, cpu = time.perf_counter() - begun, time.process_time() - cpu
    words = sum(len(line.split()) for line in lines) / len(lines)
    print(
        f"decoding {len(lines):,} sentences of {words:.1f} words with their features, {threads} threads: "
        f"{wall:.1f} s, {cpu:.1f} s CPU; {SENTENCES:,} sentences: {wall * SENTENCES / len(lines):.0f} s "
        f"({cpu * SENTENCES / len(lines):.0f} s CPU)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--folder", type=Path, help="where systems are trained")
    parser.add_argument("--sentences", type=int, default=SENTENCES, help="of the pass of SGD")
    parser.add_argument("--decoded", type=int, default=SENTENCES, help="sentences that are decoded")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--part", choices=["decode", "growth", "peer"], action="append")
    options = parser.parse_args()
    parts = options.part or ["decode", "growth", "peer"]
    if "decode" in parts:
        with tempfile.TemporaryDirectory() as scratch:
            decode(options.folder or Path(scratch), options.decoded, options.threads)
    if "growth" in parts:
        growth(options.sentences)
    if "peer" in parts:
        peer(max(1, options.sentences // 1000))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(f"peak memory of all: {peak / 1e9:.2f} GB")


if __name__ == "__main__":
    main()
