"""Slow, obvious versions of what the alignment room computes, and corpora to try it on."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable, Sequence

import numpy as np

from isogloss import _engine

REACH = _engine.JUMP_REACH
Point = tuple[int, int]


def clipped(jump: int) -> int:
    """Index of a jump's weight."""
    return max(-REACH, min(REACH, jump)) + REACH


def enumerate_hmm(
    emission: np.ndarray, null: np.ndarray, jumps: np.ndarray, uniform: float
) -> tuple[float, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Likelihood and expectations by going through every alignment there is."""
    words, given = emission.shape
    likelihood = 0.0
    posterior, nulls = np.zeros_like(emission), np.zeros(words)
    taken, possible = np.zeros(2 * REACH + 1), np.zeros(2 * REACH + 1)
    for path in itertools.product([None, *range(given)], repeat=words):
        probability = 1.0
        last = -1
        steps = []  # jump, normalizer, share of the jump that the weights made, place it started from
        for word, partner in enumerate([*path, given]):
            if partner is None:
                probability *= null[word]
                continue
            places = [jumps[clipped(i - last)] for i in range(given + 1)]
            weighted = (1 - uniform) * places[partner] / sum(places)
            step = weighted + uniform / (given + 1)
            probability *= step * (emission[word, partner] if word < words else 1.0)
            steps.append((partner - last, sum(places), weighted / step, last))
            last = partner
        likelihood += probability
        for word, partner in enumerate(path):
            if partner is None:
                nulls[word] += probability
            else:
                posterior[word, partner] += probability
        for jump, normalizer, share, start in steps:
            taken[clipped(jump)] += probability * share
            for i in range(given + 1):
                possible[clipped(i - start)] += probability * share / normalizer
    return math.log(likelihood), *(x / likelihood for x in (posterior, nulls, taken, possible))


def neighbors(point: Point) -> Iterable[Point]:
    for step in ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)):
        yield point[0] + step[0], point[1] + step[1]


def slow_symmetrize(
    forward: set[Point], backward: set[Point], method: str, rows: int, columns: int
) -> set[Point]:
    """The published pseudo-code, word for word."""
    union = forward | backward
    if method == "union":
        return union
    if method == "forward":
        return forward
    if method == "backward":
        return backward
    alignment = forward & backward

    def source_free(i: int) -> bool:
        return not any(point[0] == i for point in alignment)

    def target_free(j: int) -> bool:
        return not any(point[1] == j for point in alignment)

    def grow_diag() -> None:
        while True:
            added = False
            for i in range(rows):
                for j in range(columns):
                    if (i, j) not in alignment:
                        continue
                    for new in neighbors((i, j)):
                        if (source_free(new[0]) or target_free(new[1])) and new in union:
                            added |= new not in alignment
                            alignment.add(new)
            if not added:
                return

    def final(links: set[Point]) -> None:
        for i in range(rows):
            for j in range(columns):
                if (source_free(i) or target_free(j)) and (i, j) in links:
                    alignment.add((i, j))

    def final_and(links: set[Point]) -> None:
        for i in range(rows):
            for j in range(columns):
                if source_free(i) and target_free(j) and (i, j) in links:
                    alignment.add((i, j))

    if method.startswith("grow-diag"):
        grow_diag()
    if method == "grow-diag-final":
        final(forward)
        final(backward)
    elif method == "grow-diag-final-and":
        final_and(forward)
        final_and(backward)
    return alignment


def toy_corpus(
    pairs: int = 300, *, words: int = 40, seed: int = 5
) -> tuple[list[tuple[str, str]], list[list[Point]]]:
    """Sentences of a made-up language pair that swaps neighbors now and then, and their true links."""
    rng = random.Random(seed)
    weights = [1 / rank for rank in range(1, words + 1)]
    corpus, truth = [], []
    for _ in range(pairs):
        source = rng.choices(range(words), weights, k=rng.randint(1, 9))
        order = list(range(len(source)))
        if len(order) > 2 and rng.random() < 0.5:
            at = rng.randrange(len(order) - 1)
            order[at], order[at + 1] = order[at + 1], order[at]
        corpus.append((" ".join(f"s{w}" for w in source), " ".join(f"t{source[i]}" for i in order)))
        truth.append(sorted((i, j) for j, i in enumerate(order)))
    return corpus, truth


def share_found(found: Sequence[Sequence[Point]], truth: Sequence[Sequence[Point]]) -> float:
    """F-measure of links."""
    common = sum(len(set(a) & set(b)) for a, b in zip(found, truth, strict=True))
    return 2 * common / (sum(map(len, found)) + sum(map(len, truth)))
