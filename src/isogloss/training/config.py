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

import tomllib
import types
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

from isogloss.corpus.streams import StrPath
from isogloss.errors import ConfigError, DataFormatError, InputFileError
from isogloss.grammar.options import ExtractOptions
from isogloss.learn.online import HOPE_AND_FEAR
from isogloss.training.options import BLOCK_DECODER, DENSE_FIRST, TrainOptions, grammar_of

__all__ = ["RUNNING", "Settings", "from_settings", "make_options", "read_config"]

Settings = dict[str, Any]
"""Values by the names of options; tables are dictionaries."""

RUNNING = ("threads", "memory")
"""Settings that do not change the result, and are not among the options."""
_FILES = (
    *("source", "target", "dev_source", "dev_target", "test_source", "test_target", "adapt_to"),
    *("extra_bitext", "source_columns", "target_columns", "source_dictionary", "target_dictionary"),
)


def read_config(path: StrPath) -> Settings:
    """Read settings; what they mean is looked at by ``make_options``."""
    place = Path(path)
    try:
        settings = tomllib.loads(place.read_bytes().decode())
    except OSError as error:
        raise InputFileError(error.strerror or str(error), place) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataFormatError(f"not a TOML file ({error})", place) from None
    for name in _FILES:
        if name in settings:
            settings[name] = _placed(settings[name], place.parent)
    return settings


def _placed(value: Any, folder: Path) -> Any:
    """Names of files, alone, in lists or in tables, as seen from a folder; anything else as it is."""
    if isinstance(value, str):
        return str(folder / value)
    if isinstance(value, list):
        return [_placed(item, folder) for item in value]
    return {key: _placed(item, folder) for key, item in value.items()} if isinstance(value, dict) else value


def make_options(settings: Mapping[str, Any]) -> TrainOptions:
    """The options that settings stand for; a wrong name or type is an error that says where."""
    settings = {name: value for name, value in settings.items() if name not in RUNNING}
    if not isinstance(settings.get("source"), str | Path):
        raise ConfigError("the training text is missing: give source and target")
    if isinstance(settings.get("rules"), Mapping):
        # What is usual for rules depends on the search.
        rules = dict(settings["rules"])
        _check_names(ExtractOptions, rules, "rules")
        settings["rules"] = ExtractOptions.for_grammar(
            grammar_of(settings.get("search", "hiero")), **{"tight": False, **rules}
        )
    if isinstance(settings.get("lm"), Mapping):
        settings["lm"] = {"special_words": "unknown", **settings["lm"]}
    if isinstance(settings.get("decoder"), Mapping) and settings.get("search") == "block":
        settings["decoder"] = {**asdict(BLOCK_DECODER), **settings["decoder"]}
    if isinstance(settings.get("tune"), Mapping):
        online = settings["tune"].get("online", {})
        if isinstance(online, Mapping):
            online = {**asdict(HOPE_AND_FEAR), **online}
            settings["tune"] = {"dense_first": DENSE_FIRST, **settings["tune"], "online": online}
    made: TrainOptions = from_settings(TrainOptions, settings)
    return made


def from_settings(cls: Any, settings: Mapping[str, Any], where: str = "") -> Any:
    """Options of a class by name, tables for options within options; ``where`` is for messages."""
    _check_names(cls, settings, where)
    hints = get_type_hints(cls)
    return cls(**{name: _value(hints[name], value, f"{where}{name}") for name, value in settings.items()})


def _check_names(cls: Any, settings: Mapping[str, Any], where: str) -> None:
    known = [item.name for item in fields(cls)]
    for name in settings:
        if name not in known:
            table = f" in [{where.rstrip('.')}]" if where else ""
            raise ConfigError(f"no option is called '{name}'{table}; known are {', '.join(known)}")


def _value(hint: Any, value: Any, where: str) -> Any:
    """A value of the type that the hint names: tables become options, lists become tuples."""
    choices = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    tables = tuple(choice for choice in choices if is_dataclass(choice))
    if tables:
        if isinstance(value, Mapping):
            return from_settings(tables[0], value, f"{where}.")
        if value is not None and not isinstance(value, tables):  # type: ignore[arg-type]
            raise ConfigError(f"{where} must be a table of options, got {value!r}")
        return value
    if isinstance(value, list) and any(get_origin(choice) is tuple for choice in choices):
        return tuple(tuple(item) if isinstance(item, list) else item for item in value)
    if isinstance(value, str) and str not in choices and any(get_origin(c) is tuple for c in choices):
        return (value,)
    expected = [
        choice for choice in choices if isinstance(choice, type) and choice in (bool, int, float, str)
    ]
    if expected and not _fits(value, expected):
        names = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
        raise ConfigError(f"{where} must be {names[expected[0]]}, got {value!r}")
    return value


def _fits(value: Any, expected: list[Any]) -> bool:
    if isinstance(value, Path):
        return str in expected
    if isinstance(value, bool):
        return bool in expected
    return isinstance(value, tuple(expected)) or (isinstance(value, int) and float in expected)
