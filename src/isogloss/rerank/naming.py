"""Features by name: as they are written on a command line, as users register and hand them over.

    NAME                      consensus
    NAME:VALUE                lm:english.arpa
    NAME:VALUE,KEY=VALUE      lm:english.arpa,label=Big

The fields of a function are what can be written after the colon, the first of them without its key.
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
"""A feature as it is written on a command line, or as an object, a class or a function of a user's."""
Features = str | Iterable[FeatureSpec]
"""Features: one string with spaces between them, or one by one."""


@overload
def feature(function: F) -> F: ...
@overload
def feature(*, name: str) -> Callable[[F], F]: ...
def feature(function: F | None = None, *, name: str | None = None) -> F | Callable[[F], F]:
    """Register a Python function as a reranking feature; its column has the name of the function.

    The function gets the source sentence and a candidate, or a candidate alone, as strings, and gives a
    number. A class of ``isogloss.rerank.FeatureFunction``, which sees all candidates at once, is registered
    by the ``name`` that it has. A stored reranker knows the feature by its name only: to use it, register the
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
    """A function by its name and the values of its fields, as text or as what they are."""
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
    """The function of the package or the registered class of that name."""
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
    """Functions as they are written on a command line.

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
    """Functions from whatever form features are asked for in.

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
            _check_free(given.name)  # a stored model would mean the other one
        return given
    if not callable(given):
        raise ConfigError(f"{given!r} is not a feature; give a name, a function or a FeatureFunction")
    name = checked_name(name_of(given))
    _check_free(name)
    return RegisteredFunction(function=name, code=given)
