"""Weights that a learner leaves alone keep their proportion to those that it makes larger."""

from __future__ import annotations

from pathlib import Path

import pytest

from isogloss.decoder import load
from isogloss.io.streams import read_lines
from isogloss.metric import References
from isogloss.nbest.synthetic import make_nbest
from isogloss.tuning import TuneOptions, tune
from isogloss.tuning.weight_scale import in_proportion, spread

LISTS = make_nbest([line.split() for line in ("the cat sat on the mat", "a dog barks")], candidates=5, seed=1)
START = {"Missing": 0.5, "Doubled": 0.25, "Order": 0.5, "Choice": -10.0, "Length": 0.0}


def test_only_weights_that_were_not_learned_grow_with_the_others() -> None:
    learned = {"Missing": 2.0, "Doubled": 1.0, "Order": 2.0, "Choice": -10.4, "Length": 0.0}
    found = in_proportion(LISTS, START, learned)
    assert found == pytest.approx({**learned, "Choice": -41.6})
    moved = {**learned, "Choice": -12.0}
    assert in_proportion(LISTS, START, moved) == moved


def test_nothing_grows_where_nothing_can_be_compared() -> None:
    assert in_proportion(LISTS, START, START) == START
    nothing = dict.fromkeys(START, 0.0)
    assert in_proportion(LISTS, nothing, START) == START
    assert in_proportion(LISTS, {}, START) == START  # a decoder whose weights are not all known


def test_the_spread_is_proportional_to_the_weights() -> None:
    one = spread(LISTS, START)
    assert one > 0
    assert spread(LISTS, {name: 3 * weight for name, weight in START.items()}) == pytest.approx(3 * one)
    assert spread(LISTS, {}) == 0


def test_a_weight_that_no_sentence_tests_grows_with_the_others(systems: Path) -> None:
    system = load(systems / "phrase")
    start = dict(system.weights)
    assert start["unknown"] == -10  # and every word of these sentences is known
    options = TuneOptions(method="batch-mira", iterations=4, nbest=20)
    text = [list(read_lines(systems / "corpus" / name))[:12] for name in ("dev.src", "dev.tgt.0")]
    found = tune(system, text[0], References(text[1:]), options)
    assert found.best.iteration > 3  # the first two turns keep the size of the start
    untested = {name: found.dense[name] / start[name] for name in ("unknown", "arcs")}
    assert untested["unknown"] == pytest.approx(untested["arcs"])
    assert untested["unknown"] > 1.2
