"""The reranking algorithms as their papers print them: every pair, one after another."""

from __future__ import annotations

import itertools

import numpy as np

__all__ = ["ordinal", "perceptron", "ranks", "split", "splitting", "sweep", "voted"]


def ranks(quality):
    """1 + the number of strictly better candidates."""
    return [1 + sum(other > own for other in quality) for own in quality]


def split(quality, r, k):
    """The good and the bad candidates."""
    good, bad = [], []
    for j, own in enumerate(quality):
        better = sum(other > own for other in quality)
        worse = sum(other < own for other in quality)
        is_good, is_bad = better < r, worse < k
        if is_good and is_bad:
            is_good, is_bad = better == 0 and worse > 0, worse == 0 and better > 0
        if is_good:
            good.append(j)
        if is_bad:
            bad.append(j)
    return good, bad


def splitting(quality, scores, r, k, margin, shift=0.0):
    """Algorithm 1 of Shen et al. 2004, lines 4 to 12."""
    good, bad = split(quality, r, k)
    u = np.zeros(len(quality))
    pairs = loss = 0.0
    for j in good:
        for l in bad:  # noqa: E741
            if scores[j] + shift < scores[l] + margin:
                u[j] += 1
                u[l] -= 1
                pairs += 1
                loss += margin - (scores[j] + shift - scores[l])
    return u, pairs, loss


def ordinal(quality, scores, ratio, gap, margin, shift=0.0):
    """Algorithm 2 of Shen et al. 2004, lines 4 to 13."""
    y = ranks(quality)
    u = np.zeros(len(quality))
    pairs = loss = 0.0

    def g(p, q):
        return 1 / p - 1 / q

    def far(p, q):
        return p * ratio < q and p + gap < q

    for j in range(len(y)):
        for l in range(j + 1, len(y)):  # noqa: E741
            for better, worse in ((j, l), (l, j)):
                p, q = y[better], y[worse]
                if p < q and far(p, q) and scores[better] - scores[worse] + shift < g(p, q) * margin:
                    u[better] += g(p, q)
                    u[worse] -= g(p, q)
                    pairs += 1
                    loss += g(p, q) * margin - (scores[better] - scores[worse] + shift)
    return u, pairs, loss


def voted(quality, scores):
    """Perceptron training of the NTT slides, lines 4 to 11."""
    order = sorted(range(len(scores)), key=lambda j: -scores[j])
    u = np.zeros(len(quality))
    pairs = loss = 0.0
    for i in range(len(order)):
        for j in range(i + 1, len(order)):
            difference = quality[order[j]] - quality[order[i]]
            if difference > 0:
                u[order[j]] += difference
                u[order[i]] -= difference
                pairs += 1
                loss += difference
    return u, pairs, loss


def perceptron(quality, scores):
    """Oracle against choice."""
    chosen = max(range(len(scores)), key=lambda j: (scores[j], -j))
    oracle = max(range(len(scores)), key=lambda j: (quality[j], scores[j], -j))
    u = np.zeros(len(quality))
    if quality[oracle] == quality[chosen]:
        return u, 0.0, 0.0
    u[oracle] += 1
    u[chosen] -= 1
    return u, 1.0, scores[chosen] - scores[oracle]


def sweep(weights, offsets, features, quality, update, history):
    """One pass of any of them; the weights after every sentence are appended to ``history``."""
    for begin, end in itertools.pairwise(offsets):
        x = features[begin:end]
        u, _, _ = update(list(quality[begin:end]), [float(weights @ row) for row in x])
        weights = weights + sum((u[j] * x[j] for j in range(len(x))), np.zeros(len(weights)))
        history.append(weights)
    return weights
