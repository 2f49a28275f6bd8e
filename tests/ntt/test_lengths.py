"""References of another length do not tell a learner to change the length."""

from __future__ import annotations

import numpy as np

from isogloss.ntt.lengths import with_lengths_like


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
