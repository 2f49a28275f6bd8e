"""Why voters differ from the mean of their weights: cross-validated BLEU of the vote, of means, and of single
voters, and how far the last sentences of a sweep turn the weights.

    python benchmarks/rerank_voters.py LIST --reference FILE ... METHOD ...

METHOD is a voted perceptron, such as `voted-perceptron:shuffle=no,iterations=20`. Angles are between the
weights after the tenth sweep, in the order of the text, and those before its last 1, 10 and 100 sentences;
two independent vectors have 90 degrees.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from isogloss.learn.learner import no_track
from isogloss.learn.online_reranker import Course
from isogloss.learn.problem import Problem
from isogloss.learn.registry import make_learner
from isogloss.learn.voted import VotedPerceptron
from isogloss.nbest import NbestList
from isogloss.nbest.edit import best_rows
from isogloss.rerank.model import RerankModel
from isogloss.rerank.options import RerankOptions
from isogloss.rerank.preparation import list_problem
from isogloss.rerank.train import part_of, train_model

FOLDS = 3


def with_weights(model: RerankModel, dense: np.ndarray) -> RerankModel:
    """The model with one vector instead of its voters."""
    none = np.zeros((1, len(model.sparse_names)))
    return replace(model, dense=dense[np.newaxis], sparse=none, decision="score")


def bleu(problem: Problem, rows: np.ndarray) -> float:
    return float(problem.metric.score(problem.stats()[rows].sum(axis=0)))


def turns(problem: Problem, learner: VotedPerceptron) -> list[float]:
    """Degrees by which the last sentences of the tenth sweep turn the weights."""
    course = Course(replace(learner, iterations=9, curve=False), problem, {})
    *_, _ = course.run(no_track)
    order = np.arange(problem.num_sentences)
    seen = [np.array([])]
    for part in np.split(order, [len(order) - 100, len(order) - 10, len(order) - 1]):
        course._sweeper.sweep(part, course._weights)
        seen.append(course._weights.current())
    *before, last = seen[1:]
    cosines = [last @ one / np.linalg.norm(last) / np.linalg.norm(one) for one in reversed(before)]
    return [float(np.degrees(np.arccos(cosine))) for cosine in cosines]


def report(problem: Problem, method: str) -> str:
    count = problem.num_sentences
    order = np.random.default_rng(1).permutation(count)
    names = ("vote", "mean of weights", "mean of directions")
    chosen = np.zeros((len(names), count), np.int64)
    single: list[float] = []
    different: list[int] = []
    shares: list[float] = []
    turned: list[list[float]] = []
    for fold in range(FOLDS):
        held_out = np.sort(order[fold::FOLDS])
        training, other = (part_of(problem, rows) for rows in (np.setdiff1d(order, held_out), held_out))
        model = train_model(training, make_learner(method), [], RerankOptions(start="decoder")).model
        lengths = np.linalg.norm(model.dense, axis=1, keepdims=True)
        made = (
            model,
            with_weights(model, model.dense.mean(axis=0)),
            with_weights(model, (model.dense / lengths).mean(axis=0)),
        )
        begins = problem.sentences()[held_out] - other.sentences()[:-1]
        for row, one in zip(chosen, made, strict=True):
            row[held_out] = other.choose(one.scores_of(other.store)) + begins
        voters = [with_weights(model, dense) for dense in model.dense]
        picks = np.array([other.choose(voter.scores_of(other.store)) for voter in voters])
        single += [bleu(other, rows) for rows in picks]
        for votes in picks.T:
            counts = np.unique(votes, return_counts=True)[1]
            different.append(len(counts))
            shares.append(counts.max() / len(votes))
        learner = make_learner(method)
        assert isinstance(learner, VotedPerceptron)
        turned.append(turns(training, learner))
    scores = ", ".join(f"{name} {bleu(problem, rows):.2f}" for name, rows in zip(names, chosen, strict=True))
    angles = ", ".join(f"{angle:.0f}" for angle in np.mean(turned, axis=0))
    return (
        f"{method}: {scores}, single voters {np.mean(single):.2f} ({min(single):.2f} to {max(single):.2f}), "
        f"{np.mean(different):.1f} different choices, winner's share {100 * np.mean(shares):.0f} %, "
        f"the last 1, 10, 100 sentences turn the weights by {angles} degrees"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("list", type=Path)
    parser.add_argument("methods", nargs="+")
    parser.add_argument("--reference", type=Path, action="append", required=True)
    given = parser.parse_args()
    problem = list_problem(
        NbestList.read(given.list, references=given.reference), metric="bleu", tokenize="none"
    )
    own = bleu(problem, best_rows(problem.store))
    print(f"the list's own choice: {own:.2f}", flush=True)
    for method in given.methods:
        print(report(problem, method), flush=True)


if __name__ == "__main__":
    main()
