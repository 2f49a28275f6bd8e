"""Parameters shared by several verbs, so that they have the same name everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from isogloss.cli.declared import heading

__all__ = ["OptionalReference", "Reference", "Scratch", "TokenizedText", "UseMatches", "Weights", "output_to"]

_REFERENCE = Parameter(
    name="--reference",
    metavar="FILE...",
    group=heading("Data"),
    help="Reference translations, one file per translator.",
)
Reference = Annotated[list[Path], _REFERENCE]
OptionalReference = Annotated[list[Path] | None, _REFERENCE]

TokenizedText = Annotated[
    Path,
    Parameter(help="Tokenized text, one sentence per line: plain, gzip or zstd; - is standard input."),
]
Scratch = Annotated[
    Path | None,
    Parameter(
        metavar="FOLDER",
        group=heading("Resources"),
        show_default="the system's temporary folder",
        help="Folder for temporary files.",
    ),
]
Weights = Annotated[
    Path | None,
    Parameter(
        metavar="FILE",
        group=heading("Search"),
        help="Weights to use instead of the system's own, one 'name TAB number' per line.",
    ),
]
UseMatches = Annotated[
    bool,
    Parameter(
        negative="--no-matches",
        show_default="yes",
        group=heading("Choice"),
        help="Use what the training text has for the same source, or for a similar one.",
    ),
]


def output_to(help: str, metavar: str = "FILE") -> Parameter:
    """The option ``-o`` or ``--output``: where to write the result."""
    return Parameter(name=["--output", "-o"], metavar=metavar, group=heading("Output"), help=help)
