"""Results of experiments: plain values, tables, and a page."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from isogloss.io.errors import OutputError
from isogloss.io.streams import StrPath, atomic_output
from isogloss.report import Page

__all__ = ["ExperimentResults", "ResultTable", "Say", "page_of", "results_folder"]

Say = Callable[[str], None]
"""A callback for progress messages of an experiment."""


class ResultTable(NamedTuple):
    """A table of results, as text."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentResults:
    """The results of an experiment."""

    values: Mapping[str, Any]
    """All results as plain values, for ``results.json``."""
    tables: Sequence[ResultTable]
    page: Page

    def write(self, folder: StrPath) -> None:
        """Write ``results.json`` and ``report.html``."""
        place = results_folder(folder)
        self.page.write(place / "report.html")
        with atomic_output(place / "results.json") as stream:
            stream.write(json.dumps(self.values, indent=1, ensure_ascii=False) + "\n")


def results_folder(path: StrPath) -> Path:
    """The folder for results; created if it does not exist."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(error.strerror or str(error), folder, "give a folder for the results") from None
    return folder


def page_of(title: str, note: str, tables: Sequence[ResultTable]) -> Page:
    """A page with tables."""
    page = Page(title)
    page.paragraph(note)
    for table in tables:
        page.heading(table.title)
        page.table(table.heads, table.rows)
    return page
