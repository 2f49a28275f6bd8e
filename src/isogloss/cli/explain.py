"""``isogloss explain``: why a sentence is translated as it is."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from isogloss.cli import console

__all__ = ["explain"]


class _Format(StrEnum):
    text = "text"
    json = "json"
    html = "html"


def explain(
    system: Annotated[str, typer.Argument(metavar="DIR", help="Stored system.")],
    sentence: Annotated[str, typer.Argument(metavar="SENTENCE", help="A tokenised sentence, in quotes.")],
    format: Annotated[_Format, typer.Option(help="text, json, or html: a page of its own.")] = _Format.text,
    strongest: Annotated[int, typer.Option(metavar="N", help="Single features shown per list.")] = 10,
) -> None:
    """Show the rules behind a translation and what every feature contributed to its score."""
    from isogloss.search import load
    from isogloss.search.explain import explain as run

    found = run(load(system), sentence)
    if format is _Format.json:
        console.print_json(found.to_json())
    elif format is _Format.html:
        sys.stdout.write(found.to_html(strongest))
    else:
        sys.stdout.write(found.to_text(strongest) + "\n")
