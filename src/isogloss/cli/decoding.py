"""Options that verbs have in common which translate with a stored system."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Annotated

import typer

from isogloss.io.errors import ConfigError

__all__ = [
    "BeamSize",
    "Format",
    "OutputFormat",
    "PopLimit",
    "Threads",
    "Weights",
    "check_list",
    "thread_count",
]


class OutputFormat(StrEnum):
    """How translations are written."""

    text = "text"
    moses = "moses"
    jsonl = "jsonl"


Format = Annotated[
    OutputFormat,
    typer.Option(
        help="text: the best translation, a line per sentence; moses: n-best list; jsonl: n-best list, a "
        "JSON object per translation with score, features, word alignment and derivation."
    ),
]
Weights = Annotated[
    str | None, typer.Option(metavar="FILE", help="Weights to use instead of the system's own.")
]
Threads = Annotated[
    int, typer.Option(metavar="N", help="Threads; 0 uses all processors. Results do not depend on it.")
]
BeamSize = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Hypotheses kept per number of covered words; 0 keeps all.",
        show_default="the system's",
    ),
]
PopLimit = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Extensions tried per number of covered words; 0 tries all.",
        show_default="the system's",
    ),
]


def check_list(nbest: int, format: OutputFormat) -> None:
    """Whether the format has room for so many translations."""
    if nbest < 1:
        raise ConfigError(f"--nbest must be at least 1, got {nbest}")
    if nbest > 1 and format is OutputFormat.text:
        raise ConfigError("--nbest above 1 needs --format moses or jsonl")


def thread_count(threads: int) -> int:
    """How many threads ``--threads`` stands for."""
    if threads < 0:
        raise ConfigError(f"--threads must be at least 0, got {threads}")
    return threads or os.cpu_count() or 1
