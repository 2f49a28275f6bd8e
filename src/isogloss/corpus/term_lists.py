"""Term lists in TSV, CSV or TBX, the exchange format of terminology tools."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from isogloss.corpus.markup import parse_units
from isogloss.corpus.tmx import same_language
from isogloss.io.errors import DataFormatError
from isogloss.io.streams import StrPath, read_chunks, read_lines

__all__ = ["TermRow", "read_terms", "term_format"]

_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_ENTRIES = ("termEntry", "conceptEntry")
_LANGUAGES = ("langSet", "langSec")


@dataclass(frozen=True, slots=True)
class TermRow:
    """A term and its required translation; None keeps the term unchanged."""

    term: str
    translation: str | None
    line: int


def read_terms(path: StrPath, source_language: str = "", target_language: str = "") -> Iterator[TermRow]:
    """Yield the terms of a list in order; the file name determines the format.

    The languages select terms of a TBX file; by default, the first two languages of each entry are used.
    """
    format = term_format(path)
    if format == "csv":
        return _rows(path)
    return _tbx(path, source_language, target_language) if format == "tbx" else _lines(path)


def term_format(path: StrPath) -> Literal["tsv", "csv", "tbx"]:
    """The format that the name of a file tells; TSV if none."""
    name = Path(path)
    if name.suffix in (".gz", ".zst"):
        name = name.with_suffix("")
    suffix = name.suffix.lower()
    return "csv" if suffix == ".csv" else "tbx" if suffix in (".tbx", ".xml") else "tsv"


def _lines(path: StrPath) -> Iterator[TermRow]:
    for number, line in enumerate(read_lines(path), start=1):
        if line.strip():
            source, tab, target = line.partition("\t")
            if "\t" in target:
                raise DataFormatError(
                    "more than two columns", path, number, "a term and its translation, with a tab between"
                )
            yield TermRow(source, target if tab else None, number)


def _rows(path: StrPath) -> Iterator[TermRow]:
    text = "\n".join(read_lines(path))
    separator = (
        ";" if text.count(";") > text.count(",") else ","
    )  # as spreadsheets write it where the comma is the decimal separator
    reader = csv.reader(io.StringIO(text), delimiter=separator)
    try:
        for row in reader:
            if not any(cell.strip() for cell in row):
                continue
            if len(row) > 2:
                raise DataFormatError(
                    "more than two columns", path, reader.line_num, "a term and its translation are expected"
                )
            yield TermRow(row[0], row[1] if len(row) == 2 else None, reader.line_num)
    except csv.Error as error:
        raise DataFormatError(f"not CSV ({error})", path, reader.line_num) from None


@dataclass(slots=True)
class _Entry:
    line: int
    terms: list[tuple[str, str]] = field(default_factory=list)


class _Handler:
    def __init__(self) -> None:
        self.line = self.offset = 0
        self._done: list[_Entry] = []
        self._entry: _Entry | None = None
        self._language = ""
        self._term: list[str] | None = None

    def take(self) -> list[_Entry]:
        done, self._done = self._done, []
        return done

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag in _ENTRIES:
            self._entry = _Entry(self.line)
        elif tag in _LANGUAGES:
            self._language = attributes.get(_XML_LANG) or attributes.get("lang", "")
        elif tag == "term" and self._entry is not None:
            self._term = []

    def end(self, tag: str) -> None:
        if tag == "term" and self._term is not None and self._entry is not None:
            self._entry.terms.append((self._language, " ".join("".join(self._term).split())))
            self._term = None
        elif tag in _ENTRIES and self._entry is not None:
            self._done.append(self._entry)
            self._entry = None

    def data(self, text: str) -> None:
        if self._term is not None:
            self._term.append(text)


def _tbx(path: StrPath, source_language: str, target_language: str) -> Iterator[TermRow]:
    """Yield every source term of an entry with the first target term of that entry."""
    found = 0
    for entry in parse_units(path, _Handler(), "TBX", read_chunks(path, longest_line=0)):
        languages = list(dict.fromkeys(code for code, _ in entry.terms))
        source = _chosen(source_language, languages, 0)
        target = _chosen(target_language, [code for code in languages if code != source], 0)
        translations = [text for code, text in entry.terms if code == target]
        for code, text in entry.terms:
            if source and code == source and translations:
                found += 1
                yield TermRow(text, translations[0], entry.line)
    if not found:
        raise DataFormatError(
            "no entry has a term in both languages", path, hint="are these the languages of the engine?"
        )


def _chosen(wanted: str, languages: list[str], place: int) -> str:
    if wanted:
        return next((code for code in languages if same_language(wanted, code)), "")
    return languages[place] if len(languages) > place else ""
