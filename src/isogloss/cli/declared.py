"""Command-line options from option classes: a verb names the class, and every field becomes an option.

``--set lm.order=4`` sets any of them, also inside others; ``--config FILE`` reads them from a TOML file. What
is typed on the command line overrides the file.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, Optional, TypeVar, get_args, get_origin, get_type_hints

from cyclopts import Group, Parameter

from isogloss.cli import console
from isogloss.io.config import Settings, check_types, from_settings, placed, read_toml, with_table
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.options import Option, every_option

__all__ = ["DECLARED", "Changes", "Declared", "Json", "declares", "flag", "heading"]

F = TypeVar("F", bound=Callable[..., Any])
Groups = Mapping[str, Sequence[str]]


@functools.cache
def heading(name: str) -> Group:
    """A heading in the help. The same name gives the same heading object everywhere."""
    order = (
        "Data",
        "Input",
        "Catalog",
        "Text",
        "Output",
        "Model",
        "Rules",
        "Selection",
        "Search",
        "Choice",
        "Features",
        "Learning",
        "Tuning",
        "Constraints",
        "Metric",
        "Comparison",
        "Local training",
    )
    last = {"Resources": 80, "More": 90}
    return Group(name, sort_key=last.get(name, order.index(name) if name in order else len(order)))


Json = Annotated[bool, Parameter(group=heading("More"), show_default=False, help="Print the result as JSON.")]

_SET = Annotated[
    list[str] | None,
    Parameter(
        name="--set",
        negative=(),
        metavar="NAME=VALUE",
        group=heading("More"),
        help="Set any other option by its name, as in a TOML file; 'isogloss options' lists them all.",
    ),
]
_HIDDEN_SET = Annotated[_SET, Parameter(show=False)]
_CONFIG = Annotated[
    Path | None,
    Parameter(
        name="--config",
        metavar="FILE",
        group=heading("More"),
        help="TOML file with any of these options; command-line options override the file.",
    ),
]
_DESCRIPTION = Annotated[
    Path,
    Parameter(
        name="--config",
        metavar="FILE",
        group=heading("Data"),
        help="TOML file that describes the data and the task; 'isogloss options' lists its keys.",
    ),
]
DECLARED = "declared"
"""Attribute in which a verb keeps its declarations."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Options that override others: the verb gets only those that were given, as settings.

    What is not given stays as something else has it, which ``default`` names: the system's, the memory's.
    """

    cls: type
    default: str
    prefix: str = ""
    """Table for these options: with ``local``, ``size`` becomes ``--local.size``."""


class Declared:
    """The option classes of a verb, by the names of its parameters."""

    def __init__(
        self,
        classes: Mapping[str, type | Changes],
        groups: Groups,
        *,
        only_shown: bool = False,
        names: Mapping[str, str] = MappingProxyType({}),
        own: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.classes, self.groups, self.names, self.own = classes, groups, names, own
        self.options: dict[str, Option] = {}
        for cls in classes.values():
            self.options |= {option.name: option for option in _options(cls)}
        shown = {name: group for group, names in groups.items() for name in names}
        strange = sorted(shown.keys() - self.options.keys())
        if strange:
            raise KeyError(f"no option is called {strange[0]}")
        self.hidden = [name for name in self.options if name not in shown]
        flags = [*shown, *([] if only_shown else self.hidden)]
        self.flags = {name: shown.get(name, "") for name in flags}

    def flag(self, name: str) -> str:
        """The flag of an option."""
        return self.names.get(name) or flag(name)

    def parameters(self) -> list[inspect.Parameter]:
        """A keyword parameter for each option, None by default."""
        found = []
        for name, group in self.flags.items():
            option = self.options[name]
            note = Parameter(
                name=self.flag(name),
                help=f"{option.summary} Required." if option.required else option.summary,
                show=bool(group),
                show_default=option.shown_default or False,
                negative=f"--no-{self.flag(name)[2:]}"
                if option.default is not False and bool in option.alternatives
                else (),
                consume_multiple=_is_list(option),
                metavar=_metavar(option),
                required=False,
                group=heading(group) if group else None,
            )
            found.append(_keyword(name.replace(".", "__"), Annotated[Optional[_typed(option)], note]))  # noqa: UP045
        return found

    def build(
        self, given: Mapping[str, Any], config: Path | None, assignments: Sequence[str]
    ) -> dict[str, Any]:
        """The option objects for a command line, by the names of the verb's parameters."""
        settings: Settings = {}
        if config is not None:
            settings = self._read(config)
        typed = [self._typed(name, value) for name, value in given.items() if value is not None]
        changes = [*typed, *map(self._assignment, assignments)]
        for at, (name, _) in enumerate(changes):
            if name in (known for known, _ in changes[:at]):
                raise ConfigError(f"{self.flag(name)} is given twice: keep one of them")
        for name, value in changes:
            settings = with_table(settings, name, value)
        built = {}
        for into, cls in self.classes.items():
            try:
                built[into] = _made(cls, settings)
            except ConfigError as error:
                names = {option.name.partition(".")[0] for option in _options(cls)}
                if config is not None and names.isdisjoint(name.partition(".")[0] for name, _ in changes):
                    raise DataFormatError(str(error), config) from None
                raise ConfigError(self.in_flags(str(error))) from None
        return built

    def _read(self, config: Path) -> Settings:
        settings: Settings = read_toml(config)
        for cls in self.classes.values():
            if (current := getattr(cls, "current_names", None)) is not None:
                settings = current(settings, console.note)
        tables = {name.partition(".")[0] for name in self.options}
        for name in settings:
            if name not in tables:
                raise DataFormatError(f"no option is called '{name}'{_meant(name, tables)}", config)
        found: Settings = {}
        for cls in self.classes.values():
            table, part = _part(cls, settings)
            plain = cls.cls if isinstance(cls, Changes) else cls
            part = placed(plain, part, config.parent)
            try:
                check_types(plain, part)
            except ConfigError as error:
                raise DataFormatError(str(error), config) from None
            found |= {table: {**found.get(table, {}), **part}} if table else part
        return found

    def _typed(self, name: str, value: Any) -> tuple[str, Any]:
        try:
            return name, _value(self.options[name], value)
        except ConfigError as error:
            raise ConfigError(self.in_flags(str(error))) from None

    def _assignment(self, text: str) -> tuple[str, Any]:
        name, equals, written = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name:
            raise ConfigError(f"--set takes NAME=VALUE, such as lm.order=4, got '{text}'")
        if name not in self.options and not any(known.startswith(f"{name}.") for known in self.options):
            near = difflib.get_close_matches(name, self.options, 1)
            meant = f"; did you mean {near[0]}?" if near else ""
            raise ConfigError(
                f"--set: no option is called '{name}'{meant}; 'isogloss options' lists them all"
            )
        option = self.options.get(name)
        is_list = option is not None and _is_list(option)
        try:
            value = tomllib.loads(f"value = {written}")["value"]
        except tomllib.TOMLDecodeError:  # words need no quotes
            return self._typed(name, [written]) if is_list else (name, written)
        return name, [value] if is_list and not isinstance(value, list | dict) else value

    def in_flags(self, message: str) -> str:
        """The message with options as they are typed.

        Single words may be words of the language too, so they count only in `quotes` or before "must".
        """
        typed = {**{name: self.flag(name) for name in self.flags}, **self.own}
        for name in sorted(typed, key=len, reverse=True):
            end = r"(?![\w.])" if re.search(r"[._]", name) else r"(?= must| is missing)"
            message = message.replace(f"'{name}' is missing", f"{typed[name]} is missing")
            message = message.replace(f"`{name}`", typed[name])
            message = re.sub(rf"(?<![\w.'-]){re.escape(name)}{end}", typed[name], message)
        return message


