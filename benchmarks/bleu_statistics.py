"""BLEU statistics of n-best lists, against sacreBLEU's ``sentence_score`` per candidate in the same run.

1000 sentences with 1000 candidates of 20 words and 4 references each (synthetic, seeded), one thread. Prints
candidates per CPU second and the ratio, from numbered tokens (how n-best lists are stored) and from text
(splitting and numbering included). sacreBLEU is measured on a sample, with text that needs no tokenizing; it
is also measured with the references prepared beforehand, which its ``sentence_score`` does not do. Both must
agree on the sample.

    python benchmarks/bleu_statistics.py [--sentences N] [--candidates N]
"""

from __future__ import annotations

import argparse
import logging
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from sacrebleu.metrics import BLEU

from isogloss import _engine
from isogloss.metric import SENTENCE_BLEU, Bleu, References, bleu_scores

LENGTH, REFERENCES, VOCABULARY = 20, 4, 20_000
SAMPLE = 2000
T = TypeVar("T")


def cpu_seconds(work: Callable[[], T], repeat: int = 1) -> tuple[float, T]:
    best = float("inf")
    for _ in range(repeat):
        begun = time.process_time()
        result = work()
        best = min(best, time.process_time() - begun)
    return best, result


def words(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Word numbers as frequent as words are: the n-th most frequent about 1/n as often as the first."""
    return (np.exp(rng.random(shape) * np.log(VOCABULARY)) - 1).astype(np.uint32)


def noised(rng: np.random.Generator, lines: np.ndarray, share: float) -> np.ndarray:
    return np.where(rng.random(lines.shape) < share, words(rng, *lines.shape), lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--candidates", type=int, default=1000)
    options = parser.parse_args()
    count, each = options.sentences, options.candidates
    rng = np.random.default_rng(1)
    base = words(rng, count, LENGTH)
    references = noised(rng, np.repeat(base[:, np.newaxis], REFERENCES, axis=1), 0.4)
    candidates = noised(rng, np.repeat(references[:, 0], each, axis=0), 0.4)
    total = count * each

    ids = candidates.ravel(), np.arange(total + 1) * LENGTH, np.arange(count + 1) * each
    reference_ids = references.ravel(), np.arange(count * REFERENCES + 1) * LENGTH
    sentences = np.arange(count + 1) * REFERENCES
    seconds, rows = cpu_seconds(lambda: _engine.bleu_statistics(*ids, *reference_ids, sentences), repeat=3)
    score_seconds, scores = cpu_seconds(lambda: bleu_scores(rows, SENTENCE_BLEU), repeat=3)

    text = [[" ".join(map(str, line)) for line in group] for group in references.tolist()]
    some = np.sort(rng.choice(total, size=min(SAMPLE, total), replace=False))
    sample = [" ".join(map(str, line)) for line in candidates[some].tolist()]
    owner = (some // each).tolist()
    held = References([list(stream) for stream in zip(*text, strict=True)])
    metric = Bleu(SENTENCE_BLEU)
    metric.statistics(sample[:1], held, owner[:1])  # numbers the references
    text_seconds, text_rows = cpu_seconds(lambda: metric.statistics(sample, held, owner), repeat=3)

    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    theirs = BLEU(tokenize="none", effective_order=True)
    peer_seconds, peer_scores = cpu_seconds(
        lambda: [theirs.sentence_score(line, text[i]).score for line, i in zip(sample, owner, strict=True)]
    )
    prepared = theirs._cache_references(held.streams)
    prepared_seconds, _ = cpu_seconds(
        lambda: [
            theirs._compute_segment_statistics(line, prepared[i])
            for line, i in zip(sample, owner, strict=True)
        ]
    )

    worst = float(np.abs(100 * scores[some] - peer_scores).max())
    assert worst < 1e-9, f"scores differ by {worst}"
    assert np.array_equal(rows[some], text_rows)
    peer = len(sample) / peer_seconds
    print(f"{count:,} x {each:,} candidates of {LENGTH} words, {REFERENCES} references, one thread, CPU time")
    print(
        f"largest difference of sentence scores on {len(sample):,} candidates: {worst:.1e} (scale 0..100)\n"
    )
    print(f"{'':44}{'candidates/s':>14}{'ratio':>9}")
    for name, rate in (
        ("sacreBLEU sentence_score", peer),
        ("sacreBLEU, references prepared", len(sample) / prepared_seconds),
        ("isogloss statistics, numbered tokens", total / seconds),
        ("isogloss statistics and scores, numbered", total / (seconds + score_seconds)),
        ("isogloss statistics, from text", len(sample) / text_seconds),
    ):
        print(f"{name:44}{rate:>14,.0f}{rate / peer:>9,.0f}")


if __name__ == "__main__":
    main()
