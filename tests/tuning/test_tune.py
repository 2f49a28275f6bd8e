from __future__ import annotations

import itertools
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from isogloss.decoder import System, load
from isogloss.io.errors import ConfigError, TrainingError
from isogloss.io.progress import no_track
from isogloss.io.streams import read_lines
from isogloss.learn import LearnerEntry, learner_names, registry
from isogloss.learn.learner import Learned
from isogloss.learn.problem import Problem
from isogloss.metric import References
from isogloss.tuning import OnlineOptions, TuneOptions, tune, turns
from isogloss.tuning.job import Sentences, TuneIteration, TuningJob
from isogloss.tuning.turns import _prohibitions, tune_in_turns
from support.toy_learner import RandomSearch

ONLINE = OnlineOptions(nbest=20, candidates=2, oracles=2, batch=3)


def lines(systems: Path, name: str, begin: int, end: int) -> list[str]:
    return list(itertools.islice(read_lines(systems / "corpus" / name), begin, end))


def data(systems: Path, begin: int = 0, end: int = 12) -> tuple[list[str], References]:
    return lines(systems, "dev.src", begin, end), References([lines(systems, "dev.tgt.0", begin, end)])


@pytest.mark.parametrize("method", [name for name in learner_names(decoder=True) if name != "relevant-set"])
def test_every_method_gives_weights_no_worse_than_the_start(systems: Path, method: str) -> None:
    system = load(systems / "phrase")
    before = dict(system.weights)
    options = TuneOptions(method=method, iterations=2, nbest=20, restarts=1, online=ONLINE)
    result = tune(system, *data(systems), options, held_out=data(systems, 12, 20))
    assert result.dense.keys() == before.keys()
    assert dict(system.weights) == before
    best = max(step.held_out_score or 0 for step in result.history)
    assert result.best.held_out_score == best


@pytest.mark.parametrize("method", ["online-mira", "mert"])
def test_a_killed_run_goes_on_to_the_same_weights(
    systems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    options = TuneOptions(method=method, iterations=3, nbest=10, restarts=1, online=ONLINE)

    def run(work: Path, stop_after: int | None = None, threads: int = 1) -> Any:
        count = itertools.count(1)

        def report(step: object) -> None:
            if next(count) == stop_after:
                raise KeyboardInterrupt

        system = load(systems / "phrase")
        return tune(system, *data(systems), options, work=work, report=report, threads=threads)

    whole = run(tmp_path / "whole", threads=2)
    for stop in (1, 1):
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path / "killed", stop_after=stop)
    resumed = run(tmp_path / "killed")
    assert resumed.dense == whole.dense
    assert [step.dev_score for step in resumed.history] == [step.dev_score for step in whole.history]
    other = TuneOptions(method=method, iterations=3, nbest=11, restarts=1, online=ONLINE)
    with pytest.raises(ConfigError, match="other options or data"):
        tune(load(systems / "phrase"), *data(systems), other, work=tmp_path / "killed")


def test_what_cannot_be_tuned_on(systems: Path) -> None:
    system = load(systems / "phrase")
    sources, references = data(systems)
    with pytest.raises(ConfigError, match="11 source sentences but references for 12"):
        tune(system, sources[:11], references)
    with pytest.raises(ConfigError, match="no method is called 'grid'; choose one of: auto, online-mira"):
        TuneOptions(method="grid")
    strange = References([["qqq www eee rrr ttt"] * len(sources)])
    options = TuneOptions(method="online-mira", iterations=1, dense_first=0, online=ONLINE)
    with pytest.raises(TrainingError, match="BLEU 0"):
        tune(system, sources, strange, options)
    with pytest.raises(TrainingError, match="BLEU of the chosen translations is 0"):
        tune(system, sources, strange, TuneOptions(iterations=1, online=ONLINE))


def test_one_sentence_and_only_unknown_words(systems: Path) -> None:
    system: System = load(systems / "phrase")
    options = TuneOptions(method="online-mira", iterations=1, online=ONLINE)
    sources, references = data(systems, 0, 1)
    assert tune(system, sources, references, options).dense
    mixed = [*data(systems)[0], "qqq www"], References([[*lines(systems, "dev.tgt.0", 0, 12), "a b c d"]])
    assert tune(system, *mixed, options).dense


