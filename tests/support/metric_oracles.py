"""Slow, obvious versions of the metrics, written from their definitions alone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

Words = Sequence[str]


def ngrams(words: Words, n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def clipped(hypothesis: Words, references: Sequence[Words], n: int) -> Counter[tuple[str, ...]]:
    """Matched n-grams: no more of each than in the reference that has it most."""
    counts = ngrams(hypothesis, n)
    return Counter({gram: min(c, max(ngrams(r, n)[gram] for r in references)) for gram, c in counts.items()})


def bleu_row(hypothesis: Words, references: Sequence[Words], order: int, length: str) -> list[int]:
    lengths = [len(reference) for reference in references]
    if length == "closest":
        reference_length = min(lengths, key=lambda size: (abs(size - len(hypothesis)), size))
    elif length == "shortest":
        reference_length = min(lengths)
    else:
        reference_length = math.floor(Fraction(sum(lengths), len(lengths)) + Fraction(1, 2))
    orders = range(1, order + 1)
    matched = [sum(clipped(hypothesis, references, n).values()) for n in orders]
    totals = [sum(ngrams(hypothesis, n).values()) for n in orders]
    return [len(hypothesis), reference_length, *matched, *totals]


def bleu(row: Sequence[float]) -> float:
    """Unsmoothed BLEU in 0..1, straight from Papineni et al. (2002)."""
    order = (len(row) - 2) // 2
    matched, totals = row[2 : 2 + order], row[2 + order :]
    if 0 in matched:
        return 0.0
    brevity = 1.0 if row[0] > row[1] else math.exp(1 - row[1] / row[0])
    precisions = [m / t for m, t in zip(matched, totals, strict=True)]
    return brevity * math.prod(precisions) ** (1 / order)


def nist(hypotheses: Sequence[Words], references: Sequence[Sequence[Words]], order: int = 5) -> float:
    """NIST in the steps of mteval-v13a, for references[sentence][translator] without gaps.

    One slip of the script is left out: there a first word that is the figure 0 counts as no word when an
    n-gram's information is computed, because Perl takes the string "0" for false.
    """
    # compute_ngram_info: counts over all references, and the information of each n-gram.
    count: Counter[tuple[str, ...]] = Counter()
    total_words = 0
    for group in references:
        for reference in group:
            total_words += len(reference)
            for n in range(1, order + 1):
                count.update(ngrams(reference, n))
    information = {}
    for gram, times in count.items():
        shorter = gram[:-1]
        share = times / count[shorter] if shorter else times / total_words
        information[gram] = -math.log(share) / math.log(2)

    # score_segment, summed over the set.
    matched_information = [0.0] * (order + 1)
    hypothesis_count = [0] * (order + 1)
    reference_words = 0
    for hypothesis, group in zip(hypotheses, references, strict=True):
        reference_words += sum(len(reference) for reference in group)
        for n in range(1, order + 1):
            hypothesis_count[n] += max(len(hypothesis) - n + 1, 0)
            most: dict[tuple[str, ...], int] = {}
            for reference in group:
                for gram, times in ngrams(reference, n).items():
                    most[gram] = max(most.get(gram, 0), times)
            for gram, times in ngrams(hypothesis, n).items():
                if gram in most:
                    matched_information[n] += information[gram] * min(times, most[gram])

    # nist_score and nist_length_penalty.
    translators = len(references[0])
    ratio = hypothesis_count[1] / (reference_words / translators)
    if ratio >= 1:
        penalty = 1.0
    elif ratio <= 0:
        penalty = 0.0
    else:
        beta = -math.log(0.5) / math.log(1.5) / math.log(1.5)
        penalty = math.exp(-beta * math.log(ratio) * math.log(ratio))
    score = 0.0
    for n in range(1, order + 1):
        score += matched_information[n] / max(hypothesis_count[n], 1)
    return score * penalty