def _meant(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean {near[0]}?" if near else "; 'isogloss options' lists them all"


def _options(cls: type | Changes) -> Iterator[Option]:
    if not isinstance(cls, Changes):
        yield from every_option(cls)
        return
    prefix = f"{cls.prefix}." if cls.prefix else ""
    for option in every_option(cls.cls):
        yield replace(option, name=prefix + option.name, default=None, default_text=cls.default)


def _part(cls: type | Changes, settings: Settings) -> tuple[str, Settings]:
    """The table for the options of a class, and the settings that belong to it."""
    table, plain = (cls.prefix, cls.cls) if isinstance(cls, Changes) else ("", cls)
    names = {field.name for field in fields(plain)}
    inside = settings.get(table, {}) if table else settings
    return table, {name: value for name, value in inside.items() if name in names}


def _made(cls: type | Changes, settings: Settings) -> Any:
    """Make the options; in some classes, defaults depend on other options."""
    _, part = _part(cls, settings)
    if isinstance(cls, Changes):
        check_types(cls.cls, part)
        return part
    own = getattr(cls, "from_settings", None)
    return own(part, console.note) if own is not None else from_settings(cls, part)


def declares(
    groups: Groups | None = None,
    *,
    config: bool | Literal["required"] = True,
    only_shown: bool = False,
    names: Mapping[str, str] = MappingProxyType({}),
    **classes: type | Changes,
) -> Callable[[F], F]:
    """Give a verb the options of the classes; it receives one object of each class.

    ``classes`` are by the names of the verb's parameters. ``groups`` are the options that the help shows, by
    heading; by default all but those inside other options, under "Options". Others are accepted too, unless
    ``only_shown``, and all of them through ``--set``. ``names`` are flags that are not called like the
    option. ``config`` is whether there is ``--config``, or that it must be given. A message about an option
    names it as it is typed, whoever raises it.
    """

    def decorate(verb: F) -> F:
        chosen = groups
        if chosen is None:
            every = (option.name for cls in classes.values() for option in _options(cls))
            chosen = {"Options": [name for name in every if "." not in name]}
        hints = get_type_hints(verb, include_extras=True)
        own = [
            _shown(parameter.replace(annotation=hints.get(name, parameter.annotation)))
            for name, parameter in inspect.signature(verb).parameters.items()
            if name not in classes
        ]
        own_flags = {parameter.name: _own_flag(parameter) for parameter in own if not _by_place(parameter)}
        declared = Declared(classes, chosen, only_shown=only_shown, names=names, own=own_flags)
        added = declared.parameters()
        more = [_keyword("set", _SET if declared.hidden else _HIDDEN_SET)] if classes else []
        if config == "required":
            more.append(_keyword("config", _DESCRIPTION).replace(default=inspect.Parameter.empty))
        elif classes and config:
            more.append(_keyword("config", _CONFIG))
        typed = [parameter.name for parameter in added]

        @functools.wraps(verb)
        def wrapped(*arguments: Any, **keywords: Any) -> Any:
            given = {name.replace("__", "."): keywords.pop(name, None) for name in typed}
            built = declared.build(given, keywords.pop("config", None), keywords.pop("set", None) or ())
            try:
                return verb(*arguments, **built, **keywords)
            except ConfigError as error:
                raise ConfigError(declared.in_flags(str(error))) from error

        del wrapped.__wrapped__  # its signature is another one
        parameters = sorted([*own, *added, *more], key=lambda parameter: parameter.kind)
        wrapped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        wrapped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        setattr(wrapped, DECLARED, declared)
        return wrapped  # type: ignore[return-value]

    return decorate


def flag(name: str) -> str:
    """An option as it is typed.

    >>> flag("beam_size"), flag("lm.order")
    ('--beam-size', '--lm.order')
    """
    return "--" + name.replace("_", "-")


def _shown(parameter: inspect.Parameter) -> inspect.Parameter:
    """Show the default as for declared options: nothing for False, yes for True."""
    if not isinstance(parameter.default, bool):
        return parameter
    note = Parameter(show_default="yes" if parameter.default else False)
    return parameter.replace(annotation=Annotated[parameter.annotation, note])


def _by_place(parameter: inspect.Parameter) -> bool:
    return parameter.kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)


