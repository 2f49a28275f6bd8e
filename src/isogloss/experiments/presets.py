"""Presets of experiments: the letter of the paper, or what works best; and settings written out as TOML."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from os import PathLike, fspath
from typing import Any

from isogloss.tuning.options import PRESETS, Preset

__all__ = ["PRESETS", "Preset", "preset_title", "settings_toml"]


def preset_title(title: str, preset: str) -> str:
    """The title of a table, with its preset.

    >>> preset_title("1. Token types", "paper")
    '1. Token types (preset paper)'
    """
    return f"{title} (preset {preset})"


def settings_toml(settings: Any) -> str:
    """Options as a TOML file that gives the same options again; options that are not set are left out.

    >>> print(settings_toml({"preset": "best", "online": {"iterations": 8, "shuffle": True}}))
    preset = "best"
    <BLANKLINE>
    [online]
    iterations = 8
    shuffle = true
    """
    plain = asdict(settings) if is_dataclass(settings) and not isinstance(settings, type) else settings
    return "\n".join(_table("", plain)).strip("\n")


def _table(name: str, values: Mapping[str, Any]) -> list[str]:
    tables = {key: value for key, value in values.items() if isinstance(value, Mapping)}
    plain = {key: value for key, value in values.items() if key not in tables and value is not None}
    lines = [f"{_key(key)} = {_value(value)}" for key, value in plain.items()]
    if name and lines:
        lines = ["", f"[{name}]", *lines]
    for key, value in tables.items():
        lines += _table(f"{name}.{_key(key)}" if name else _key(key), value)
    return lines


def _key(name: str) -> str:
    plain = name.replace("-", "").replace("_", "")
    return name if plain.isascii() and plain.isalnum() else json.dumps(name)


def _value(value: Any) -> str:
    if isinstance(value, PathLike):
        value = fspath(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False)
