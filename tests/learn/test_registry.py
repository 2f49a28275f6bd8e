from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from isogloss.io.errors import ConfigError
from isogloss.learn import LearnerEntry, learner_names, make_learner, register, tune_nbest
from isogloss.learn import registry as module
from isogloss.learn.registry import canonical_method, configured, find_learner, learner_options
from isogloss.metric import References
from isogloss.nbest.synthetic import make_nbest
from isogloss.tuning import OnlineOptions, TuneOptions
from support.toy_learner import RandomSearch

LINES = [f"line {i} of a text about {i * 7} things" for i in range(60)]


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(module, "_LEARNERS", dict(module._LEARNERS))
    register(LearnerEntry("random-search", RandomSearch, "Random steps."))
    return "random-search"


def test_every_learner_is_there_and_has_a_sentence() -> None:
    for decoder in (False, True):
        for name in learner_names(decoder=decoder):
            entry = find_learner(name, decoder=decoder)
            made = configured(name, decoder=decoder)
            assert hasattr(made, "tune" if entry.needs_decoder else "learn")
            assert entry.summary.endswith(".")
            assert learner_options(name, decoder=decoder)


def test_names_are_known_before_any_learner_is_imported() -> None:
    program = (
        "import sys\nfrom isogloss.learn.registry import learner_names\n"
        "assert 'mert' in learner_names(decoder=True)\n"
        "print([name for name in sys.modules if name.startswith('isogloss.tuning')])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_an_old_name_means_one_thing() -> None:
    """It was batch MIRA for lists."""
    with pytest.raises(
        ConfigError, match=r"'online-mira' learns while it decodes.*choose one of: mert, batch-mira"
    ):
        find_learner("mira", decoder=False)


@pytest.mark.parametrize(
    ("old", "decoder", "new"),
    [
        ("mira", True, "online-mira"),
        ("kbmira", True, "batch-mira"),
        ("kbmira", False, "batch-mira"),
        ("expected", False, "expected-bleu"),
        ("voted", False, "voted-perceptron"),
    ],
)
def test_old_names_are_accepted_with_a_note(old: str, decoder: bool, new: str) -> None:
    told: list[str] = []
    assert find_learner(old, decoder=decoder, warn=told.append).name == new
    assert told == [f"'{old}' is now called '{new}'"]
    assert find_learner(new, decoder=decoder, warn=told.append).name == new
    assert len(told) == 1
    assert type(configured(old, decoder=decoder)) is type(configured(new, decoder=decoder))


@pytest.mark.parametrize("name", ["online-mira", "relevant-set"])
def test_without_a_decoder_some_are_refused_by_name(name: str) -> None:
    nbest = make_nbest([line.split() for line in LINES], candidates=5, seed=1)
    with pytest.raises(ConfigError, match=f"'{name}' learns while it decodes, so it needs a decoder"):
        tune_nbest(nbest, References([LINES]), method=name)
    with pytest.raises(ConfigError, match="'mbr' learns to choose from an n-best list, not weights"):
        TuneOptions(method="mbr")


@pytest.mark.parametrize("method", learner_names(decoder=False))
def test_every_learner_of_lists_tunes_a_list(method: str) -> None:
    nbest = make_nbest([line.split() for line in LINES], candidates=50, seed=1)
    quick = {"iterations": 5} if "iterations" in learner_options(method) else {}
    learner = configured(method, quick, decoder=False)
    start = dict.fromkeys(nbest.dense_names, 0.0 if method != "mbr" else 1.0)  # mbr only scales weights
    tuned = tune_nbest(nbest, References([LINES]), method=learner, start=start)
    assert tuned.weights.keys() == set(nbest.dense_names)
    if method != "voted-perceptron":  # whose result is votes, of which the weights are only the mean
        assert tuned.score > tuned.start_score


def test_options_follow_the_name_in_every_verb(toy: str) -> None:
    assert make_learner("splitting:good=10,average=no") == make_learner(
        "splitting", {"good": 10, "average": False}
    )
    made: Any = make_learner("mert:restarts=2", usual={"threads": 3, "restarts": 9, "margin": 1})
    assert (made.restarts, made.threads) == (2, 3)
    assert canonical_method("kbmira:decay=0.5", decoder=True) == "batch-mira:decay=0.5"
    assert TuneOptions(method="kbmira:decay=0.5", seed=4).learner() == make_learner(
        "batch-mira", {"decay": 0.5, "seed": 4}
    )
    options = TuneOptions(method="mira:candidates=3", online=OnlineOptions(nbest=7), iterations=2)
    assert options.learner() == OnlineOptions(nbest=7, candidates=3, iterations=2)
    assert options.passes == 2
    assert TuneOptions(method=f"{toy}:steps=3").learner() == RandomSearch(steps=3)
    with pytest.raises(ConfigError, match="KEY=VALUE is expected after the colon, found '3'"):
        TuneOptions(method="mert:3")
    with pytest.raises(ConfigError, match="the method 'mert' has no option 'margin'; it has: restarts"):
        TuneOptions(method="mert:margin=3")
    with pytest.raises(ConfigError, match="has no option 'constraints'"):
        make_learner("mert:constraints=x")


def test_a_learner_of_your_own_is_known_everywhere(toy: str) -> None:
    assert toy in learner_names(decoder=False)
    assert toy in learner_names(decoder=True)
    nbest = make_nbest([line.split() for line in LINES], candidates=20, seed=1)
    tuned = tune_nbest(nbest, References([LINES]), method=f"{toy}:steps=30", seed=2)
    assert len(tuned.history) == 30
    assert tuned.score > tuned.start_score
    with pytest.raises(ConfigError, match="cannot be called 'kbmira'"):
        register(LearnerEntry("kbmira", RandomSearch, "Random steps."))
    with pytest.raises(ConfigError, match="cannot be called 'a:b'"):
        register(LearnerEntry("a:b", RandomSearch, "Random steps."))


def test_online_mira_has_one_set_of_defaults() -> None:
    from isogloss.pipeline import TrainOptions

    trained = TrainOptions(source="a.de", target="a.en").tuning
    assert trained == TuneOptions()
    assert (trained.passes, trained.dense_first, trained.online) == (4, 6, OnlineOptions())
    assert TuneOptions(method="online-mira").passes == 8
