"""The methods by name, and their options as they are written on a command line."""

from __future__ import annotations

import importlib
import types
import typing
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from isogloss.io.errors import ConfigError
from isogloss.learn.learner import Learner

__all__ = ["METHODS", "method_named", "option_names", "parse_method"]

METHODS: dict[str, tuple[str, str]] = {
    "splitting": ("splitting", "Splitting"),
    "ordinal": ("ordinal", "OrdinalRegression"),
    "voted-perceptron": ("voted", "VotedPerceptron"),
    "perceptron": ("perceptron", "Perceptron"),
    "expected-bleu": ("expected", "ExpectedScore"),
    "mbr": ("mbr", "Mbr"),
    "mert": ("mert", "Mert"),
    "batch-mira": ("mira", "BatchMira"),
    "pro": ("pro", "Pro"),
}
"""Module of ``isogloss.learn`` and class in it."""

_OLD_NAMES = {
    "voted": "voted-perceptron",
    "expected": "expected-bleu",
    "mira": "batch-mira",
    "kbmira": "batch-mira",
}


def parse_method(spec: str) -> Learner:
    """A learner as it is written on a command line: a method, and its options after a colon.

    >>> parse_method("splitting:margin=0.5,iterations=20").iterations  # type: ignore[attr-defined]
    20
    """
    name, _, rest = spec.partition(":")
    options = {}
    for part in rest.split(",") if rest else []:
        key, equals, value = part.partition("=")
        if not equals:
            raise ConfigError(f"'{spec}': KEY=VALUE is expected after the colon, found '{part}'")
        options[key] = value
    return method_named(name, options)


def _class_of(name: str) -> Any:
    name = _OLD_NAMES.get(name, name)
    if name not in METHODS:
        raise ConfigError(f"no method is called '{name}'; choose one of: {', '.join(METHODS)}")
    module, learner = METHODS[name]
    return getattr(importlib.import_module(f"isogloss.learn.{module}"), learner)


def option_names(name: str) -> list[str]:
    """What can be set for a method."""
    hints = typing.get_type_hints(_class_of(name))
    return [field.name for field in fields(_class_of(name)) if _kinds(hints[field.name])]


def method_named(name: str, options: Mapping[str, Any] | None = None) -> Learner:
    """A learner by its name, with options given as text or as what they are.

    >>> method_named("splitting", {"margin": "0.5", "good": "10"})  # doctest: +ELLIPSIS
    Splitting(... margin=0.5, good=10, bad=0.3)
    """
    learner = _class_of(name)
    hints = typing.get_type_hints(learner)
    known = option_names(name)
    values = {}
    for key, value in (options or {}).items():
        if key not in known:
            raise ConfigError(f"the method '{name}' has no option '{key}'; it has: {', '.join(known)}")
        values[key] = _converted(name, key, value, hints[key])
    return learner(**values)  # type: ignore[no-any-return]


def _kinds(kind: Any) -> list[Any]:
    """The plain types among what an option can be."""
    alternatives = typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    return [one for one in alternatives if one in (bool, int, float, str) or typing.get_origin(one) is tuple]


def _converted(name: str, key: str, value: Any, kind: Any) -> Any:
    if not isinstance(value, str):
        return value
    for wanted in _kinds(kind):
        if wanted is bool:
            if value.lower() in ("yes", "true", "no", "false"):
                return value.lower() in ("yes", "true")
            continue
        try:
            if typing.get_origin(wanted) is tuple:
                return tuple(float(part) for part in value.split("+"))
            return wanted(value)
        except ValueError:
            continue
    raise ConfigError(f"{key} of the method '{name}' cannot be '{value}'")
