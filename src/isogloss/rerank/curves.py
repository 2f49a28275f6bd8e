"""Learning curves and scores on the metric's own scale."""

from __future__ import annotations

from dataclasses import dataclass

from isogloss.learn.learner import Learned, LearningStep
from isogloss.learn.online_reranker import PairStep
from isogloss.learn.problem import Problem
from isogloss.nbest.edit import best_rows

__all__ = ["CurvePoint", "curve_of", "decoder_score"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """The state after one sweep of a learner (Shen et al. 2004, Figures 2 to 9)."""

    iteration: int
    log_loss: float | None
    """Natural logarithm of the loss on the development data; None if the method has none."""
    development: float
    test: float | None
    """Test score on the metric's own scale."""


def curve_of(problem: Problem, learned: Learned) -> list[CurvePoint]:
    """The learning curve of a training, on the metric's own scale; ``test`` is the held-out score."""

    def point(step: LearningStep) -> CurvePoint:
        held_out = step.held_out_score
        return CurvePoint(
            iteration=step.iteration,
            log_loss=step.log_loss if isinstance(step, PairStep) else None,
            development=problem.reported(step.score),
            test=None if held_out is None else problem.reported(held_out),
        )

    return [point(step) for step in learned.history]


def decoder_score(problem: Problem) -> float:
    """The score of the decoder's choice, on the metric's scale."""
    return problem.metric.score(problem.stats()[best_rows(problem.store)].sum(axis=0))
