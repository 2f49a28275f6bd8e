"""The pages of the Python API, made from ``__all__`` and docstrings.

Names are read from the package while the site is built, so that a new public name appears by itself.
``isogloss`` comes first, then each package and module inside it. A name that is public in two places is
described in the first and linked from the second.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from dataclasses import is_dataclass
from types import ModuleType
from typing import Any

import isogloss

HIDDEN = {"cli", "demo"}  # commands have a page of their own
FRONT = "reference/python.md"
KINDS = ("Functions", "Classes", "Options", "Errors", "Constants")


def api_pages() -> dict[str, str]:
    """Names of pages, with their text in Markdown."""
    described: dict[int, str] = {}
    front = [
        "---",
        "tocdepth: 3",
        "---",
        "",
        "# Python API",
        "",
        "The public names of `import isogloss`, with the docstrings that `help()` shows.",
        *contents(isogloss, described),
        "",
        "## Packages",
        "",
        "You can use each part by itself.",
        "",
        "| package | for |",
        "|---|---|",
    ]
    pages, titles = {}, []
    for module in public_modules(isogloss):
        name = module.__name__.removeprefix("isogloss.")
        summary = (inspect.getdoc(module) or "").partition("\n\n")[0].replace("\n", " ").replace("``", "`")
        front.append(f"| [`isogloss.{name}`](python/{name}.md) | {summary} |")
        titles.append(f"python/{name}")
        pages[f"reference/python/{name}.md"] = "\n".join(module_page(module, described)) + "\n"
    front += ["", "```{toctree}", ":hidden:", "", *titles, "```", ""]
    return {FRONT: "\n".join(front), **pages}


def public_modules(package: ModuleType) -> Iterator[ModuleType]:
    """Modules directly inside a package that say what is public, or contain such modules."""
    for found in pkgutil.iter_modules(package.__path__):
        if found.name.startswith("_") or (package is isogloss and found.name in HIDDEN):
            continue
        module = importlib.import_module(f"{package.__name__}.{found.name}")
        if hasattr(module, "__all__") or hasattr(module, "__path__"):
            yield module


def module_page(module: ModuleType, described: dict[int, str]) -> list[str]:
    """A module and its names; a package that lists no names shows its modules instead."""
    listed = hasattr(module, "__all__")
    lines = ["---", f"tocdepth: {3 if listed else 4}", "---", ""]  # names, without the members of classes
    lines += [f"# {module.__name__}", "", *directive("automodule", module.__name__, "no-members")]
    if listed:
        return [*lines, *contents(module, described)]
    for inner in public_modules(module):
        if hasattr(inner, "__all__"):
            lines += ["", f"## {inner.__name__}", ""]
            lines += [*directive("automodule", inner.__name__, "no-members"), *contents(inner, described, 3)]
    return lines


def contents(module: ModuleType, described: dict[int, str], level: int = 2) -> list[str]:
    """The names in ``__all__``, grouped by kind."""
    groups: dict[str, list[str]] = {kind: [] for kind in KINDS}
    elsewhere = []
    for name in module.__all__:
        value = getattr(module, name)
        place = f"{module.__name__}.{name}"
        kind, entry = described_as(value, place)
        if kind != "Constants" and described.setdefault(id(value), place) != place:
            elsewhere.append(f"- {{py:obj}}`{place} <{described[id(value)]}>`")
        else:
            groups[kind] += ["", *entry]
    lines = []
    for kind, entries in groups.items():
        lines += ["", f"{'#' * level} {kind}", *entries] if entries else []
    if elsewhere:
        lines += ["", f"{'#' * level} Described elsewhere", "", *elsewhere]
    return lines


def described_as(value: Any, place: str) -> tuple[str, list[str]]:
    """The kind of a public name, and the directive that describes it."""
    if inspect.isclass(value):
        if issubclass(value, BaseException):
            return "Errors", directive("autoexception", place, "members", "show-inheritance")
        options = is_dataclass(value) and value.__name__.endswith("Options")
        return "Options" if options else "Classes", directive("autoclass", place, "members", "undoc-members")
    if inspect.isroutine(value):
        return "Functions", directive("autofunction", place)
    short = isinstance(value, str | int | float) and len(repr(value)) < 80
    return "Constants", directive("autodata", place, *([] if short else ["no-value"]))


def directive(name: str, argument: str, *options: str) -> list[str]:
    """A directive of autodoc; docstrings are reStructuredText, so it stands in a block of that."""
    return ["```{eval-rst}", f".. {name}:: {argument}", *(f"   :{option}:" for option in options), "```"]
