"""A self-contained HTML page: headings, paragraphs, tables, plots, examples."""

from __future__ import annotations

import contextlib
import html
from collections.abc import Iterator, Sequence
from pathlib import Path

from isogloss.io.streams import StrPath, atomic_output
from isogloss.report.differences import Piece, differences
from isogloss.report.style import STYLE

__all__ = ["Page"]

_END = "</body></html>\n"


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

    def lead(self, text: str) -> None:
        """Add what the page has to say, in larger letters."""
        self._parts.append(f'<p class="lead">{html.escape(text)}</p>')

    def paragraph(self, text: str) -> None:
        """Add plain text."""
        self._parts.append(f"<p>{html.escape(text)}</p>")

    def note(self, text: str) -> None:
        """Add an explanation in small letters."""
        self._parts.append(f'<p class="faint">{html.escape(text)}</p>')

    def warning(self, text: str) -> None:
        """Add text that must not be overlooked."""
        self._parts.append(f'<p class="warning">{html.escape(text)}</p>')

    def items(self, texts: Sequence[str]) -> None:
        """Add a numbered list."""
        self._parts.append(f"<ol>{''.join(f'<li dir=auto>{html.escape(text)}</li>' for text in texts)}</ol>")

    def tiles(self, facts: Sequence[tuple[str, str]]) -> None:
        """Add the most important figures, each with what it is."""
        inner = "".join(
            f'<div class="tile"><b>{html.escape(figure)}</b><span>{html.escape(what)}</span></div>'
            for figure, what in facts
        )
        self._parts.append(f'<div class="tiles">{inner}</div>')

    def code(self, text: str) -> None:
        """Add a command or a configuration."""
        self._parts.append(f"<pre><code>{html.escape(text)}</code></pre>")

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Add a table; numbers are aligned to the right."""
        numeric = [all(_is_number(row[i]) for row in rows) for i in range(len(head))]
        lines = [self._row("th", head, numeric), *(self._row("td", row, numeric) for row in rows)]
        self._parts.append(f'<div class="scroll"><table>{"".join(lines)}</table></div>')

    def figure(self, svg: str) -> None:
        """Add a plot of ``isogloss.report.plot``."""
        self._parts.append(f"<figure>{svg}</figure>")

    def example(self, source: str, translation: str, reference: str, note: str = "") -> None:
        """Add a translation beside its reference, with differences marked."""
        ours, theirs = differences(translation, reference)
        self._card(
            [
                ("source", html.escape(source)),
                ("translation", _marked(ours, "del")),
                ("reference", _marked(theirs, "ins")),
            ],
            note,
        )

    def change(self, before: str, after: str, *, source: str, reference: str, note: str = "") -> None:
        """Add a translation and the one that takes its place, with differences marked."""
        old, new = differences(before, after)
        rows = [
            ("source", html.escape(source)),
            ("before", _marked(old, "del")),
            ("after", _marked(new, "ins")),
            ("reference", html.escape(reference)),
        ]
        self._card([row for row in rows if row[1]], note)

    def _card(self, rows: Sequence[tuple[str, str]], note: str) -> None:
        inner = "".join(f"<dt>{name}</dt><dd dir=auto>{text}</dd>" for name, text in rows)
        small = f'<p class="note">{html.escape(note)}</p>' if note else ""
        self._parts.append(f'<div class="example"><dl>{inner}</dl>{small}</div>')

    @contextlib.contextmanager
    def folded(self, title: str) -> Iterator[None]:
        """Fold away what is added inside; a reader opens it with a click."""
        self._parts.append(f"<details><summary>{html.escape(title)}</summary>")
        yield
        self._parts.append("</details>")

    def html(self) -> str:
        """The whole page as HTML."""
        title = html.escape(self._title)
        return (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width,initial-scale=1"><title>{title}</title>'
            f"<style>{STYLE}</style></head><body>{self._body()}{_END}"
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
            f"<{tag}{' class=n' if right else ' dir=auto'}>{html.escape(cell)}</{tag}>"
            for cell, right in zip(cells, numeric, strict=True)
        )
        return f"<tr>{inner}</tr>"


def _marked(pieces: Sequence[Piece], tag: str) -> str:
    return "".join(
        html.escape(piece.text) if piece.shared else f"<{tag}>{html.escape(piece.text)}</{tag}>"
        for piece in pieces
    )


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", "").removesuffix("%") or "0")
    except ValueError:
        return False
    return True
