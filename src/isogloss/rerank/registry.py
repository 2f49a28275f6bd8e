"""The user's feature functions by name, registered with ``@isogloss.feature``.

Stored rerankers refer to these functions by name only. Opening one never imports or runs anything: the
function must be registered already, or be passed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isogloss.io.errors import ConfigError
from isogloss.nbest.check import is_feature_name
from isogloss.rerank.features import FeatureFunction

__all__ = ["Code", "checked_name", "name_of", "register", "registered"]

Code = Callable[..., Any]
"""A user's function, or a subclass of ``FeatureFunction``."""

_REGISTERED: dict[str, Code] = {}


def register(code: Code, name: str) -> None:
    """Register a function or class under this name, replacing an earlier one."""
    _REGISTERED[checked_name(name)] = code


def checked_name(name: str) -> str:
    """Raise an error for an invalid or meaningless feature name."""
    if not is_feature_name(name) or not set(":,=").isdisjoint(name) or name == "<lambda>":
        raise ConfigError(
            f"'{name}' is not a valid feature name; give one without spaces, ':', ',', '=' and '|||', "
            "as in feature(name='Length')"
        )
    return name


def name_of(code: Code) -> str:
    """The name of a user's function or class."""
    for name, known in _REGISTERED.items():
        if known is code:
            return name
    if isinstance(code, type) and issubclass(code, FeatureFunction):
        return code.name
    return str(getattr(code, "__name__", type(code).__name__))


def registered(name: str) -> Code | None:
    """The function or class registered under a name in this process."""
    return _REGISTERED.get(name)