def _own_flag(parameter: inspect.Parameter) -> str:
    """The flag of one of the verb's own parameters."""
    notes = [
        note for note in getattr(parameter.annotation, "__metadata__", ()) if isinstance(note, Parameter)
    ]
    names = [name for note in notes for name in note.name or () if name.startswith("--")]
    return names[0] if names else flag(parameter.name)


def _keyword(name: str, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _is_list(option: Option) -> bool:
    return any(get_origin(kind) is tuple or _is_table(kind) for kind in option.alternatives)


def _is_table(kind: Any) -> bool:
    origin = get_origin(kind)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _typed(option: Option) -> Any:
    """The type that the command line converts to."""
    if option.choices:
        return Literal[tuple(option.choices)]
    if _is_list(option):
        return list[str]
    return bool if bool in option.alternatives else str  # Cyclopts would take 1.5 for a whole number


def _metavar(option: Option) -> str | None:
    if option.choices:
        return "NAME"
    if option.is_size:
        return "SIZE"
    if option.is_verbatim:
        return "TEXT..."
    kind = option.kind.split(",")[0]
    names = {
        "a file name": "FILE",
        "list of files": "FILE...",
        "a whole number": "N",
        "a number": "NUMBER",
        "list of words": "NAME...",
        "table": "NAME=VALUE...",
        "table of files": "NAME=FILE...",
        "list of whole numbers": "N...",
        "list of numbers": "NUMBER...",
        "table of pairs": "NAME=NUMBER:NUMBER...",
        "list": "VALUE...",
        "text": "TEXT",
    }
    return names.get(kind)


def _value(option: Option, value: Any) -> Any:
    """Convert command-line words to settings: tables from NAME=VALUE, pairs from A:B, lists also from
    commas."""
    if isinstance(value, str):
        kinds = option.alternatives
        number = next((kind for kind in (int, float) if kind in kinds and not option.is_size), None)
        return value if number is None or str in kinds else _number(option, number, value)
    if not isinstance(value, list):
        return value
    for kind in option.alternatives:
        if _is_table(kind):
            if get_args(get_args(kind)[1]) == (float, float):
                return dict(_numbered(option, text) for text in value)
            return dict(_two(option, text, "=") for text in value)
        inner = get_args(kind)[:1] if get_origin(kind) is tuple else ()
        if inner and get_origin(inner[0]) is tuple:
            return [list(_two(option, text, ":", last=True)) for text in value]
        if inner == (str,) and not option.is_verbatim:
            return [] if value == ["none"] else _between_commas(value)
        if inner and inner[0] in (int, float):
            return [_number(option, inner[0], word) for word in _between_commas(value)]
    return value


def _numbered(option: Option, text: str) -> tuple[str, list[float]]:
    """``NAME=NUMBER:NUMBER``; names may hold ``=`` too."""
    name, equals, written = text.rpartition("=")
    try:
        numbers = [float(number) for number in written.split(":")]
    except ValueError:
        numbers = []
    if not equals or len(numbers) != 2:
        raise ConfigError(f"`{option.name}` takes NAME=NUMBER:NUMBER, got '{text}'")
    return name, numbers


def _between_commas(texts: Iterable[str]) -> list[str]:
    return [word.strip() for text in texts for word in text.split(",") if word.strip()]


def _number(option: Option, kind: type[int] | type[float], word: str) -> int | float:
    try:
        return kind(word)
    except ValueError:
        kinds = f"a {option.kind}" if _is_list(option) else option.kind
        raise ConfigError(f"{option.name} must be {kinds}, got '{word}'") from None


def _two(option: Option, text: str, separator: str, *, last: bool = False) -> tuple[str, str]:
    first, found, second = text.rpartition(separator) if last else text.partition(separator)
    if not found or not first or not second:
        raise ConfigError(f"`{option.name}` takes two values separated by '{separator}', got '{text}'")
    return first, second
