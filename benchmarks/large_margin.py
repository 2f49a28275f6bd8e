"""One large-margin update at the size of the papers: 10 oracles and 10 candidates, all 100 pairs.

Prints the CPU time of an update (Gram matrix and quadratic program) for rows with 20,000 firings of sparse
features in all, and for rows that share a pool of 20,000 features of which each fires half; beside it the
time that SciPy's sparse product takes for the Gram matrix alone.
"""

from __future__ import annotations

import time

import numpy as np
from scipy.sparse import csr_matrix

from isogloss.learn.large_margin import LargeMarginOptions, large_margin_update
from isogloss.nbest.store import CsrRows

ORACLES, OTHERS, DENSE, RUNS = 10, 10, 20, 50


def make(random: np.random.Generator, features: int, firings_per_row: int):
    rows = ORACLES + OTHERS
    slots = np.sort(random.choice(10_000_000, features, replace=False))
    chosen = [np.sort(random.choice(slots, firings_per_row, replace=False)) for _ in range(rows)]
    columns = np.concatenate(chosen).astype(np.uint32)
    sparse = CsrRows(
        np.arange(rows + 1) * firings_per_row, columns, random.integers(1, 3, len(columns)).astype(np.float32)
    )
    dense = random.normal(size=(rows, DENSE))
    scores = random.normal(size=rows)
    pairs = np.array([(i, ORACLES + j) for i in range(ORACLES) for j in range(OTHERS)], np.uint32)
    losses = random.random(len(pairs)) * 5
    return dense, sparse, scores, pairs[:, 0].copy(), pairs[:, 1].copy(), losses


def main() -> None:
    random = np.random.default_rng(1)
    for name, features, firings in (("20,000 firings", 5_000, 1_000), ("20,000 features", 20_000, 10_000)):
        cases = [make(random, features, firings) for _ in range(RUNS)]
        for aggressiveness in (1e-3, 1.0):
            options = LargeMarginOptions(aggressiveness=aggressiveness)
            begun = time.process_time()
            steps = [large_margin_update(*case, options).steps for case in cases]
            spent = (time.process_time() - begun) / RUNS
            print(f"{name}, C = {aggressiveness:g}: {1e3 * spent:.2f} ms, {np.mean(steps):.0f} steps")
        begun = time.process_time()
        for _, sparse, *_ in cases:
            matrix = csr_matrix((sparse.values, sparse.columns, sparse.offsets), shape=(20, 10_000_000))
            matrix @ matrix.T
        print(f"{name}, SciPy's Gram matrix alone: {1e3 * (time.process_time() - begun) / RUNS:.2f} ms")


if __name__ == "__main__":
    main()
