"""Options of training from a TOML file.

Keys are the fields of ``TrainOptions``; its parts that have options of their own are tables::

    source = "train.de"
    target = "train.en"
    tuner = "mira"

    [lm]
    order = 4

Names of files are relative to the folder of the TOML file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from isogloss.grammar.options import ExtractOptions
from isogloss.io.config import Settings, check_names, from_settings, placed, read_toml
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.streams import StrPath
from isogloss.pipeline.train_options import BLOCK_DECODER, TrainOptions, grammar_of

__all__ = ["RUNNING", "make_options", "read_config"]

RUNNING = ("threads", "memory")
"""Settings that do not change the result, and are not among the options."""


def read_config(path: StrPath) -> Settings:
    """Read settings; what they mean is looked at by ``make_options``."""
    settings = read_toml(path)
    try:
        check_names(TrainOptions, {name: value for name, value in settings.items() if name not in RUNNING})
    except ConfigError as error:
        raise DataFormatError(str(error), path) from None
    return dict(placed(TrainOptions, settings, Path(path).parent))


def make_options(settings: Mapping[str, Any]) -> TrainOptions:
    """The options that settings stand for; a wrong name or type is an error that says where."""
    settings = {name: value for name, value in settings.items() if name not in RUNNING}
    if not isinstance(settings.get("source"), str | Path):
        raise ConfigError("the training text is missing: give source and target")
    if isinstance(settings.get("rules"), Mapping):
        # What is usual for rules depends on the search.
        rules = dict(settings["rules"])
        check_names(ExtractOptions, rules, "rules")
        settings["rules"] = ExtractOptions.for_grammar(
            grammar_of(settings.get("search", "hiero")), **{"tight": False, **rules}
        )
    if isinstance(settings.get("decoder"), Mapping) and settings.get("search") == "block":
        settings["decoder"] = {**asdict(BLOCK_DECODER), **settings["decoder"]}
    return from_settings(TrainOptions, settings)
