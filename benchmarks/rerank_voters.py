"""Why voters differ from the mean of their weights: cross-validated BLEU of the vote, of means, and of single
voters, and how much better a voter is on the sentences that it learned from last.

    python benchmarks/rerank_voters.py LIST --reference FILE ... METHOD ...

METHOD is a voted perceptron, such as `voted-perceptron:shuffle=no,iterations=20`. "last tenth" is the gain of
single voters over the decoder on the last tenth of the training sentences, and "other" on those before them:
without shuffling, the last tenth is what every sweep ends with.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from isogloss.learn.problem import Problem
from isogloss.learn.registry import make_learner
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


def gains(problem: Problem, models: list[RerankModel]) -> tuple[float, float]:
    """Mean gain of models over the list's own choice on the last tenth of the sentences, and on others."""
    last = np.arange(problem.num_sentences) >= 0.9 * problem.num_sentences
    own = best_rows(problem.store)
    chosen = [problem.choose(model.scores_of(problem.store)) for model in models]
    found = [
        np.mean([bleu(problem, rows[part]) for rows in chosen]) - bleu(problem, own[part])
        for part in (last, ~last)
    ]
    return float(found[0]), float(found[1])


def report(problem: Problem, method: str) -> str:
    count = problem.num_sentences
    order = np.random.default_rng(1).permutation(count)
    names = ("vote", "mean of weights", "mean of directions")
    chosen = np.zeros((len(names), count), np.int64)
    single: list[float] = []
    different: list[int] = []
    shares: list[float] = []
    late: list[tuple[float, float]] = []
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
        late.append(gains(training, voters[-10:]))
    scores = ", ".join(f"{name} {bleu(problem, rows):.2f}" for name, rows in zip(names, chosen, strict=True))
    last, others = np.mean(late, axis=0)
    return (
        f"{method}: {scores}, single voters {np.mean(single):.2f} ({min(single):.2f} to {max(single):.2f}), "
        f"{np.mean(different):.1f} different choices, winner's share {100 * np.mean(shares):.0f} %, "
        f"training gain on the last tenth {last:+.2f}, other {others:+.2f}"
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
