"""Feature functions of users, by name: what ``@isogloss.feature`` puts here, and nothing else does.

Stored rerankers refer to these functions by name only. Opening one never imports or runs anything: the
function must be here already, or be given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isogloss.io.errors import ConfigError
from isogloss.nbest.check import is_feature_name
from isogloss.rerank.features import FeatureFunction

__all__ = ["Code", "checked_name", "name_of", "register", "registered"]

Code = Callable[..., Any]
"""A function of a user's, or a class of ``FeatureFunction``."""

_REGISTERED: dict[str, Code] = {}


def register(code: Code, name: str) -> None:
    """Let a function or a class be known by this name, in place of what was."""
    _REGISTERED[checked_name(name)] = code


def checked_name(name: str) -> str:
    """Refuse a name that features cannot have, or that says nothing."""
    if not is_feature_name(name) or not set(":,=").isdisjoint(name) or name == "<lambda>":
        raise ConfigError(
            f"'{name}' is not a valid feature name; give one without spaces, ':', ',', '=' and '|||', "
            "as in feature(name='Length')"
        )
    return name


def name_of(code: Code) -> str:
    """The name by which a function or a class of users goes."""
    for name, known in _REGISTERED.items():
        if known is code:
            return name
    if isinstance(code, type) and issubclass(code, FeatureFunction):
        return code.name
    return str(getattr(code, "__name__", type(code).__name__))


def registered(name: str) -> Code | None:
    """What is registered in this process under a name."""
    return _REGISTERED.get(name)
