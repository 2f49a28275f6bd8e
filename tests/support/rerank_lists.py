"""Small n-best lists to rerank."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from isogloss._engine import NbestBuilder
from isogloss.learn import Problem
from isogloss.metric import References
from isogloss.nbest import DenseGroup, NbestStore
from isogloss.nbest.synthetic import make_nbest

ARPA = """\\data\\
ngram 1=5
ngram 2=2

\\1-grams:
-1.0\t<unk>
-99\t<s>\t-0.3
-0.7\t</s>
-0.5\tb\t-0.2
-0.6\tc

\\2-grams:
-0.2\t<s> b
-0.1\tb c

\\end\\
"""

WORDS = ["the", "a", "cat", "dog", "house", "tree", "sees", "has", "runs", "red", "old", "big", "here", "now"]


def sentences(count: int, seed: int = 1) -> list[str]:
    random = np.random.default_rng(seed)
    return [" ".join(random.choice(WORDS, size=random.integers(5, 10))) for _ in range(count)]


def synthetic_problem(count: int = 30, candidates: int = 10, seed: int = 1) -> Problem:
    lines = sentences(count, seed)
    store = make_nbest([line.split() for line in lines], candidates=candidates, seed=seed)
    return Problem.of(store, References([lines]))


def with_dense(problem: Problem, columns: dict[str, np.ndarray]) -> Problem:
    dense = np.column_stack(list(columns.values()))
    groups = tuple(DenseGroup(name, 1) for name in columns)
    return Problem(
        replace(problem.store, dense=dense, dense_groups=groups), problem.metric, problem.statistics
    )


def store_of(candidates: dict[int, list[str]], dense: dict[str, list[float]] | None = None) -> NbestStore:
    """A list of these candidates of each sentence; columns go over all of them."""
    builder = NbestBuilder()
    row = 0
    for sentence, texts in candidates.items():
        for text in texts:
            values = [(name, [column[row]]) for name, column in (dense or {}).items()]
            builder.add(sentence, text, score=-float(row), dense=values, line=row + 1)
            row += 1
    return NbestStore.from_columns(builder.finish())