def test_a_learner_of_your_own_tunes_a_decoder(systems: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_LEARNERS", dict(registry._LEARNERS))
    registry.register(LearnerEntry("random-search", RandomSearch, "Random steps."))
    options = TuneOptions(method="random-search:steps=5", iterations=1, nbest=20)
    result = tune(load(systems / "phrase"), *data(systems), options)
    assert result.dense.keys() == dict(load(systems / "phrase").weights).keys()
    assert len(result.history) == 2


def test_another_decoder_is_tuned_from_start_weights(systems: Path) -> None:
    class Other:
        def decode(self, sources: Any, weights: Any, *, size: int) -> Any:
            return load(systems / "phrase").decode(sources, weights, size=size)

    options = TuneOptions(method="mert", iterations=1, nbest=10, restarts=0)
    with pytest.raises(ConfigError, match="give start weights"):
        tune(Other(), *data(systems), options)
    with pytest.raises(ConfigError, match="'auto' works only with the decoder of Isogloss"):
        tune(Other(), *data(systems), TuneOptions(), start={})
    found = tune(Other(), *data(systems), options, start=load(systems / "phrase").weights)
    assert found.dense == tune(load(systems / "phrase"), *data(systems), options).dense


def test_a_weight_that_outweighs_all_others_is_told(systems: Path) -> None:
    system = load(systems / "phrase")
    store = system.decode(data(systems)[0], system.weights, size=20)
    start = dict.fromkeys(store.dense_names, 0.1)
    assert _prohibitions(start, start, store) == ()
    (note,) = _prohibitions(start, {**start, "lm": 50.0}, store)
    assert "'lm' has 9" in note
    assert _prohibitions({**start, "lm": 60.0}, {**start, "lm": 50.0}, store) == ()


def test_results_are_plain_values_too(systems: Path) -> None:
    options = TuneOptions(method="online-mira", iterations=1, dense_first=0, online=ONLINE)
    found = tune(load(systems / "phrase"), *data(systems), options)
    as_json = json.loads(json.dumps(found.to_dict()))
    assert as_json["weights"] == found.dense
    assert as_json["best"]["dev_score"] == found.best.dev_score
    assert [step["iteration"] for step in as_json["history"]] == [1]


class SameWeights:
    """Decodes with the same weights, whatever it is given; lists grow from turn to turn."""

    def __init__(self, systems: Path) -> None:
        self.system, self.sizes = load(systems / "phrase"), list[int]()

    def decode(self, sources: Any, weights: Any, *, size: int) -> Any:
        self.sizes.append(size)
        return self.system.decode(sources, self.system.weights, size=size + 3 * len(self.sizes))


def test_turns_end_when_the_score_no_longer_rises(systems: Path, tmp_path: Path) -> None:
    options = TuneOptions(method="batch-mira", nbest=5)
    decoder = SameWeights(systems)
    found = tune(decoder, *data(systems), options, start=decoder.system.weights, work=tmp_path)
    assert len(found.history) == 3
    assert len({step.dev_score for step in found.history}) == 1
    again = tune(decoder, *data(systems), options, start=decoder.system.weights, work=tmp_path)
    assert again.history == found.history
    assert decoder.sizes == [5, 5, 5]


def test_turns_go_on_after_a_bad_one_and_first_steps_are_half_as_large(systems: Path) -> None:
    bad, good = {"lm": -5.0}, {"lm": 1.0}

    class Scripted:
        """Learns bad weights first, and good ones from then on."""

        def __init__(self) -> None:
            self.starts = list[float]()

        def learn(self, problem: Problem, start: Mapping[str, float], **kept: Any) -> Learned:
            self.starts.append(start["lm"])
            return Learned(weights={**start, **(bad if len(self.starts) < 3 else good)}, score=0.0)

    system, learner = load(systems / "phrase"), Scripted()
    options = TuneOptions(method="batch-mira", iterations=6, nbest=20)
    job = TuningJob(Sentences(*data(systems)), None, options, threads=1, track=no_track, report=_ignore)
    with tempfile.TemporaryDirectory() as folder:
        found = tune_in_turns(job, system, learner, dict(system.weights), Path(folder))
    scores = [step.dev_score for step in found.history]
    assert scores[1] < scores[0] - 1  # and yet there is a third turn
    assert len(scores) > 3
    lm = system.weights["lm"]
    assert bad["lm"] < learner.starts[1] < lm  # on the way, in the scale of the start
    assert found.best.dev_score == max(scores)


def _ignore(step: TuneIteration) -> None:
    """Reports nothing."""


def test_the_last_turn_needs_no_list(systems: Path) -> None:
    decoder = SameWeights(systems)
    options = TuneOptions(method="batch-mira", iterations=1, nbest=5)
    tune(decoder, *data(systems), options, start=decoder.system.weights)
    assert decoder.sizes == [5, 1]


def test_there_is_no_way_between_opposites(systems: Path) -> None:
    store = load(systems / "phrase").nbest(data(systems)[0], nbest=10)
    now = dict.fromkeys(store.dense_names, 0.0) | {"lm": -1.0}
    assert turns._halfway(store, now, now | {"lm": 4.0})["lm"] == 4.0
    assert turns._halfway(store, now, now | {"lm": -4.0})["lm"] == pytest.approx(-1.0)
    assert -1.0 < turns._halfway(store, now, now | {"words": 3.0})["lm"] < 0.0
