"""Options are declared once, as fields of a frozen dataclass that derives from ``Options``.

A field declares the name, type, default and range (in its ``Annotated`` type) of an option; the string below
it is the help. The command line, TOML files, checks and their messages, ``isogloss options`` and the
reference pages all come from this declaration.

>>> @dataclass(frozen=True, slots=True, kw_only=True)
... class BeamOptions(Options):
...     size: Annotated[int, AtLeast(1)] = 100
...     order: Literal["monotone", "free"] = "free"
>>> BeamOptions(size=0)
Traceback (most recent call last):
...
isogloss.io.errors.ConfigError: size must be at least 1, got 0
"""

from __future__ import annotations

import ast
import inspect
import math
import sys
import types
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass, replace
from functools import cache
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from isogloss.io.errors import ConfigError
from isogloss.io.sizes import format_size

__all__ = [
    "Above",
    "AtLeast",
    "Between",
    "ByCaller",
    "ByteSize",
    "DefaultText",
    "NamesFiles",
    "Option",
    "Options",
    "Range",
    "Verbatim",
    "declared",
    "every_option",
    "option_named",
]

_PLAIN: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    Path: "a file name",
    PathLike: "a file name",
}
_LISTS = {
    "text": "list of words",
    _PLAIN[Path]: "list of files",
    _PLAIN[int]: "list of whole numbers",
    _PLAIN[float]: "list of numbers",
}


@dataclass(frozen=True, slots=True)
class Range:
    """The range of a numeric option."""

    low: float = -math.inf
    high: float = math.inf
    above: bool = False
    """Whether ``low`` itself is excluded."""
    below: bool = False
    """Whether ``high`` itself is excluded."""

    def __contains__(self, value: float) -> bool:
        low = self.low < value if self.above else self.low <= value
        return low and (value < self.high if self.below else value <= self.high) and math.isfinite(value)

    def __str__(self) -> str:
        low = f"{'above' if self.above else 'at least'} {_number(self.low)}"
        high = f"{'below' if self.below else 'at most'} {_number(self.high)}"
        if self.high == math.inf:
            return low if self.low > -math.inf else "a finite number"
        if self.low == -math.inf:
            return high
        if self.above or self.below:
            return f"{low} and {high}"
        return f"between {_number(self.low)} and {_number(self.high)}"


def _number(value: float) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def AtLeast(low: float) -> Range:  # noqa: N802  # reads as a part of the type
    """Numbers greater than or equal to ``low``."""
    return Range(low=low)


def Above(low: float) -> Range:  # noqa: N802
    """Numbers greater than ``low``."""
    return Range(low=low, above=True)


def Between(low: float, high: float) -> Range:  # noqa: N802
    """Numbers from ``low`` to ``high``, both included."""
    return Range(low=low, high=high)


@dataclass(frozen=True, slots=True)
class DefaultText:
    """What the default means, if the value does not show it: ``the tuner's own``."""

    text: str


@dataclass(frozen=True, slots=True)
class ByteSize:
    """Marks a number of bytes, which may be written as ``500M`` or ``4G``."""


