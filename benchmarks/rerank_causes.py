"""Why a ranking method is below MERT on a list: cross-validated BLEU and length, as learned and with the
weight of the number of words set by BLEU.

    python benchmarks/rerank_causes.py LIST RESULTS --reference FILE ... [--start zero|decoder] METHOD ...

The last column keeps what was learned and only moves the weight of the number of words, to where BLEU of the
training folds is highest. Every row is added to the file RESULTS; rows that are there are not made again.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from isogloss.learn.problem import Problem
from isogloss.learn.registry import make_learner
from isogloss.metric.significance import paired_bootstrap
from isogloss.nbest import NbestList
from isogloss.nbest.edit import best_rows
from isogloss.rerank.length_ratios import length_ratio
from isogloss.rerank.options import RerankOptions
from isogloss.rerank.preparation import list_problem
from isogloss.rerank.train import part_of, train_model

FOLDS = 3


def words_of(problem: Problem) -> np.ndarray:
    return np.array([len(text.split()) for text in problem.store.texts()], float)


def validated(problem: Problem, method: str, start: str) -> dict[str, float | str]:
    """One row: choices of models that were trained on the other folds."""
    order = np.random.default_rng(1).permutation(problem.num_sentences)
    chosen = np.zeros((2, problem.num_sentences), np.int64)
    for fold in range(FOLDS):
        held_out = np.sort(order[fold::FOLDS])
        training, other = (part_of(problem, rows) for rows in (np.setdiff1d(order, held_out), held_out))
        options = RerankOptions(start="decoder" if start == "decoder" else "zero")
        model = train_model(training, make_learner(method), [], options).model
        scores, others = model.scores_of(training.store), model.scores_of(other.store)
        begins = problem.sentences()[held_out] - other.sentences()[:-1]
        chosen[0, held_out] = other.choose(others) + begins
        step = float(np.std(training.centered(scores[:, np.newaxis]))) / 10
        words = words_of(training)
        best = max(
            np.linspace(-2, 2, 81),
            key=lambda a: training.score_of_rows(training.choose(scores + a * step * words)),
        )
        chosen[1, held_out] = other.choose(others + best * step * words_of(other)) + begins
    stats = problem.stats()
    found = paired_bootstrap(problem.metric, [stats[best_rows(problem.store)]], [stats[chosen[0]]])
    bleu = [float(problem.metric.score(stats[rows].sum(axis=0))) for rows in chosen]
    ratio = length_ratio(problem, chosen[0])
    return {
        "method": method,
        "start": start,
        "bleu": bleu[0],
        "p": found.p_value,
        "length": ratio or 0.0,
        "length_by_bleu": bleu[1],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("list", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("methods", nargs="+")
    parser.add_argument("--reference", type=Path, action="append", required=True)
    parser.add_argument("--start", choices=("zero", "decoder"), default="decoder")
    given = parser.parse_args()
    lines = given.results.read_text(encoding="utf-8").splitlines() if given.results.exists() else []
    known = {(row["method"], row["start"]): row for row in map(json.loads, lines)}
    wanted = [method for method in given.methods if (method, given.start) not in known]
    if wanted:
        listed = NbestList.read(given.list, references=given.reference)
        problem = list_problem(listed, metric="bleu", tokenize="none")
    for method in given.methods:
        row = known.get((method, given.start))
        if row is None:
            row = validated(problem, method, given.start)
            with given.results.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(row) + "\n")
        print(
            f"{method}, start {given.start}: {row['bleu']:.2f} (p {row['p']:.3f}), "
            f"length {row['length']:.3f}, with the length by BLEU {row['length_by_bleu']:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
