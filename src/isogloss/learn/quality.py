"""One number per candidate for learners that compare candidates with each other."""

from __future__ import annotations

import numpy as np

from isogloss.io.errors import ConfigError
from isogloss.learn.problem import Problem
from isogloss.metric.interface import FloatArray

__all__ = ["QUALITIES", "candidate_quality", "document_quality"]

QUALITIES = ("sentence", "document")


def candidate_quality(problem: Problem, kind: str) -> FloatArray:
    """The quality of each candidate: by itself (``sentence``) or inside its document (``document``)."""
    if kind not in QUALITIES:
        raise ConfigError(f"unknown quality '{kind}'; choose one of: {', '.join(QUALITIES)}")
    return problem.sentence_scores() if kind == "sentence" else document_quality(problem)


def document_quality(problem: Problem) -> FloatArray:
    """Approximated document score (Watanabe et al. 2007, section 4.2).

    The score of the document in which every other sentence has its best candidate, minus that of the document
    of best candidates, times the number of sentences, so that different documents are on one scale. The best
    candidates are first those by sentence score, then those by this score.
    """
    sentences, owners = problem.num_sentences, problem.store.sentence_of_row()
    statistics = np.asarray(problem.stats(), dtype=np.float64)
    quality = problem.sentence_scores()
    for _ in range(2):
        best = statistics[problem.choose(quality)]
        total = best.sum(axis=0)
        whole = problem.scores(total[np.newaxis])[0]
        quality = sentences * (problem.scores(statistics - best[owners] + total) - whole)
    return quality
