"""Which λ is chosen on one set and on several."""

from __future__ import annotations

import pytest

from isogloss.adapt.options import LocalOptions
from isogloss.adapt.tune import LocalTrial, LocalTuning, best_for_all
from isogloss.metric import Comparison

STRENGTHS = (0.1, 0.2, 0.3)


def tuned(baseline: float, *scores: float) -> LocalTuning:
    comparison = Comparison(test="bootstrap", samples=1, seed=1, difference=0, p_value=1)
    trials = [
        LocalTrial(options=LocalOptions(strength=strength), bleu=bleu, comparison=comparison)
        for strength, bleu in zip(STRENGTHS, scores, strict=True)
    ]
    return LocalTuning(baseline=baseline, trials=trials)


@pytest.mark.parametrize(
    ("found", "chosen"),
    [
        ([tuned(30, 29, 31, 30.5)], 0.2),
        ([tuned(30, 29, 28, 30)], 0.0),
        ([tuned(30, 31, 34, 33), tuned(20, 20, 19.9, 20.5)], 0.3),  # the second setting harms the second set
        ([tuned(30, 31, 34, 33), tuned(20, 19, 19, 19)], 0.0),
        ([tuned(30, 30.2, 30.1, 30), tuned(20, 20, 20.2, 20)], 0.2),
    ],
)
def test_the_best_setting_that_makes_no_set_worse(found: list[LocalTuning], chosen: float) -> None:
    assert best_for_all(found).strength == chosen
    if len(found) == 1:
        assert found[0].best.strength == chosen