@dataclass(frozen=True, slots=True)
class NamesFiles:
    """The text names files, alone or after a colon or equals sign: in TOML, relative to the TOML file."""


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Marks a list whose items may contain commas, such as regular expressions: every word is one item."""


@dataclass(frozen=True, slots=True)
class ByCaller:
    """Marks a field that is no option: whoever uses the object sets it, such as the threads of a learner."""


class Options:
    """Base of all option classes: checks every field against its declaration."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for option in declared(type(self)):  # type: ignore[arg-type]
            option.check(getattr(self, option.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One declared option."""

    name: str
    """The name of the field; for nested options, its path: ``lm.order``."""
    hint: Any
    """Its type, without annotations."""
    default: Any = MISSING
    range: Range | None = None
    default_text: str = ""
    is_size: bool = False
    """Whether it is a number of bytes, which may be written as ``4G``."""
    is_verbatim: bool = False
    """Whether the items of a list may contain commas."""
    by_caller: bool = False
    """Whether the caller sets it, not the user."""
    owner: type
    """The class that declares it."""

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is MISSING

    @property
    def alternatives(self) -> tuple[Any, ...]:
        """The members of a union without None, or the type itself."""
        return _kinds(self.hint)

    @property
    def optional(self) -> bool:
        """Whether None is allowed."""
        return types.NoneType in get_args(self.hint)

    @property
    def choices(self) -> tuple[str, ...]:
        """The allowed words; empty if any word is allowed."""
        found = [get_args(kind) for kind in self.alternatives if get_origin(kind) is Literal]
        return tuple(word for words in found for word in words if word != "")

    @property
    def shown_default(self) -> str:
        """The default for display; empty if there is none."""
        if self.default_text:
            return self.default_text
        value = self.default
        if value is MISSING or value is None or value == "" or is_dataclass(value):
            return ""
        if isinstance(value, bool):
            return "yes" if value else "no"
        if self.is_size:
            return format_size(value)
        if isinstance(value, tuple | list):
            return ", ".join(map(str, value)) or "none"
        if isinstance(value, Mapping):
            return ", ".join(f"{key}={item}" for key, item in value.items()) or "none"
        return str(value)

    @property
    def help(self) -> str:
        """The help: the string below the field, without code markup."""
        return _docs(self.owner).get(self.name.rpartition(".")[2], "").replace("``", "")

    @property
    def summary(self) -> str:
        """The first sentence of the help."""
        return self.help.partition(". ")[0].rstrip(".") + "."

    @property
    def kind(self) -> str:
        """The allowed values in words: ``a whole number, at least 0``."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if self.is_size:
            return "a size such as 500M or 4G"
        return _described(self.hint) + (f", {self.range}" if self.range is not None else "")

    def check(self, value: Any) -> None:
        """Raise an error if the value has the wrong type, is out of range or is not one of the choices."""
        if value is None:
            if not self.optional:
                raise ConfigError(f"{self.name} must be {self.kind}, got None")
            return
        if self.choices and (not isinstance(value, str) or value not in (*self.choices, self.default)):
            raise ConfigError(f"{self.name} must be one of {', '.join(self.choices)}, got {value!r}")
        plain = [kind for kind in map(_bare, self.alternatives) if kind in _PLAIN]
        if plain and len(plain) == len(self.alternatives) and not _fits(value, plain):
            raise ConfigError(f"{self.name} must be {_PLAIN[plain[0]]}, got {value!r}")
        for number in value if isinstance(value, tuple) else (value,):
            if isinstance(number, int | float) and not isinstance(number, bool):
                if self.range is not None and number not in self.range:
                    raise ConfigError(f"{self.name} must be {self.range}, got {number}")
                if isinstance(number, float) and math.isnan(number):
                    raise ConfigError(f"{self.name} must be a number, got {number}")


@cache
def declared(cls: type[Any]) -> tuple[Option, ...]:
    """The options of a class, in the order of their declaration."""
    hints = get_type_hints(cls, include_extras=True)
    return tuple(_option(cls, field, hints[field.name]) for field in fields(cls) if field.init)


def _option(cls: type, field: Field[Any], hint: Any) -> Option:
    notes: list[Any] = []
    if get_origin(hint) is Annotated:
        hint, *notes = get_args(hint)
    return Option(
        name=field.name,
        hint=hint,
        default=field.default_factory() if field.default_factory is not MISSING else field.default,
        range=next((note for note in notes if isinstance(note, Range)), None),
        default_text=next((note.text for note in notes if isinstance(note, DefaultText)), ""),
        is_size=any(isinstance(note, ByteSize) for note in notes),
        is_verbatim=any(isinstance(note, Verbatim) for note in notes),
        by_caller=any(isinstance(note, ByCaller) for note in notes),
        owner=_declaring(cls, field.name),
    )


def _declaring(cls: type, name: str) -> type:
    return next(base for base in cls.__mro__ if name in inspect.get_annotations(base))


def every_option(cls: type[Any], default: Any = None, prefix: str = "") -> Iterator[Option]:
    """The options of a class, including nested ones, with their effective defaults.

    ``default`` is an object whose values are the defaults; by default those of the class.
    """
    for option in declared(cls):  # type: ignore[arg-type]
        if option.by_caller:
            continue
        value = option.default if default is None else getattr(default, option.name)
        inner: Any = next((kind for kind in option.alternatives if is_dataclass(kind)), None)
        if inner is not None:
            inside = value if isinstance(value, inner) else None
            yield from every_option(inner, inside, f"{prefix}{option.name}.")
            continue
        yield replace(
            option,
            name=f"{prefix}{option.name}",
            default=value,
            default_text=option.default_text if value == option.default else "",
        )


def option_named(cls: type, name: str) -> Option:
    """An option by its name or, for a nested option, its path."""
    found = next((option for option in every_option(cls) if option.name == name), None)
    if found is None:
        raise ConfigError(f"no option is called '{name}'")
    return found


@cache
def _docs(cls: type) -> Mapping[str, str]:
    """The strings below the fields of a class."""
    tree = _classes(cls.__module__).get(cls.__qualname__)
    found = {}
    for field, below in pairwise(tree.body if tree is not None else ()):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
            and isinstance(below.value.value, str)
        ):
            found[field.target.id] = " ".join(inspect.cleandoc(below.value.value).split())
    return found


@cache
def _classes(module: str) -> Mapping[str, ast.ClassDef]:
    """The classes of a module in source code; none if there is no source code, and then only help is missing.

    ``inspect.getsource`` parses the module again for each class and takes ten times as long.
    """
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, SyntaxError, TypeError):
        return {}
    return {item.name: item for item in tree.body if isinstance(item, ast.ClassDef)}


def _described(hint: Any) -> str:
    """A type in words."""
    kinds = [_bare(kind) for kind in _kinds(hint)]
    if PathLike in kinds or Path in kinds:
        return _PLAIN[Path]
    for kind in kinds:
        if kind in _PLAIN:
            return _PLAIN[kind]
        if get_origin(kind) is tuple:
            return _LISTS.get(_described(get_args(kind)[0]), "list")
        if _is_mapping(kind):
            inner = get_args(kind)[1]
            if get_args(inner) == (float, float):
                return "table of pairs"
            return "table of files" if _described(inner) == _PLAIN[Path] else "table"
    return "table of options"


def _kinds(hint: Any) -> tuple[Any, ...]:
    kinds = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    return tuple(kind for kind in kinds if kind is not types.NoneType)


def _bare(kind: Any) -> Any:
    """``PathLike`` for ``PathLike[str]``; other types unchanged."""
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    return PathLike if get_origin(kind) is PathLike else kind


def _is_mapping(kind: Any) -> bool:
    origin = get_origin(kind)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _fits(value: Any, kinds: list[Any]) -> bool:
    if isinstance(value, bool):
        return bool in kinds
    if isinstance(value, int):
        return int in kinds or float in kinds
    return isinstance(value, tuple(kinds))
