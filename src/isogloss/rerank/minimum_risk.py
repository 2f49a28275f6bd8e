"""Minimum Bayes risk: choose the candidate that agrees best with the others, without training."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from isogloss.io.errors import ConfigError
from isogloss.io.progress import Track, as_track
from isogloss.learn.mbr import UTILITIES, Utility, expected_utility, posterior
from isogloss.metric.interface import FloatArray
from isogloss.nbest import NbestLike, NbestList, NbestStore, as_nbest

__all__ = ["mbr"]

_PARTS = 20  # sentences per step of the progress display


def mbr(
    nbest: NbestLike,
    utility: Utility = "bleu",
    *,
    scale: float = 1.0,
    references: int = 0,
    threads: int = 1,
    progress: bool | Track = False,
) -> NbestList:
    """The list ordered by expected utility: how well each candidate agrees with the others of its sentence.

    ``utility`` is ``bleu``, ``chrf``, or a function of two strings, a candidate and another one used as the
    reference; higher is better. The others are weighted by their probability, P(candidate) ∝ exp(``scale`` ·
    score); with ``scale`` 0, and in a list without scores, all have the same weight, as is right for samples.
    With ``references`` above 0, only this many of the most probable candidates are used as references: time
    grows with candidates times references. The new scores are the expected utilities, in 0 to 1 for BLEU and
    chrF.

    >>> samples = [["a big house", "a big house", "the house", "one tree"]]
    >>> mbr(samples, utility="chrf").best()
    ['a big house']
    >>> def same_length(candidate: str, reference: str) -> float:
    ...     return float(len(candidate.split()) == len(reference.split()))
    >>> mbr(samples, same_length).scores.round(2).tolist()
    [0.5, 0.5, 0.5, 0.5]
    """
    if isinstance(utility, str) and utility not in UTILITIES:
        raise ConfigError(
            f"unknown utility '{utility}'; choose one of: {', '.join(UTILITIES)}, or give a function"
        )
    if not 0 <= scale < math.inf:
        raise ConfigError(f"scale must be at least 0, got {scale}")
    if references < 0:
        raise ConfigError(f"references must be at least 0, got {references}")
    listed, track = as_nbest(nbest), as_track(progress)
    if not listed.store.num_candidates:
        return listed
    shares = _shares(listed.store, scale)
    if not isinstance(utility, str):
        found = _by_function(listed, shares, utility, references, track)
    else:
        found = np.empty(listed.store.num_candidates)
        parts = list(_parts(listed.store))
        for begin, end in track(parts, "minimum Bayes risk", len(parts)):
            found[begin:end] = expected_utility(
                listed.store.select(np.arange(begin, end)),
                shares[begin:end],
                utility=utility,
                references=references,
                threads=threads,
            )
    return listed.reordered(found)


def _shares(store: NbestStore, scale: float) -> FloatArray:
    """The probability of each candidate within its sentence."""
    missing = np.isnan(store.scores)
    if scale == 0 or np.all(missing):
        return posterior(np.zeros(store.num_candidates), store.sentence_offsets)
    if np.any(missing):
        row = int(np.flatnonzero(missing)[0])
        raise ConfigError(
            f"candidate {row + 1} of the list has no score, but others have one; use scale=0 to give all the "
            "same weight"
        )
    return posterior(scale * store.scores, store.sentence_offsets)


def _parts(store: NbestStore) -> Iterator[tuple[int, int]]:
    """Rows of some sentences at a time."""
    step = max(1, store.num_sentences // _PARTS)
    for first in range(0, store.num_sentences, step):
        last = min(first + step, store.num_sentences)
        yield int(store.sentence_offsets[first]), int(store.sentence_offsets[last])


def _by_function(
    nbest: NbestList, shares: FloatArray, utility: Utility, references: int, track: Track
) -> FloatArray:
    assert not isinstance(utility, str)
    store, texts = nbest.store, nbest.texts()
    expected = np.zeros(store.num_candidates)
    for sentence in track(range(store.num_sentences), "minimum Bayes risk", store.num_sentences):
        rows = np.array(store.rows_of(sentence))
        likely = rows[np.argsort(-shares[rows], kind="stable")[: references or len(rows)]]
        for row in rows.tolist():
            values = [utility(texts[row], texts[other]) for other in likely.tolist()]
            expected[row] = float(np.dot(values, shares[likely]) / shares[likely].sum())
        if not np.all(np.isfinite(expected[rows])):
            number = int(store.sentence_ids[sentence])
            raise ConfigError(f"the utility of a candidate of sentence {number} is not a finite number")
    return expected
