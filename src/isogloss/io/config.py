"""TOML files: read into dataclasses, with file names relative to the TOML file.

A key is a field; a table is a field that is itself a dataclass, or a mapping. Fields that are not given keep
their defaults, in tables too. An unknown key, a missing key or a value of the wrong type is an error that
names the file and the key.
"""

from __future__ import annotations

import re
import tomllib
import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from functools import cache, partial
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from isogloss.io.errors import ConfigError, DataFormatError, InputFileError
from isogloss.io.options import NamesFiles, declared
from isogloss.io.sizes import parse_size

__all__ = [
    "Settings",
    "check_names",
    "check_types",
    "from_settings",
    "placed",
    "read_description",
    "read_toml",
    "with_table",
]

Settings = dict[str, Any]
"""Values by the names of fields; tables are dictionaries."""

T = TypeVar("T")
_NAMES = {bool: "true or false", int: "a whole number", float: "a number", str: "text", Path: "a file"}


def read_description(cls: type[T], path: str | PathLike[str]) -> T:
    """Read a TOML file into an object. A class with renamed options has ``current_names``; a class whose
    defaults depend on other options has ``from_settings``."""
    current: Any = getattr(cls, "current_names", dict)
    own: Any = getattr(cls, "from_settings", partial(from_settings, cls))
    described = read_toml(path)
    try:
        made: T = own(placed(cls, current(described), Path(path).parent))
        return made
    except ConfigError as error:
        raise DataFormatError(str(error), path) from None


def read_toml(path: str | PathLike[str]) -> Settings:
    """The raw values of a TOML file."""
    try:
        return tomllib.loads(Path(path).read_bytes().decode())
    except OSError as error:
        raise InputFileError(error.strerror or str(error), path) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataFormatError(f"not a TOML file ({error})", path) from None


@cache
def _hints(cls: Any, *, include_extras: bool = False) -> dict[str, Any]:
    """The types of fields. Python evaluates them anew at every call, which takes longer than most files."""
    return get_type_hints(cls, include_extras=include_extras)


def placed(hint: Any, value: Any, folder: Path) -> Any:
    """Resolve file names in a value relative to a folder, wherever the type has files."""
    whole, marks = hint, getattr(hint, "__metadata__", ())
    if marks:
        hint = get_args(hint)[0]
    if isinstance(value, str):
        if any(isinstance(mark, NamesFiles) for mark in marks):
            return " ".join(_placed_words(word, folder) for word in value.split())
        return str(folder / value) if _has_files(hint) else value
    if isinstance(value, list):
        return [placed(whole, item, folder) for item in value]
    if not isinstance(value, Mapping):
        return value
    if is_dataclass(hint):
        hints = _hints(hint, include_extras=True)  # type: ignore[arg-type]
        return {name: placed(hints.get(name), item, folder) for name, item in value.items()}
    inner = next((part for part in get_args(hint) if is_dataclass(part)), None)
    if inner is not None and get_origin(hint) in (Union, types.UnionType):
        return placed(inner, value, folder)
    return {name: placed(inner or (whole if marks else hint), item, folder) for name, item in value.items()}


def _placed_words(word: str, folder: Path) -> str:
    """A word like ``lm:english.arpa,label=Big`` with the files that are in the folder."""

    def part(text: str) -> str:
        return str(folder / text) if text and (folder / text).exists() else text

    pieces = re.split("([:,=])", word)
    return part(word) if len(pieces) == 1 else "".join(map(part, pieces))


def _has_files(hint: Any) -> bool:
    return hint is Path or get_origin(hint) is PathLike or any(map(_has_files, get_args(hint)))


def from_settings(cls: type[T], settings: Mapping[str, Any], where: str = "", base: T | None = None) -> T:
    """Make an object from field values; ``where`` is for messages, ``base`` has the values that are not
    given. A class with presets has ``base_for``, which may choose another base."""
    check_names(cls, settings, where)
    base = getattr(cls, "base_for", lambda settings, base: base)(settings, base)
    hints = _hints(cls)  # type: ignore[arg-type]
    sizes = {option.name for option in declared(cls) if option.is_size}  # type: ignore[arg-type]
    values = {}
    for field in fields(cls):  # type: ignore[arg-type]
        if field.name in settings:
            default = getattr(base, field.name) if base is not None else _default(field)
            value = settings[field.name]
            if field.name in sizes and isinstance(value, str):
                value = parse_size(value, f"{where}{field.name}")
            values[field.name] = _value(hints[field.name], value, f"{where}{field.name}", default)
        elif base is None and field.default is MISSING and field.default_factory is MISSING:
            raise ConfigError(f"'{where}{field.name}' is missing")
    try:
        return cls(**values) if base is None else replace(base, **values)  # type: ignore[type-var]
    except ConfigError as error:
        raise ConfigError(_placed_message(cls, str(error), where)) from None


