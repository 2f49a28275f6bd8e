"""Checks before and after learning: is there something to learn, and are the weights usable?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from isogloss.io.errors import TrainingError
from isogloss.learn.metrics import QualityColumn
from isogloss.learn.problem import Problem
from isogloss.metric import Bleu, Nist

__all__ = ["check_problem", "check_weights_learned"]

_EXPLODED = 1e9
_SHORTEST, _LONGEST = 0.2, 5.0  # output words per reference word
_FEW_SENTENCES = 50


def check_problem(problem: Problem) -> list[str]:
    """Raise an error if nothing can be learned from a problem; otherwise return warnings."""
    if not problem.dense_names and not problem.sparse_names:
        raise TrainingError("the candidates have no features, so there is nothing to tune")
    quality, first = problem.sentence_scores(), problem.sentences()[:-1]
    if np.array_equal(np.maximum.reduceat(quality, first), np.minimum.reduceat(quality, first)):
        raise TrainingError(
            "all candidates of every sentence are equally good, so no weights are better than others; are "
            "there several candidates per sentence, and are these the right references?"
        )
    deviations = problem.deviations()
    constant = [name for name, size in zip(problem.dense_names, deviations, strict=True) if size == 0]
    if len(constant) == len(problem.dense_names) and not problem.sparse_names:
        raise TrainingError(
            "no feature differs between the candidates of any sentence, so weights have no effect"
        )
    warnings = []
    if constant:
        warnings.append(
            "the same for all candidates of each sentence, so that their weights decide nothing: "
            + ", ".join(constant)
        )
    if problem.num_sentences < _FEW_SENTENCES:
        plural = "s" * (problem.num_sentences != 1)
        warnings.append(
            f"{problem.num_sentences} sentence{plural} to learn from: the weights may fit nothing else"
        )
    return warnings


def check_weights_learned(problem: Problem, weights: Mapping[str, float]) -> None:
    """Raise an error if weights are unusable: not finite, all zero, too large, or useless on their own
    list."""
    broken = [name for name, weight in weights.items() if not np.isfinite(weight)]
    if broken:
        raise TrainingError(f"the weight of '{broken[0]}' became {weights[broken[0]]}: the learner diverged")
    largest = max(weights, key=lambda name: abs(weights[name]), default="")
    if not largest or weights[largest] == 0:
        raise TrainingError("all weights are zero, so every candidate ties")
    if abs(weights[largest]) > _EXPLODED:
        raise TrainingError(
            f"the weight of '{largest}' grew to {weights[largest]:g}: the learner diverged; "
            "are the features on very different scales, or the steps too large?"
        )
    rows = problem.choose(problem.model_scores(problem.vector(weights)))
    lengths = np.diff(problem.store.tokens.offsets)[rows]
    if lengths.sum() == 0:
        raise TrainingError("the weights choose only empty translations")
    summed = problem.stats()[rows].sum(axis=0)
    if isinstance(problem.metric, Bleu | Nist):
        ratio = float(summed[0] / max(summed[1], 1))
        if not _SHORTEST <= ratio <= _LONGEST:
            raise TrainingError(
                f"the weights choose translations {ratio:.2g} times as long as the references: "
                "are these the references of this list?"
            )
    given = isinstance(problem.metric, QualityColumn)
    # Where all translations are shorter than its longest n-grams, BLEU is 0 even of those that are right.
    short = isinstance(problem.metric, Bleu) and summed[2] > 0
    if not (given or short) and problem.metric.higher_is_better and problem.metric.score(summed) == 0:
        raise TrainingError(
            f"{problem.metric.name} of the chosen translations is 0: are these the references of this list, "
            "and are both tokenized in the same way?"
        )
