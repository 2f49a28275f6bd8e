from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss import _engine


@st.composite
def places(draw: st.DrawFn) -> tuple[int, int, int]:
    generated = draw(st.integers(1, 60))
    return draw(st.integers(1, generated)), draw(st.integers(1, 60)), generated


tensions = st.floats(0.01, 50)


def weights(j: int, given: int, generated: int, tension: float) -> list[float]:
    return [math.exp(-tension * abs(i / given - j / generated)) for i in range(1, given + 1)]


@given(places(), tensions)
def test_closed_forms_equal_explicit_sums(place: tuple[int, int, int], tension: float) -> None:
    explicit = weights(*place, tension)
    total = sum(explicit)
    assert _engine.position_normalizer(*place, tension) == pytest.approx(total, rel=1e-10)
    np.testing.assert_allclose(_engine.position_prior(*place, tension), np.array(explicit) / total, rtol=1e-9)
    j, given, generated = place
    distance = (
        sum(weight * abs(i / given - j / generated) for i, weight in enumerate(explicit, start=1)) / total
    )
    assert _engine.expected_distance(*place, tension) == pytest.approx(distance, rel=1e-8, abs=1e-12)


@given(places(), st.floats(0.05, 40))
def test_gradient_equals_finite_differences(place: tuple[int, int, int], tension: float) -> None:
    step = 1e-4
    above = math.log(_engine.position_normalizer(*place, tension + step))
    below = math.log(_engine.position_normalizer(*place, tension - step))
    slope = (above - below) / (2 * step)
    assert -_engine.expected_distance(*place, tension) == pytest.approx(slope, rel=1e-5, abs=1e-8)


def test_tension_zero_is_model_1() -> None:
    np.testing.assert_allclose(_engine.position_prior(2, 4, 3, 0.0), 0.25)
    assert _engine.position_normalizer(2, 4, 3, 0.0) == 4
