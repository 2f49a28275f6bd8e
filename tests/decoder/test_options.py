from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pytest

from isogloss import _engine
from isogloss.decoder import SearchOptions
from isogloss.decoder.options import engine_options
from isogloss.grammar.table import RuleTable
from isogloss.io.errors import ConfigError
from isogloss.lm import LanguageModel


def engine_decoder(systems: Path, options: dict[str, Any]) -> _engine.Decoder:
    table = RuleTable.open(systems / "rules")
    return _engine.Decoder(
        table=table.engine,
        source_words=table.source_words,
        target_words=table.target_words,
        language_model=LanguageModel.load(systems / "lm").engine,
        column_names=list(table.columns),
        options=options,
    )


def test_the_engine_takes_every_option_under_its_name(systems: Path) -> None:
    options = engine_options(SearchOptions(threshold=1))
    assert list(options) == [field.name for field in fields(SearchOptions)]
    engine_decoder(systems, options)


def test_the_engine_refuses_what_it_does_not_know(systems: Path) -> None:
    with pytest.raises(ValueError, match="no option is called 'beamsize'"):
        engine_decoder(systems, {"beamsize": 1})
    with pytest.raises(ValueError, match="no phrase_order is called 'free'"):
        engine_decoder(systems, {"phrase_order": "free"})
    with pytest.raises(ValueError, match="'beam_size' has a value of the wrong type"):
        engine_decoder(systems, {"beam_size": "many"})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("beam_size", -1, "beam_size must be between 0 and 4294967295, got -1"),
        ("pop_limit", 2**32, "pop_limit must be between"),
        ("max_span", 1.5, "max_span must be a whole number, got 1.5"),
        ("max_span", True, "max_span must be a whole number, got True"),
        ("diversity", 1, "diversity must be true or false, got 1"),
        ("threshold", -0.1, "threshold must be between 0 and 1e\\+30, got -0.1"),
        ("threshold", float("nan"), "threshold must be between 0 and 1e\\+30, got nan"),
        ("threshold", "1", "threshold must be a number, got '1'"),
        ("phrase_order", "free", "phrase_order must be one of monotone, swap, distortion, got 'free'"),
    ],
)
def test_values_that_cannot_work(name: str, value: object, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        SearchOptions.from_mapping({name: value})


def test_options_from_a_mapping() -> None:
    options = SearchOptions(hierarchical=False, beam_size=7)
    assert SearchOptions.from_mapping(asdict(options)) == options
    assert options.search == "phrase"
    with pytest.raises(ConfigError, match="no search option is called 'beam'; known are hierarchical, "):
        SearchOptions.from_mapping({"beam": 3})
