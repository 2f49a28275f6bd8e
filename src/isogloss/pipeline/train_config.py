"""Options of training from a TOML file.

Keys are the fields of ``TrainOptions``; its parts that have options of their own are tables::

    source = "train.de"
    target = "train.en"
    method = "online-mira"

    [lm]
    order = 4

Names of files are relative to the folder of the TOML file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from isogloss.grammar.options import ExtractOptions
from isogloss.io.config import Settings, check_names, from_settings, placed, read_toml
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.streams import StrPath
from isogloss.learn.registry import canonical_method
from isogloss.pipeline.train_options import BLOCK_DECODER, NO_TUNING, TrainOptions, grammar_of

__all__ = ["RUNNING", "current_names", "make_options", "read_config"]

RUNNING = ("threads", "memory")
"""Settings that do not change the result, and are not among the options."""
_OLD_NAMES = {"tuner": "method"}


def read_config(path: StrPath) -> Settings:
    """Read settings; what they mean is looked at by ``make_options``."""
    settings = read_toml(path)
    try:
        check_names(TrainOptions, current_names({n: v for n, v in settings.items() if n not in RUNNING}))
    except ConfigError as error:
        raise DataFormatError(str(error), path) from None
    return dict(placed(TrainOptions, settings, Path(path).parent))


def make_options(
    settings: Mapping[str, Any], warn: Callable[[str], None] = lambda message: None
) -> TrainOptions:
    """The options that settings stand for; a wrong name or type is an error that says where.

    ``warn`` is told about names of before that are in use.
    """
    settings = current_names({name: value for name, value in settings.items() if name not in RUNNING}, warn)
    if isinstance(settings.get("method"), str) and settings["method"] != NO_TUNING:
        settings["method"] = canonical_method(settings["method"], decoder=True, warn=warn)
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


def current_names(
    settings: Mapping[str, Any], warn: Callable[[str], None] = lambda message: None
) -> Settings:
    """Settings by the names of today; ``warn`` is told about those of before."""
    for old, new in _OLD_NAMES.items():
        if old in settings:
            if new in settings:
                raise ConfigError(f"give {new}, not {old} beside it")
            warn(f"'{old}' is now called '{new}'")
            settings = {new if name == old else name: value for name, value in settings.items()}
    return dict(settings)
