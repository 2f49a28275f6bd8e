"""How to tune is chosen on text that no candidate has learned from."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from isogloss.decoder import System, load
from isogloss.decoder.decoder import Decoder
from isogloss.features import SparseModel, SparseOptions
from isogloss.features.weights import SparseWeights
from isogloss.io.streams import read_lines
from isogloss.metric import Bleu, References
from isogloss.metric.interface import Statistics
from isogloss.tuning import OnlineOptions, TuneOptions, choice, tune
from isogloss.tuning.choice import LearnedFrom, choose_simplest, halves, mixture
from isogloss.tuning.online_tuning import online_passes

OPTIONS = TuneOptions(iterations=1, dense_first=1, nbest=20, online=OnlineOptions(nbest=20))


def statistics(right: int, sentences: int = 100) -> Statistics:
    """Translations of which some are right and the others have one right word."""
    lines = [f"a{at} b{at} c{at} d{at} e{at}" for at in range(sentences)]
    made = [line if (at * 37) % sentences < right else f"a{at} x y z w" for at, line in enumerate(lines)]
    return Bleu().statistics(made, References([lines]))


def system(systems: Path) -> System:
    """A system with sparse features."""
    base = load(systems / "phrase")
    sparse = SparseModel(SparseOptions(templates=("pair", "target_bigram")))
    decoder = Decoder(base.decoder._rules, base.decoder._lm, base.options, sparse=sparse)
    decoder.set_weights(base.weights)
    return System(decoder, base.path)


def dev(systems: Path) -> tuple[list[str], References]:
    source, target = (
        list(itertools.islice(read_lines(systems / "corpus" / name), 24)) for name in ("dev.src", "dev.tgt.0")
    )
    return source, References([target])


def test_the_simplest_wins_unless_another_is_better() -> None:
    one, same, more = statistics(50), statistics(51), statistics(80)
    better = choose_simplest({"plain": [one], "rich": [more]}, 0.1)
    assert better.chosen == "rich"
    assert better.candidates[1].difference > 0
    assert better.candidates[1].p_value < 0.01
    assert "rich is better than plain" in better.reason
    chance = choose_simplest({"plain": [same], "rich": [one], "mixed": [statistics(52)]}, 0.1)
    assert chance.chosen == "plain"
    assert "by chance" in chance.reason
    worse = choose_simplest({"plain": [more, more], "rich": [one, one]}, 0.1)
    assert worse.chosen == "plain"
    assert worse.reason.startswith("plain is best")
    assert json.loads(json.dumps(worse.to_dict()))["candidates"][1]["difference"] < 0


def test_a_mixture_is_the_mean_of_all() -> None:
    first = LearnedFrom(
        {"lm": 1.0}, {"lm": 3.0}, SparseWeights.from_names({"pair:a|b": 2.0, "pair:c|d": 4.0})
    )
    second = LearnedFrom({"lm": 2.0}, {"lm": 2.0}, SparseWeights.from_names({"pair:a|b": 6.0}))
    dense, sparse = mixture([first, second], 0.5)
    assert dense == {"lm": 2.0}
    assert sparse is not None
    assert dict(sparse) == {"pair:a|b": 2.0, "pair:c|d": 1.0}
    assert mixture([first, second], 0.0) == ({"lm": 1.5}, None)
    assert mixture([first._replace(sparse=None)], 1.0) == ({"lm": 3.0}, None)


@pytest.mark.parametrize("count", [2, 19, 100, 1014])
def test_halves_have_all_sentences_once(count: int) -> None:
    one, two = halves(count, 3)
    assert sorted(one + two) == list(range(count))
    assert count < 30 or abs(len(one) - len(two)) <= 10
    together = sum(at + 1 in set(one) for at in one) + sum(at + 1 in set(two) for at in two)
    assert together >= 0.9 * count - 1  # neighbors
    assert count < 100 or halves(count, 4)[0] != one


def test_few_sentences_and_a_quick_run_give_dense_weights(systems: Path) -> None:
    made = system(systems)
    few = tune(made, *dev(systems), OPTIONS)
    assert few.sparse is None
    assert "too few" in few.notes[0]
    quick = tune(made, *dev(systems), TuneOptions(iterations=1, nbest=20, effort="quick"))
    batch = tune(made, *dev(systems), TuneOptions(method="batch-mira", iterations=1, nbest=20))
    assert quick.dense == batch.dense
    assert not quick.notes


def test_small_steps_are_compared_only_with_more_effort_or_if_asked_for() -> None:
    def scales(options: TuneOptions) -> list[float | None]:
        found = choice.compared_blends(options)
        assert next(iter(found)) == "batch-mira"
        return list(dict.fromkeys(one.dense_scale for one in found.values() if one.share))

    assert scales(TuneOptions()) == [1.0]
    assert scales(TuneOptions(effort="thorough")) == [None, 1.0]
    assert scales(TuneOptions(online=OnlineOptions(dense_scale=0.3))) == [None, 1.0]
    assert scales(TuneOptions(online=OnlineOptions(dense_scale=1.0))) == [None]


@pytest.mark.parametrize("p_value", [0.0, 1.0])
def test_the_choice_decides_and_resumes(
    systems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, p_value: float
) -> None:
    monkeypatch.setattr(choice, "FEWEST", 20)
    monkeypatch.setattr(choice, "_BLOCK", 3)
    made, before = system(systems), dict(system(systems).weights)
    learned_from: list[int] = []
    steps: list[float] = []

    def watched(options: Any, job: Any, *rest: Any) -> Any:
        learned_from.append(len(job.dev.sources))
        steps.append(options.dense_scale)
        return online_passes(options, job, *rest)

    monkeypatch.setattr(choice, "online_passes", watched)
    options = replace(OPTIONS, method=f"auto:p_value={p_value}")
    found = tune(made, *dev(systems), options, work=tmp_path / "work")
    assert found.choice is not None
    assert found.notes == (found.choice.reason,)
    best = max(found.choice.candidates, key=lambda one: one.bleu)
    assert found.choice.chosen == (best if p_value else found.choice.candidates[0]).name
    assert (found.sparse is None) == (choice.CANDIDATES[found.choice.chosen].share == 0)
    assert dict(made.weights) == before
    assert steps == [1.0] * len(steps)
    assert learned_from == [12] * 2 + [24] * (found.sparse is not None)
    assert (
        learned_from[2:] or found.dense == tune(made, *dev(systems), replace(OPTIONS, effort="quick")).dense
    )
    again = tune(made, *dev(systems), options, work=tmp_path / "work")
    assert again.dense == found.dense
    assert again.choice == found.choice
