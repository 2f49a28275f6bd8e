"""What can be asked of the list of all derivations, by brute force.

All functions take the list best first, as ``exhaustive.derivations`` returns it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

from support.exhaustive import Derivation, Words


def distinct(found: Sequence[Derivation], k: int | None = None) -> list[Derivation]:
    """The best derivation of each of the k best strings, best first."""
    best: dict[Words, Derivation] = {}
    for derivation in found:
        best.setdefault(derivation.target, derivation)
    return list(best.values())[:k]


def probabilities(found: Sequence[Derivation], scale: float = 1.0) -> list[float]:
    """Of each derivation, proportional to exp(scale * score)."""
    highest = max(scale * derivation.score for derivation in found)
    shares = [math.exp(scale * derivation.score - highest) for derivation in found]
    total = math.fsum(shares)
    return [share / total for share in shares]


def string_posterior(found: Sequence[Derivation], target: Words, scale: float = 1.0) -> float:
    """Probability that the whole target is this one."""
    weighed = zip(found, probabilities(found, scale), strict=True)
    return math.fsum(p for derivation, p in weighed if derivation.target == target)


def ngram_posterior(found: Sequence[Derivation], ngram: Words, scale: float = 1.0) -> float:
    """Probability that the target has this n-gram, once or more."""
    weighed = zip(found, probabilities(found, scale), strict=True)
    return math.fsum(p for derivation, p in weighed if occurrences(ngram, derivation.target))


def ngram_expectation(found: Sequence[Derivation], ngram: Words, scale: float = 1.0) -> float:
    """How often the target has this n-gram, on average."""
    weighed = zip(found, probabilities(found, scale), strict=True)
    return math.fsum(p * occurrences(ngram, derivation.target) for derivation, p in weighed)


def occurrences(ngram: Words, words: Words) -> int:
    return sum(words[i : i + len(ngram)] == ngram for i in range(len(words) - len(ngram) + 1))


def best_bleu(
    found: Sequence[Derivation],
    references: Sequence[Words],
    bleu: Callable[[Words, Sequence[Words]], float] | None = None,
) -> tuple[float, Derivation]:
    """The highest sentence BLEU, and the derivation with the best score among those that have it."""
    measure = bleu or sentence_bleu
    return max(((measure(d.target, references), d) for d in found), key=lambda pair: (pair[0], pair[1].score))


def sentence_bleu(hypothesis: Words, references: Sequence[Words], order: int = 4) -> float:
    """BLEU in 0..1 of one sentence as sacreBLEU computes it.

    The closest reference's length counts (of two the shorter); orders longer than the hypothesis are left
    out; the first order without a match counts half a match, the next a quarter, and so on; without any
    match at all it is 0.
    """
    logs = []
    missed = 0
    for n in range(1, min(order, len(hypothesis)) + 1):
        counts = Counter(hypothesis[i : i + n] for i in range(len(hypothesis) - n + 1))
        matched: float = sum(
            min(count, max(occurrences(ngram, reference) for reference in references))
            for ngram, count in counts.items()
        )
        if n == 1 and not matched:
            return 0.0
        if not matched:
            missed += 1
            matched = 0.5**missed
        logs.append(math.log(matched / counts.total()))
    if not logs:
        return 0.0
    length = min((abs(len(reference) - len(hypothesis)), len(reference)) for reference in references)[1]
    return math.exp(math.fsum(logs) / len(logs) + min(0.0, 1 - length / len(hypothesis)))
