"""Keys of stages are those of the first release: what it trained is not trained again because of a name."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest

from isogloss.pipeline.train_options import TrainOptions
from isogloss.pipeline.train_recipe import Helpers, recipe
from isogloss.tuning import OnlineOptions, RelevantSetOptions, TuneOptions

HELPERS = Helpers(
    threads=1, memory=1 << 30, track=lambda items, *_: items, warn=lambda _: None, report=lambda _: None
)


OLD_ONLINE = {"dense_first": 3, "online": {"dense_scale": 1.0, "keep_start": False}}
"""The defaults of that release."""


def keys(**settings: Any) -> dict[str, str]:
    """For every stage a digest of all that its key is made of, but for the content of its inputs."""
    stages = recipe(TrainOptions.from_settings({"source": "a.de", "target": "a.en", **settings}), HELPERS)
    rows = {stage.name: [stage.version, stage.options, dict(stage.outputs)] for stage in stages}
    return {
        name: hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()[:16]
        for name, row in rows.items()
    }


@pytest.mark.parametrize(
    ("settings", "tune", "system"),
    [
        ({"tuner": "mira", "tune": OLD_ONLINE}, "3cee03a9b101048d", "56e5988e1217ac8e"),
        ({"method": "online-mira", "tune": OLD_ONLINE}, "3cee03a9b101048d", "56e5988e1217ac8e"),
        ({"method": "mert"}, "63413ea191b42937", "9ca8546588b130cb"),
        ({"method": "kbmira"}, "8d115490a911b167", "9ca8546588b130cb"),
        ({"method": "batch-mira"}, "8d115490a911b167", "9ca8546588b130cb"),
        ({"method": "pro"}, "0a841643a07c3354", "9ca8546588b130cb"),
        ({"method": "none"}, "fe06e071bd741cbd", "9ca8546588b130cb"),
        (
            {
                "method": "relevant-set",
                "search": "block",
                "tune": {"relevant": {"folds": 0, "bags": True, "force": False}},
            },
            "22d06d7469624c96",
            "85858e84b8e8936b",
        ),
        (
            {
                "method": "online-mira",
                "tune": {**OLD_ONLINE, "iterations": 3, "online": {**OLD_ONLINE["online"], "nbest": 50}},
                "search": "phrase",
            },
            "42041b1fa4fb6b42",
            "8a5a1b2f200a3774",
        ),
    ],
    ids=lambda value: json.dumps(value) if isinstance(value, dict) else "",
)
def test_tuning_is_known_by_its_old_key(settings: dict[str, Any], tune: str, system: str) -> None:
    found = keys(**settings, all_pairs=False)  # as in that release
    assert (found["tune"], found["system"]) == (tune, system)


def test_stored_options_are_read_as_they_were() -> None:
    for options in (
        TuneOptions(),
        TuneOptions(preset="paper"),
        TuneOptions(method="online-mira", online=OnlineOptions(dense_scale=1.0, nbest=7)),
        TuneOptions(method="online-mira", effort="normal", online=OnlineOptions(keep_start=False)),
        TuneOptions(effort="thorough", seed=3),
    ):
        read = TuneOptions.from_stored(json.loads(json.dumps(options.as_stored())))
        # Options of other methods are not stored.
        assert replace(read, preset=options.preset, relevant=options.relevant) == options
    options = TuneOptions(method="relevant-set", relevant=RelevantSetOptions(folds=0, parts=3))
    assert TuneOptions.from_stored(json.loads(json.dumps(options.as_stored()))).relevant == options.relevant


def test_models_are_known_by_their_old_keys() -> None:
    found = keys(
        lm={"order": 4}, rules={"word_forms": False}, tokenizer="moses", placeholders=[], test_size=0
    )  # the defaults of that release
    assert {name: found[name] for name in ("clean", "tokenize", "align", "rules", "lm")} == {
        "clean": "b948fbd9e9ea3230",
        "tokenize": "85c9bf28cde5faee",
        "align": "812b47bd38bff8b9",
        "rules": "e43f5ec4ba50992a",
        "lm": "81c34930760b2f03",
    }
    assert found["classes"] == "53f6933563569f09"


def test_names_of_before_are_accepted_with_a_note() -> None:
    told: list[str] = []
    options = TrainOptions.from_settings({"source": "a.de", "target": "a.en", "tuner": "kbmira"}, told.append)
    assert options.method == "batch-mira"
    assert told == ["'tuner' is now called 'method'", "'kbmira' is now called 'batch-mira'"]
