"""The voted perceptron over all misordered pairs (Watanabe et al., IWSLT 2007)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from isogloss import _engine
from isogloss.io.options import AtLeast
from isogloss.learn.learner import Learned, Track, no_track
from isogloss.learn.online_reranker import Course, OnlineLearner, Sweeper
from isogloss.learn.problem import Problem, WeightVector
from isogloss.metric.interface import FloatArray
from isogloss.nbest.store import Int64

__all__ = ["VotedLearned", "VotedPerceptron", "count_votes", "vote"]


@dataclass(frozen=True, slots=True, kw_only=True)
class VotedLearned(Learned):
    """The result of voting: ``weights`` is the mean of the voters."""

    voters: tuple[WeightVector, ...]
    """The weights after every sweep, by column of the problem; each votes for the best candidate of a
    sentence. (By name, a hundred voters with a million sparse features would not fit into memory.)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class VotedPerceptron(OnlineLearner):
    """Every pair that the model orders wrongly, with a quality difference d, moves the weights by d times the
    difference of their features; the weights after every sweep vote.

    A sentence moves the weights by all its misordered pairs, and so the weights after a sweep depend most on
    its last sentences. In the order of the text these are always the same, and all voters share their error;
    so every sweep has an order of its own. A sweep costs O(n log n) per sentence.

    >>> VotedPerceptron().iterations
    100
    """

    iterations: Annotated[int, AtLeast(1)] = 100
    """Number of sweeps; each adds a voter."""
    shuffle: bool = True
    """Visit the sentences in a new random order in every sweep; otherwise all voters have learned last from
    the same sentences."""
    average: bool = False
    """Return the mean of the weights after every sentence instead of the voters."""

    def sweeper(self, lists: _engine.RerankLists, quality: FloatArray) -> Sweeper:
        """The voted perceptron in the engine."""
        return _engine.VotedSweeper(lists, quality)

    def learn(
        self,
        problem: Problem,
        start: Mapping[str, float],
        *,
        held_out: Problem | None = None,
        track: Track = no_track,
    ) -> VotedLearned:
        """Sweep to the limit; with held-out data, keep the voters up to its best score."""
        course = Course(self, problem, start, held_out)
        voters: list[WeightVector] = []
        enough = 0
        for weights in course.run(track):
            voters.append(weights)
            if held_out is None or self.keep == "last" or course.at_best:
                enough = len(voters)
        chosen = voters[:enough]
        mean = WeightVector(
            np.mean([voter.dense for voter in chosen], axis=0),
            np.mean([voter.sparse for voter in chosen], axis=0),
        )
        return VotedLearned(
            weights=problem.named(mean),
            score=problem.score_of_rows(vote(problem, chosen)),
            history=tuple(course.steps),
            held_out_score=None
            if held_out is None
            else held_out.score_of_rows(
                vote(held_out, [held_out.vector(problem.named(voter)) for voter in chosen])
            ),
            voters=tuple(chosen),
        )


def vote(problem: Problem, voters: list[WeightVector]) -> Int64:
    """The candidate of every sentence with the most votes; the first in case of ties."""
    return problem.choose(count_votes(problem, [problem.model_scores(voter) for voter in voters]))


def count_votes(problem: Problem, scores: list[FloatArray]) -> FloatArray:
    """Number of score vectors that rank each candidate first in its sentence."""
    votes = np.zeros(problem.store.num_candidates)
    for scored in scores:
        votes[problem.choose(scored)] += 1
    return votes
