"""References of another length do not tell a learner to change the length."""

from __future__ import annotations

import numpy as np
import pytest

from isogloss.io.errors import ConfigError
from isogloss.learn.expected import ExpectedScore
from isogloss.learn.problem import Problem
from isogloss.metric import References
from isogloss.nbest.edit import best_rows
from isogloss.nbest.synthetic import make_nbest
from isogloss.rerank import RerankOptions, train_model
from isogloss.rerank.lengths import at_decoder_length, with_lengths_like


def rows(*lengths: tuple[int, int]) -> np.ndarray:
    return np.array([[long, reference, 1, 0, 0, 0, long, 0, 0, 0] for long, reference in lengths])


def test_the_best_candidates_are_as_long_for_their_references_as_those_of_the_other_set() -> None:
    own = rows((80, 100), (90, 100), (40, 50), (60, 50), (0, 0))
    like = rows((95, 100), (55, 50))
    found = with_lengths_like(own, np.array([0, 2]), like)
    kept = [0, *range(2, 10)]
    assert np.array_equal(found[:, kept], own[:, kept])
    assert found[:, 1].tolist() == [80, 80, 40, 40, 0]  # those of the other set are as long as they should be


def test_nothing_changes_where_there_are_no_words() -> None:
    own = rows((0, 7), (3, 7))
    assert np.array_equal(with_lengths_like(own, np.array([0]), rows((5, 5))), own)
    assert np.array_equal(with_lengths_like(own, np.array([1]), rows((0, 5))), own)


def problem(words: int) -> Problem:
    lines = [" ".join(f"w{number}{i}" for i in range(words)) for number in range(30)]
    store = make_nbest([line.split() for line in lines], candidates=12, seed=3)
    return Problem.of(store, References([[f"{line} and more of it than anybody said" for line in lines]]))


def test_nothing_is_learned_about_length() -> None:
    """References are far too long: only who believes them prefers long candidates."""
    found = problem(9)
    best = best_rows(found.store)
    shifted = at_decoder_length(found)
    total = shifted.statistics[best].sum(axis=0)
    assert abs(total[0] / total[1] - 1) < 0.02
    words = {}
    for length in ("references", "decoder"):
        options = RerankOptions(length=length, start="decoder")
        trained = train_model(found, ExpectedScore(regularization=1e-3), (), options).model
        words[length] = found.statistics[found.choose(trained.scores_of(found.store))][:, 0].sum()
    assert words["decoder"] < words["references"]


def test_lengths_are_of_bleu() -> None:
    found = problem(5)
    with pytest.raises(ConfigError, match="needs the metric BLEU"):
        at_decoder_length(Problem.of_quality(found.store, np.zeros(found.store.num_candidates)))
    with pytest.raises(ConfigError, match="length must be one of references, decoder, got 'mine'"):
        RerankOptions(length="mine")
