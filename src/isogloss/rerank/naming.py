"""Feature specifications: as on the command line, registered, or passed by users.

    NAME                      consensus
    NAME:VALUE                lm:english.arpa
    NAME:VALUE,KEY=VALUE      lm:english.arpa,label=Big

The fields of a function can be written after the colon, the first one without its key.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING
from typing import Any, TypeVar, overload

import numpy as np

from isogloss.io.errors import ConfigError
from isogloss.rerank.features import FeatureFunction, own_fields
from isogloss.rerank.functions import FUNCTIONS
from isogloss.rerank.functions.registered import RegisteredFunction
from isogloss.rerank.registry import Code, checked_name, name_of, register, registered

__all__ = ["FeatureSpec", "Features", "as_functions", "feature", "function_named", "parse_features"]

F = TypeVar("F", bound=Code)

FeatureSpec = str | FeatureFunction | type[FeatureFunction] | Callable[..., float]
"""A feature: a specification as on the command line, an object, a class or a user's function."""
Features = str | Iterable[FeatureSpec]
"""Features: one string separated by spaces, or a sequence."""


@overload
def feature(function: F) -> F: ...
@overload
def feature(*, name: str) -> Callable[[F], F]: ...
def feature(function: F | None = None, *, name: str | None = None) -> F | Callable[[F], F]:
    """Register a Python function as a reranking feature; its column has the name of the function.

    The function takes the source sentence and a candidate, or only a candidate, as strings, and returns a
    number. A subclass of ``isogloss.rerank.FeatureFunction``, which gets all candidates at once, is
    registered under its ``name``. A stored reranker has only the name of the feature: to use it, register the
    function in that process too, or pass it to ``Reranker.load(path, functions=[...])``.

    >>> @feature
    ... def question_mark(source: str, candidate: str) -> float:
    ...     return float(source.endswith("?") == candidate.endswith("?"))
    >>> question_mark("who ?", "wer ?")
    1.0
    >>> @feature(name="Shouting")
    ... def upper(candidate: str) -> float:
    ...     return float(candidate.isupper())
    """

    def decorate(given: F) -> F:
        chosen = name or name_of(given)
        if isinstance(given, type) and issubclass(given, FeatureFunction) and chosen != given.name:
            raise ConfigError(
                f"the class is named '{given.name}'; to call it '{chosen}', change the name in the class"
            )
        _check_free(chosen)
        register(given, chosen)
        return given

    return decorate if function is None else decorate(function)


def _check_free(name: str) -> None:
    if name in FUNCTIONS:
        raise ConfigError(f"'{name}' is a built-in feature of Isogloss; choose another name")


def function_named(name: str, options: Mapping[str, Any]) -> FeatureFunction:
    """Make a function from its name and the values of its fields, as text or as objects."""
    function = _class_named(name)
    if function is None:
        if registered(name) is not None:
            return function_named("function", {"function": name, **options})
        raise ConfigError(
            f"no feature function is called '{name}'; known are: {', '.join(sorted(FUNCTIONS))}; "
            "functions of your own are registered with @isogloss.feature"
        )
    known = {field.name: field for field in own_fields(function)}
    for key in options:
        if key not in known:
            raise ConfigError(f"the feature function '{name}' has no '{key}'; it has: {', '.join(known)}")
    for key, field in known.items():
        if key not in options and field.default is MISSING:
            raise ConfigError(f"the feature function '{name}' needs a '{key}': write {name}:{key.upper()}")
    hints = typing.get_type_hints(function)
    return function(**{key: _converted(name, key, value, hints[key]) for key, value in options.items()})


def _class_named(name: str) -> type[FeatureFunction] | None:
    """The built-in function or registered class with this name."""
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    found = registered(name)
    return found if isinstance(found, type) and issubclass(found, FeatureFunction) else None


def _converted(name: str, key: str, value: Any, kind: Any) -> Any:
    kinds = typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    for wanted in kinds:
        if value is None and wanted is types.NoneType:
            return None
        if wanted in (int, float, str) and value is not None:
            try:
                converted = wanted(value)
            except ValueError:
                continue
            if wanted is not float or np.isfinite(converted):
                return converted
    raise ConfigError(f"{key} of the feature function '{name}' cannot be {value!r}")


def parse_features(specs: Iterable[str]) -> list[FeatureFunction]:
    """Parse functions as written on the command line.

    >>> [function.written() for function in parse_features(["lengths", "lm:english.arpa,label=Big"])]
    ['lengths', 'lm:english.arpa,label=Big']
    """
    functions = []
    for spec in specs:
        name, _, rest = spec.partition(":")
        options: dict[str, str] = {}
        for place, part in enumerate(rest.split(",") if rest else []):
            key, equals, value = part.partition("=")
            if not equals and place == 0:
                function = _class_named(name)
                key, value = ("" if function is None else own_fields(function)[0].name), part
            elif not equals or not key:
                raise ConfigError(f"'{spec}': after a comma KEY=VALUE is expected, found '{part}'")
            if key in options:
                raise ConfigError(f"'{spec}': '{key}' is given twice")
            options[key] = value
        functions.append(function_named(name, options))
    return functions


def as_functions(features: Features) -> list[FeatureFunction]:
    """Convert any form of features to functions.

    >>> [function.written() for function in as_functions("lengths:label=L consensus")]
    ['lengths:label=L', 'consensus']
    """
    if isinstance(features, str):
        return parse_features(features.split())
    return [_as_function(one) for one in features]


def _as_function(given: FeatureSpec) -> FeatureFunction:
    if isinstance(given, str):
        return parse_features([given])[0]
    if isinstance(given, type) and issubclass(given, FeatureFunction):
        given = given()  # type: ignore[call-arg]  # complains itself if it needs something
    if isinstance(given, FeatureFunction):
        if FUNCTIONS.get(given.name) is not type(given):
            _check_free(given.name)  # in a stored model, the name would refer to the other one
        return given
    if not callable(given):
        raise ConfigError(f"{given!r} is not a feature; give a name, a function or a FeatureFunction")
    name = checked_name(name_of(given))
    _check_free(name)
    return RegisteredFunction(function=name, code=given)
