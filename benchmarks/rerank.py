"""Speed and memory of the rerankers' sweeps at the papers' size, against loops over pairs of candidates.

    python benchmarks/rerank.py                 1000 sentences × 1000 candidates × 20 dense features
    python benchmarks/rerank.py --sparse        and 1 million sparse features, 200 active per candidate

A sweep visits every sentence once: scores, multipliers of all violating pairs, one update. The peer is the
loop over all pairs of candidates that the papers print, vectorized over one of the two; it is run on some
sentences and its time multiplied up. All times are processor time on one core. The data are random: no corpus
is needed.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

from isogloss import _engine

METHODS = {
    "splitting": lambda lists, quality: _engine.SplittingSweeper(
        lists, quality, good_share=0.3, good_count=0, bad_share=0.3, bad_count=0, margin=1.0
    ),
    "ordinal": lambda lists, quality: _engine.OrdinalSweeper(lists, quality, ratio=2, gap=20, margin=1.0),
    "voted": _engine.VotedSweeper,
    "perceptron": _engine.PerceptronSweeper,
}


def literal_splitting(quality, scores):
    order = np.argsort(-quality, kind="stable")
    share = round(0.3 * len(quality))
    good, bad = order[:share], order[-share:]
    u = np.zeros(len(quality))
    for j in good:
        violating = bad[scores[j] < scores[bad] + 1.0]
        u[j] += len(violating)
        u[violating] -= 1
    return u


def literal_ordinal(quality, scores):
    ranks = np.empty(len(quality))
    ranks[np.argsort(-quality, kind="stable")] = np.arange(1, len(quality) + 1)
    u = np.zeros(len(quality))
    for j in range(len(quality)):
        far = (2 * ranks[j] < ranks) & (ranks[j] + 20 < ranks)
        g = 1 / ranks[j] - 1 / ranks
        violating = far & (scores[j] - scores < g)
        u[j] += g[violating].sum()
        u[violating] -= g[violating]
    return u


def literal_voted(quality, scores):
    order = np.argsort(-scores, kind="stable")
    u = np.zeros(len(quality))
    for i, better in enumerate(order):
        later = order[i + 1 :]
        difference = quality[later] - quality[better]
        moved = difference > 0
        u[later[moved]] += difference[moved]
        u[better] -= difference[moved].sum()
    return u


LITERAL = {"splitting": literal_splitting, "ordinal": literal_ordinal, "voted": literal_voted}


def pairwise(name, quality, scores):
    """The pseudo-code as it is printed: a Python loop over all pairs."""
    u = [0.0] * len(quality)
    n = len(quality)
    ranks = [0] * n
    for rank, j in enumerate(sorted(range(n), key=lambda j: -quality[j]), start=1):
        ranks[j] = rank
    place = {j: i for i, j in enumerate(sorted(range(n), key=lambda j: -scores[j]))}
    share = round(0.3 * n)
    for j in range(n):
        for k in range(j + 1, n):
            a, b = (j, k) if ranks[j] < ranks[k] else (k, j)
            p, q = ranks[a], ranks[b]
            if name == "splitting":
                if p <= share and q > n - share and scores[a] < scores[b] + 1:
                    u[a] += 1
                    u[b] -= 1
            elif name == "ordinal":
                g = 1 / p - 1 / q
                if 2 * p < q and p + 20 < q and scores[a] - scores[b] < g:
                    u[a] += g
                    u[b] -= g
            elif place[b] < place[a]:
                u[a] += quality[a] - quality[b]
                u[b] -= quality[a] - quality[b]
    return u


def peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--candidates", type=int, default=1000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--sparse", action="store_true", help="with 1 million sparse features, 200 active")
    options = parser.parse_args()
    random = np.random.default_rng(1)
    rows = options.sentences * options.candidates
    offsets = np.arange(0, rows + 1, options.candidates)
    dense = random.standard_normal((rows, options.columns))
    quality = dense @ random.standard_normal(options.columns) + 3 * random.standard_normal(rows)
    sparse, sparse_size = (), 0
    size = dense.nbytes + quality.nbytes + offsets.nbytes
    if options.sparse:
        sparse_size = 1_000_000
        columns = np.empty((rows, 200), np.uint32)
        for row in range(0, rows, 10_000):
            part = random.integers(
                0, sparse_size, size=(len(columns[row : row + 10_000]), 200), dtype=np.uint32
            )
            part.sort(axis=1)
            columns[row : row + 10_000] = part
        sparse = (np.arange(0, 200 * rows + 1, 200), columns.reshape(-1), np.ones(200 * rows, np.float32))
        size += sum(array.nbytes for array in sparse)
    before = peak_bytes()
    lists = _engine.RerankLists(offsets, dense, *sparse, sparse_size=sparse_size)
    features = f"{options.columns} dense" + (" and 200 of 1,000,000 sparse" if sparse else "")
    print(f"{options.sentences:,} sentences x {options.candidates:,} candidates, {features} features")
    print(f"the list takes {size / 1e6:,.0f} MB")
    for name, make in METHODS.items():
        sweeper = make(lists, quality)
        weights = _engine.RerankWeights(
            np.zeros(options.columns + sparse_size), options.columns, np.ones(options.columns + 1)
        )
        sweeper.sweep(np.arange(options.sentences), weights)  # from zero everything is violated
        begun = time.process_time()
        sweeper.sweep(np.arange(options.sentences), weights)
        seconds = time.process_time() - begun
        line = f"{name:<11}{seconds:8.2f} s a sweep"
        if name in LITERAL and not sparse:
            line += compare(name, options, offsets, dense, quality, weights, sweeper, seconds)
        print(line, flush=True)
        del sweeper, weights
    print(f"memory at its peak: {(peak_bytes() - before + size) / size:.2f} times the list")


def compare(name, options, offsets, dense, quality, weights, sweeper, seconds) -> str:
    """How many times longer the loops take, from a few sentences."""
    current = weights.current()
    times = []
    for literal, count in ((LITERAL[name], 10), (lambda q, s: pairwise(name, q, s), 2)):
        begun = time.process_time()
        for sentence in range(count):
            part = slice(offsets[sentence], offsets[sentence + 1])
            x = dense[part] - dense[part][0]
            scores = x @ current
            u = np.asarray(literal(quality[part], scores))
            (x * u[:, None]).sum(axis=0)
            found, _ = sweeper.multipliers(sentence, scores)
            np.testing.assert_allclose(found, u, atol=1e-6)
        times.append((time.process_time() - begun) / count * options.sentences)
    return (
        f"; NumPy over one of the two candidates {times[0]:,.0f} s, {times[0] / seconds:,.0f} times as long; "
        f"Python over pairs {times[1]:,.0f} s, {times[1] / seconds:,.0f} times"
    )


if __name__ == "__main__":
    main()
