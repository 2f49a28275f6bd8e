"""Parameters and messages of verbs that read and write bilingual files."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from isogloss.cli import console
from isogloss.cli.declared import heading
from isogloss.corpus import Conversion, FormatName
from isogloss.io.errors import ConfigError

__all__ = ["Format", "InputsAndOutputs", "To", "note_written", "refuse_json_beside", "warn_of_losses"]

InputsAndOutputs = Annotated[
    str,
    Parameter(
        help="One input file (TSV, PO, TMX, XLIFF) or two of plain text, then one or two output files."
    ),
]
Format = Annotated[
    FormatName | None,
    Parameter(
        metavar="NAME",
        group=heading("Input"),
        show_default="detected from the file",
        help="Format of the input.",
    ),
]
To = Annotated[
    FormatName | None,
    Parameter(
        metavar="NAME",
        group=heading("Output"),
        show_default="from the file name",
        help="Format of the output.",
    ),
]


def refuse_json_beside(conversion: Conversion, json: bool) -> None:
    """Refuse to write two things to standard output."""
    if json and "-" in map(str, conversion.target.paths):
        raise ConfigError("--json and the corpus cannot both go to standard output")


def warn_of_losses(conversion: Conversion) -> None:
    """Warn about data that the output format cannot hold."""
    if lost := conversion.losses():
        console.warn(f"the output format cannot hold: {'; '.join(lost)}")


def note_written(conversion: Conversion, written: int) -> None:
    """Report what was skipped and what was written."""
    for reason, count in conversion.reading.skipped.most_common():
        console.note(f"skipped, {reason}: {count:,}")
    if written == 0:
        console.warn("there were no pairs to write")
    console.note(f"{' and '.join(map(str, conversion.target.paths))}: {written:,} pairs")
