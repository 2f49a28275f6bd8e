"""Learning when to use near matches: only a gain on sentences that were not learned from enables them."""

from __future__ import annotations

import random

import numpy as np
import pytest

from isogloss.decoder.near_examples import AlignedPair, NearExample
from isogloss.decoder.near_matches import FEATURES, NearCandidate
from isogloss.metric import Bleu, References
from isogloss.pipeline import near_match_stage
from isogloss.pipeline.near_match_stage import HeldOut, hopeless, learn_choice

EXAMPLE = NearExample(AlignedPair(("a",), ("b",), ()), 0.8, "training")


def held_out(kind: str, count: int = 200) -> list[HeldOut]:
    """Sentences whose candidate is right if it is not torn, or never, or by chance."""
    draw, metric = random.Random(2), Bleu()
    found = []
    for _ in range(count):
        reference = " ".join(draw.choice("abcdefgh") for _ in range(8))
        half = " ".join(reference.split()[:4]) + " x x x x"
        torn = draw.random() < 0.5
        right = {"not torn": not torn, "never": False, "chance": draw.random() < 0.5}[kind]
        draft = half if right else reference
        if kind == "not torn" and torn:
            right = False
        lines = [draft, half, reference if right else half]
        features = [0.0] * len(FEATURES)
        features[0], features[FEATURES.index("torn")] = 1.0, float(torn)
        candidate = NearCandidate(lines[2], EXAMPLE, tuple(features))
        statistics = metric.statistics(lines, References([[reference] * 3]))
        found.append(HeldOut(0.8, [candidate], statistics))
    return found


def test_what_predicts_a_gain_is_learned() -> None:
    choice, facts = learn_choice(held_out("not torn"))
    assert choice.enabled
    scores = facts["bleu"]["0.8 to 0.9"]
    assert scores["chosen"] == pytest.approx(100)
    assert scores["chosen"] > scores["decoder"] > scores["memory"]
    assert scores["sentences"] == 200


@pytest.mark.parametrize("kind", ["never", "chance"])
def test_without_a_gain_they_are_disabled(kind: str) -> None:
    assert not learn_choice(held_out(kind))[0].enabled


def test_a_gain_that_is_not_worth_its_time_disables_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few right candidates among many sentences that need none: significant, but next to nothing."""
    torn = FEATURES.index("torn")
    useless = [one for one in held_out("never", 6000) if one.candidates[0].features[torn]]
    few = [one for one in held_out("not torn") if not one.candidates[0].features[torn]][:15]
    rare = [*useless, *few]
    random.Random(3).shuffle(rare)
    assert not learn_choice(rare)[0].enabled
    monkeypatch.setattr(near_match_stage, "_LEAST_GAIN", 0.0)
    assert learn_choice(rare)[0].enabled


@pytest.mark.parametrize(("kind", "stops"), [("never", True), ("not torn", False)])
def test_the_first_fold_stops_where_nothing_is_to_gain(kind: str, stops: bool) -> None:
    assert hopeless(held_out(kind)) == stops
    assert not hopeless(held_out(kind, 50))  # too few to tell


def test_too_few_sentences_disable_them() -> None:
    choice, facts = learn_choice(held_out("not torn", 10))
    assert not choice.enabled
    assert facts == {"bleu": {}}


def test_the_result_is_the_same_every_time() -> None:
    first, second = (learn_choice(held_out("not torn", 60))[0].weights for _ in range(2))
    assert first == second
    assert np.isfinite(list(first.values())).all()