def _placed_message(cls: type, message: str, where: str) -> str:
    """The message for a nested option, with its full path."""
    if not where:
        return message
    names = any(message.startswith(f"{field.name} ") for field in fields(cls))
    return f"{where}{message}" if names else f"[{where.rstrip('.')}] {message}"


def check_names(cls: type, settings: Mapping[str, Any], where: str = "") -> None:
    """Check that all keys are fields."""
    known = [field.name for field in fields(cls)]
    for name in settings:
        if name not in known:
            table = f" in [{where.rstrip('.')}]" if where else ""
            raise ConfigError(f"no option is called '{name}'{table}; known are {', '.join(known)}")


def with_table(settings: Settings, path: str, value: Any) -> Settings:
    """A copy of the settings with a new value at a path such as ``lm.order``.

    >>> with_table({"lm": {"order": 5, "prune": 0}}, "lm.order", 4)
    {'lm': {'order': 4, 'prune': 0}}
    """
    name, _, rest = path.partition(".")
    if not rest:
        return {**settings, name: value}
    table = settings.get(name)
    return {**settings, name: with_table(table if isinstance(table, dict) else {}, rest, value)}


def check_types(cls: type, settings: Mapping[str, Any]) -> None:
    """Check every value against its option; missing values are not checked."""
    check_names(cls, settings)
    hints = _hints(cls)
    for option in declared(cls):
        if option.name in settings:
            value = settings[option.name]
            if option.is_size and isinstance(value, str):
                value = parse_size(value, option.name)
            option.check(_value(hints[option.name], value, option.name, option.default))


def _default(field: Field[Any]) -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def _value(hint: Any, value: Any, where: str, default: Any = None) -> Any:
    """Convert a value to its declared type: tables to options, lists to tuples, file names to paths."""
    choices = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    if value is None and types.NoneType in choices:
        return None
    for choice in choices:
        origin = get_origin(choice)
        if is_dataclass(choice):
            return _table(choice, value, where, default)
        if origin is tuple:
            if isinstance(value, list | tuple):
                return _items(get_args(choice), value, where)
            if isinstance(value, str) and str not in choices:
                return (_value(get_args(choice)[0], value, where),)
            if isinstance(value, str | PathLike) and str in choices:
                continue  # one, or a list of them
            raise ConfigError(f"{where} must be a list, got {value!r}")
        if origin is Mapping:
            if not isinstance(value, Mapping):
                raise ConfigError(f"{where} must be a table, got {value!r}")
            inner = get_args(choice)[1]
            return {str(name): _value(inner, item, f"{where}.{name}") for name, item in value.items()}
    expected = [choice for choice in choices if choice in _NAMES]
    if expected and not _fits(value, expected):
        raise ConfigError(f"{where} must be {_NAMES[expected[0]]}, got {value!r}")
    return Path(value) if Path in expected else value


def _table(cls: Any, value: Any, where: str, default: Any) -> Any:
    if isinstance(value, cls):
        return value
    if not isinstance(value, Mapping):
        raise ConfigError(f"{where} must be a table of options, got {value!r}")
    return from_settings(cls, value, f"{where}.", default if isinstance(default, cls) else None)


def _items(hints: tuple[Any, ...], values: list[Any] | tuple[Any, ...], where: str) -> tuple[Any, ...]:
    repeated = len(hints) == 2 and hints[1] is Ellipsis
    if not repeated and len(hints) != len(values):
        return tuple(values)  # the options check the number of items
    each = hints[:1] * len(values) if repeated else hints
    return tuple(_value(hint, value, where) for hint, value in zip(each, values, strict=True))


def _fits(value: Any, expected: list[Any]) -> bool:
    if isinstance(value, PathLike):
        return str in expected or Path in expected
    if isinstance(value, bool):
        return bool in expected
    if isinstance(value, str):
        return str in expected or Path in expected
    return isinstance(value, tuple(expected)) or (isinstance(value, int) and float in expected)
