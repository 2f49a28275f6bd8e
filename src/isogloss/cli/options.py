"""``isogloss options``: every option of a verb, including nested ones."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from isogloss.cli import console
from isogloss.cli.declared import DECLARED, Declared, Json
from isogloss.io.errors import ConfigError

__all__ = ["declared_by", "options"]


def options(
    *verb: Annotated[str, Parameter(help="A verb, such as train or 'lm build'; all verbs if not given.")],
    json: Json = False,
) -> None:
    """List every option of a verb: its name in a TOML file and for --set, its type, its default.

    On the command line, lm.order is --lm.order 4 or --set lm.order=4; in a TOML file, order = 4 below [lm].
    """
    found = declared_by(verb)
    rows = [
        {
            "name": option.name,
            "takes": option.kind,
            "default": option.shown_default,
            "help": option.help,
        }
        for option in found.options.values()
    ]
    if json:
        console.print_json(rows)
        return
    from rich.table import Table

    table = Table("option", "takes", "default", "what it does", box=None)
    for row in rows:
        table.add_row(*row.values())
    console.print_table(table)


def declared_by(verb: tuple[str, ...]) -> Declared:
    """The declarations of a verb."""
    from isogloss.cli.main import verbs

    words = tuple(word for words in verb for word in words.split())
    known = {
        words: declared
        for words, app in verbs()
        if isinstance(declared := getattr(app.default_command, DECLARED, None), Declared) and declared.options
    }
    if words not in known:
        names = ", ".join(" ".join(words) for words in known)
        raise ConfigError(f"there are no options for a verb '{' '.join(words)}'; there are {names}")
    return known[words]
