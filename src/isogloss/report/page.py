"""A self-contained HTML page: headings, paragraphs, tables, plots."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path

from isogloss.io.streams import StrPath, atomic_output

__all__ = ["Page"]

_END = "</body></html>\n"
_STYLE = (
    "body{font:15px/1.5 sans-serif;max-width:62em;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;margin:1em 0}th,td{padding:.25em .8em;border-bottom:1px solid #ddd;"
    "text-align:left}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}"
    "figure{display:inline-block;margin:.5em}code{white-space:pre-wrap}"
)


class Page:
    """Collects parts of a page and writes them. All text is escaped; the page loads and runs nothing.

    >>> page = Page("Results")
    >>> page.table(["method", "BLEU"], [["splitting", "31.7"]])
    >>> "<td class=n>31.7</td>" in page.html()
    True
    """

    def __init__(self, title: str) -> None:
        self._title = title
        self._parts: list[str] = []

    def heading(self, text: str) -> None:
        """Start a new section."""
        self._parts.append(f"<h2>{html.escape(text)}</h2>")

    def paragraph(self, text: str) -> None:
        """Add plain text."""
        self._parts.append(f"<p>{html.escape(text)}</p>")

    def code(self, text: str) -> None:
        """Add a command or a configuration."""
        self._parts.append(f"<pre><code>{html.escape(text)}</code></pre>")

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Add a table; numbers are aligned to the right."""
        numeric = [all(_is_number(row[i]) for row in rows) for i in range(len(head))]
        lines = [self._row("th", head, numeric), *(self._row("td", row, numeric) for row in rows)]
        self._parts.append(f"<table>{''.join(lines)}</table>")

    def figure(self, svg: str) -> None:
        """Add a plot of ``isogloss.report.plot``."""
        self._parts.append(f"<figure>{svg}</figure>")

    def html(self) -> str:
        """The whole page as HTML."""
        title = html.escape(self._title)
        return (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            f"<style>{_STYLE}</style></head><body>{self._body()}{_END}"
        )

    def _repr_html_(self) -> str:
        """HTML for notebooks."""
        return self._body()

    def _body(self) -> str:
        return f"<h1>{html.escape(self._title)}</h1>{''.join(self._parts)}"

    def write(self, path: StrPath) -> None:
        """Write the page to a file."""
        with atomic_output(path) as stream:
            stream.write(self.html())

    def append_to(self, path: StrPath) -> None:
        """Append the page to the one in the file, if there is one."""
        place = Path(path)
        before = place.read_text("utf-8") if place.exists() else ""
        if not before.endswith(_END):
            self.write(path)
            return
        with atomic_output(path) as stream:
            stream.write(before.removesuffix(_END) + self._body() + _END)

    @staticmethod
    def _row(tag: str, cells: Sequence[str], numeric: Sequence[bool]) -> str:
        inner = "".join(
            f"<{tag}{' class=n' if right else ''}>{html.escape(cell)}</{tag}>"
            for cell, right in zip(cells, numeric, strict=True)
        )
        return f"<tr>{inner}</tr>"


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", "").removesuffix("%") or "0")
    except ValueError:
        return False
    return True
