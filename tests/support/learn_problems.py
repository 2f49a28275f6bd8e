"""Small random problems and slow obvious answers to them."""

from __future__ import annotations

import numpy as np

from isogloss._engine import NbestBuilder
from isogloss.learn import Problem
from isogloss.metric import References
from isogloss.nbest import NbestStore
from isogloss.nbest.synthetic import make_nbest

WORDS = ["the", "a", "cat", "dog", "sat", "ran", "on", "under", "mat", "moon", "big", "old"]


def random_store(
    seed: int,
    *,
    sentences: int = 4,
    candidates: int = 6,
    dense: int = 2,
    sparse: int = 0,
    coarse: bool = False,
) -> NbestStore:
    """Candidates of random words with random features; ``coarse`` ones have many equal values."""
    random = np.random.default_rng(seed)
    builder = NbestBuilder()
    for sentence in range(sentences):
        for _ in range(random.integers(1, candidates + 1)):
            values = random.integers(-2, 3, dense) if coarse else random.normal(size=dense)
            features = [(f"d{k}", [float(value)]) for k, value in enumerate(values)]
            fired = random.choice(sparse, random.integers(0, sparse + 1), replace=False) if sparse else []
            builder.add(
                sentence,
                " ".join(random.choice(WORDS, random.integers(1, 8))),
                score=float(random.normal()),
                dense=features,
                sparse=[(f"s:{k}", float(random.integers(1, 3))) for k in fired],
                line=1,
            )
    return NbestStore.from_columns(builder.finish())


def quality_problem(seed: int, **shape: int | bool) -> Problem:
    """A random list with a random quality per candidate."""
    store = random_store(seed, **shape)  # type: ignore[arg-type]
    return Problem.of_quality(store, np.random.default_rng([seed, 1]).random(store.num_candidates))


def bleu_problem(*, sentences: int = 60, candidates: int = 15, seed: int = 1) -> Problem:
    """A list with something to learn from, under BLEU."""
    random = np.random.default_rng(seed)
    lines = [" ".join(random.choice(WORDS, random.integers(5, 12))) for _ in range(sentences)]
    store = make_nbest([line.split() for line in lines], candidates=candidates, seed=seed)
    return Problem.of(store, References([lines]))


def brute_choice(problem: Problem, dense: np.ndarray) -> float:
    """The score of the chosen candidates, one candidate at a time."""
    rows = []
    for begin, end in zip(problem.sentences()[:-1].tolist(), problem.sentences()[1:].tolist(), strict=True):
        scores = [
            sum(w * x for w, x in zip(dense, problem.dense()[row], strict=True)) for row in range(begin, end)
        ]
        rows.append(begin + scores.index(max(scores)))
    return problem.score_of_rows(np.array(rows))
