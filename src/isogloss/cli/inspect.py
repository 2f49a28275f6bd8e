"""``isogloss inspect``: the content of a stored folder, and whether it is intact."""

from __future__ import annotations

import json as json_format
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from isogloss.cli import console
from isogloss.cli.declared import Json, declares
from isogloss.decoder import inspect_stored
from isogloss.report.verdict import Verdict
from isogloss.report.verdict_text import verdict_lines
from isogloss.storage import Inspection

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["inspect"]

_LONGEST = 100  # characters of a value that are shown


@declares()
def inspect(
    folder: Annotated[str, Parameter(help="Engine, rule table, language model or any other stored folder.")],
    /,
    *,
    verify: Annotated[
        bool, Parameter(help="Read everything and compare it with the checksums; report damage as an error.")
    ] = False,
    json: Json = False,
) -> None:
    """Show how good an engine is, and what a stored folder contains.

    For an engine that 'isogloss train' made, the verdict comes first: scores beside a translation memory, and
    what would help. Then come content, size and origin of the folder and its parts.
    """
    found = inspect_stored(folder, verify=verify)
    verdict = Verdict.read(folder)
    if json:
        own = {} if verdict is None else {"verdict": verdict.to_dict()}
        console.print_json({**own, **found.to_json()})
        return
    if verdict is not None:
        for line in verdict_lines(verdict):
            console.print_line(line)
        console.print_line("")
    _print(found)


def _print(found: Inspection, heading: str = "") -> None:
    from rich.table import Table

    facts = Table(box=None, show_header=False, pad_edge=False)
    if heading:
        facts.add_row("")
        facts.add_row(_text(heading))
    facts.add_row("kind", _text(f"{found.kind}, format version {found.version}"))
    facts.add_row("made by", _text(found.made_by))
    facts.add_row("size", _size(found.bytes))
    if found.verified is not None:
        facts.add_row("verified", f"{found.verified} arrays are as they were written")
    for name, value in found.attributes.items():
        facts.add_row(_text(name), _text(_described(name, value)))
    console.print_table(facts)
    if found.arrays:
        _print_arrays(found)
    for name, part in found.parts.items():
        _print(part, f"{name}/")


def _print_arrays(found: Inspection) -> None:
    from rich.table import Table

    table = Table("array", "type", "shape", "size", box=None, pad_edge=False)
    table.columns[3].justify = "right"
    for array in found.arrays:
        shape = " x ".join(f"{n:,}" for n in array.shape) or "one value"
        table.add_row(array.name, array.dtype.lstrip("<|"), shape, _size(array.bytes))
    console.print_table(table)


def _described(name: str, value: Any) -> str:
    if not isinstance(value, Mapping):
        return _shown(value)
    items = list(value.items())
    if name == "weights":
        items.sort(key=lambda item: -abs(item[1]))
    return ", ".join(f"{key} {_shown(inner)}" for key, inner in items)


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json_format.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _text(value: str) -> Text:
    """Escape control characters: a file must not control the terminal."""
    from rich.text import Text

    return Text("".join(c if c.isprintable() else "\ufffd" for c in value))


def _size(count: int) -> str:
    for power, unit in ((3, "GB"), (2, "MB"), (1, "kB")):
        if count >= 1000**power:
            return f"{count / 1000**power:,.1f} {unit}"
    return f"{count} bytes"
