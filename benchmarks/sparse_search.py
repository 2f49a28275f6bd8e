"""Searching with millions of sparse weights, against searching with dense features alone.

    python benchmarks/sparse_search.py SYSTEM WEIGHTS SOURCE [--source-column NAME=FILE ...]
        [--target-column NAME=FILE ...] [--default-features]

WEIGHTS is the folder that `online_training.py` writes. Both searches use the dense weights that were learned
with the sparse ones, the same limits and one thread, and make the best translation only. Prints CPU time per
word of each, their ratio, how long the weights take to open, and how many features with a weight a target
word of the best translation has. With `--default-features`, only the templates and token types of
`isogloss train` are looked up in the same table of weights.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from online_training import add_column_options, all_features
from unit import cpu, unit

from isogloss.decoder import load
from isogloss.decoder.decoder import Decoder
from isogloss.decoder.weights import read_weights
from isogloss.features import SparseModel
from isogloss.features.weights import SparseWeights
from isogloss.io.streams import read_lines
from isogloss.pipeline.train_options import DEFAULT_FEATURES

ROUNDS = 9


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("system")
    parser.add_argument("weights", type=Path)
    parser.add_argument("source")
    add_column_options(parser)
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--default-features", action="store_true")
    args = parser.parse_args()

    system = load(args.system)
    own = system.decoder
    dense_weights = read_weights(args.weights / "weights.tsv", own.names)
    begun = time.perf_counter()
    weights = SparseWeights.open(args.weights / "weights.sparse")
    opened = time.perf_counter() - begun
    print(f"{len(weights):,} weights opened in {opened:.3f} s")

    lines = list(read_lines(args.source))[: args.sentences]
    words = sum(len(line.split()) for line in lines)
    sparse = all_features(args)
    if args.default_features:
        sparse = SparseModel(
            DEFAULT_FEATURES, source_columns=sparse.columns["source"], target_columns=sparse.columns["target"]
        )
    plain = Decoder(own._rules, own._lm, system.options, dense_weights)
    full = Decoder(own._rules, own._lm, system.options, sparse=sparse)
    full.set_weights(dense_weights, weights.engine)  # the table may have more features than are looked up
    for decoder in (plain, full):
        decoder.nbest(lines, nbest=1)  # touches the pages that are needed
    # The parts by turns, so that a change of the machine's mood hits both.
    seconds = np.array(
        [[cpu(lambda d=d: d.nbest(lines, nbest=1)) for d in (plain, full)] for _ in range(ROUNDS)]
    ).min(axis=0)
    one = unit()
    for name, spent in zip(("dense", "dense and sparse"), seconds, strict=True):
        print(f"{name}: {words / spent:,.0f} words/s, {words / spent * one:,.0f} words per unit")
    print(f"speed with sparse features: {seconds[0] / seconds[1]:.0%} of that without")

    found = full.search(lines[:100])
    target_words = sum(len(text.split()) for text in found.store.texts())
    fired = nonzero = 0
    for sentence in range(found.store.num_sentences):
        rows = found.sparse(sentence, [0])
        fired += len(rows.features)
        nonzero += int(np.count_nonzero(weights.engine.weights(rows.features)))
    print(f"different features per target word: {fired / target_words:,.0f}")
    print(f"those with a weight: {nonzero / target_words:,.0f}")


if __name__ == "__main__":
    main()
