from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss import _engine
from support import align_oracles
from support.properties import examples

REACH = _engine.JUMP_REACH


@examples(60)
@given(
    st.integers(1, 4),
    st.integers(1, 4),
    st.sampled_from([0.0, 0.1, 0.9]),
    st.sampled_from([0.0, 0.3]),
    st.integers(0, 10**6),
)
def test_forward_backward_equals_enumeration(
    words: int, given: int, uniform: float, null: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    emission = (1 - null) * rng.random((words, given)) ** 3 + 1e-9
    nulls = null * rng.random(words)
    jumps = rng.random(2 * REACH + 1) + 1e-3
    found = _engine.hmm_posteriors(emission, nulls, jumps, uniform)
    expected = align_oracles.enumerate_hmm(emission, nulls, jumps, uniform)
    assert found[0] == pytest.approx(expected[0], rel=1e-9, abs=1e-9)
    for ours, slow in zip(found[1:], expected[1:], strict=True):
        np.testing.assert_allclose(ours, slow, rtol=1e-9, atol=1e-9)


def test_long_sentences_use_the_shared_weights_of_far_jumps() -> None:
    rng = np.random.default_rng(3)
    given = 2 * REACH + 5
    emission = rng.random((1, given))
    jumps = rng.random(2 * REACH + 1) + 0.1
    found = _engine.hmm_posteriors(emission, np.array([0.2]), jumps, 0.1)
    expected = align_oracles.enumerate_hmm(emission, np.array([0.2]), jumps, 0.1)
    for ours, slow in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, slow, rtol=1e-9)


def test_posteriors_of_a_long_pair_sum_to_one() -> None:
    rng = np.random.default_rng(4)
    emission = 0.8 * rng.random((300, 200)) * 1e-6
    _, posterior, null, taken, _ = _engine.hmm_posteriors(
        emission, np.full(300, 1e-8), np.ones(2 * REACH + 1), 0.1
    )
    np.testing.assert_allclose(posterior.sum(axis=1) + null, 1, rtol=1e-9)
    assert 0 < taken.sum() <= 301


def test_shapes_are_checked() -> None:
    with pytest.raises(ValueError, match="emissions"):
        _engine.hmm_posteriors(np.ones((2, 2)), np.ones(3), np.ones(2 * REACH + 1), 0.1)
