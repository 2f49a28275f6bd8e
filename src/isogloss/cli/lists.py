"""What verbs about n-best lists have in common: their parameters, and what they say of reading and
writing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from isogloss.cli import console
from isogloss.cli.declared import heading
from isogloss.cli.parameters import output_to
from isogloss.nbest import FormatName, NbestList, NbestStore, ReadFormatName, write_nbest

__all__ = ["ListFile", "ListFormat", "ListOutput", "ListTo", "Quality", "Source", "opened", "write_list"]

ListFile = Annotated[
    str,
    Parameter(help="N-best list: a file (plain, gzip or zstd), a stored folder, or - for standard input."),
]
ListFormat = Annotated[
    ReadFormatName | None,
    Parameter(
        name="--format",
        metavar="NAME",
        group=heading("Data"),
        show_default="recognized by the first lines",
        help="Format of the list. 'lines' is N lines of text per source sentence, and needs --source.",
    ),
]
ListOutput = Annotated[
    str,
    output_to(
        "File to write, compressed if it ends in .gz or .zst; a folder for store; - is standard output."
    ),
]
ListTo = Annotated[
    FormatName,
    Parameter(
        name="--to",
        metavar="NAME",
        group=heading("Output"),
        help="Format of the output; a store is a folder, opens at once and loses nothing.",
    ),
]
Source = Annotated[
    Path | None,
    Parameter(
        name="--source",
        metavar="FILE",
        group=heading("Data"),
        help="Tokenized source sentences of the list, for features that look at them.",
    ),
]
Quality = Annotated[
    Path | None,
    Parameter(
        name="--quality",
        metavar="FILE",
        group=heading("Data"),
        help="Instead of references: a number per candidate, in list order, the higher the better.",
    ),
]


def opened(
    path: str, format: ReadFormatName | None = None, *, source: Path | None = None, warn: bool = True
) -> NbestList:
    """A list, read with progress; ``warn`` unless whoever uses it tells what it lacks."""
    listed = NbestList.read(path, format, source=source, watch=console.watch_file(path))
    for warning in listed.warnings if warn else ():
        console.warn(warning)
    return listed


def write_list(store: NbestStore, path: str, format: FormatName) -> None:
    """Write a list, and say what its format has no place for."""
    write_nbest(store, path, format=format, warn=console.warn)
    written = f"{store.num_candidates:,} candidates of {store.num_sentences:,} sentences"
    console.note(f"wrote {written}" if path == "-" else f"{path}: wrote {written}")
