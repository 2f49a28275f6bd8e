"""XLIFF 1.2 and 2.0 (and 2.1, which differs in modules only)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from isogloss.corpus.markup import InlineText, attribute, check_characters, content, parse_units
from isogloss.corpus.pairs import PairWriter, Reading, ReadOptions, SentencePair
from isogloss.io.errors import DataFormatError
from isogloss.io.streams import StrPath

__all__ = ["XLIFF_CONTEXT", "XLIFF_NAMES", "read_xliff", "write_xliff1", "write_xliff2"]

XLIFF_CONTEXT = "x-context"
"""Type of the element that holds the context of a unit."""
XLIFF_NAMES = ("resname", "name", "id")
"""Attributes that name a unit; the first one that it has counts."""
_DRAFT = "isogloss:draft"


def read_xliff(
    paths: Sequence[StrPath], options: ReadOptions | None = None, reading: Reading | None = None
) -> Iterator[SentencePair]:
    """Yield the translated segments; untranslated and unfinished segments are skipped."""
    (path,) = paths
    reading = reading if reading is not None else Reading()
    handler = _Handler(path, options.keep_markup if options else False, reading)
    yield from parse_units(path, handler, "XLIFF")


@dataclass(slots=True)
class _Segment:
    """A segment being read; in XLIFF 2, a unit may have several."""

    line: int
    id: str
    state: str = ""
    source: InlineText | None = None
    target: InlineText | None = None


class _Handler:
    def __init__(self, path: StrPath, keep_markup: bool, reading: Reading) -> None:
        self.line = self.offset = 0
        self._path, self._keep_markup, self._reading = path, keep_markup, reading
        self._done: list[SentencePair] = []
        self._open: list[str] = []  # elements around the current one
        self._version = ""
        self._unit_id = self._context = ""
        self._segments: list[_Segment] = []
        self._text: InlineText | None = None
        self._text_depth = 0
        self._note: list[str] | None = None

    def take(self) -> list[SentencePair]:
        done, self._done = self._done, []
        return done

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        parent = self._open[-1] if self._open else ""
        self._open.append(tag)
        if self._text is not None:
            self._text.start(tag, attributes)
        elif not parent:
            self._begin(tag, attributes)
        elif tag == "file" and self._version == "1":
            self._set_languages(attributes.get("source-language", ""), attributes.get("target-language", ""))
        elif tag in ("trans-unit", "unit"):
            self._unit_id = next((attributes[name] for name in XLIFF_NAMES if attributes.get(name)), "")
            self._context = ""
            self._segments = [_Segment(self.line, "")] if tag == "trans-unit" else []
        elif tag == "segment" and parent == "unit":
            state = attributes.get("state", "")
            if state == "translated" and attributes.get("subState", "").startswith(_DRAFT):
                state = "needs-review"  # written by an engine and not reviewed
            self._segments.append(_Segment(self.line, attributes.get("id", ""), state))
        elif tag in ("source", "target") and parent in ("trans-unit", "segment") and self._segments:
            self._begin_text(tag, attributes)
        elif (tag == "context" and attributes.get("context-type") == XLIFF_CONTEXT) or (
            tag == "note" and attributes.get("category") == XLIFF_CONTEXT
        ):
            self._note = []

    def _begin(self, tag: str, attributes: Mapping[str, str]) -> None:
        version = attributes.get("version", "")
        if tag != "xliff" or not version.startswith(("1.", "2.")):
            found = f"<xliff version={version!r}>" if tag == "xliff" else f"<{tag}>"
            raise DataFormatError(
                f"found {found} where XLIFF 1.2 or 2.0 begins with <xliff>", self._path, self.line
            )
        self._version = version[0]
        if self._version == "2":
            self._set_languages(attributes.get("srcLang", ""), attributes.get("trgLang", ""))

    def _set_languages(self, source: str, target: str) -> None:
        self._reading.source_language = self._reading.source_language or source
        self._reading.target_language = self._reading.target_language or target

    def _begin_text(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._text = InlineText(self._keep_markup)
        self._text_depth = len(self._open)
        segment = self._segments[-1]
        if tag == "source":
            segment.source = self._text
        else:
            segment.target = self._text
            segment.state = attributes.get("state", segment.state)
            if segment.state == "translated" and attributes.get("state-qualifier") == "mt-suggestion":
                segment.state = "needs-review"

    def end(self, tag: str) -> None:
        if self._text is not None:
            if len(self._open) == self._text_depth:
                self._text = None
            else:
                self._text.end(tag)
        elif self._note is not None and tag in ("context", "note"):
            self._context = "".join(self._note)
            self._note = None
        elif tag in ("trans-unit", "unit"):
            self._finish()
        self._open.pop()

    def data(self, text: str) -> None:
        if self._text is not None:
            self._text.data(text)
        elif self._note is not None:
            self._note.append(text)

    def _finish(self) -> None:
        for segment in self._segments:
            source, target = str(segment.source or ""), str(segment.target or "")
            if not target:
                self._reading.skipped["untranslated"] += 1
            elif segment.state == "new" or segment.state.startswith("needs-"):
                self._reading.skipped[f"marked '{segment.state}'"] += 1
            else:
                id_ = self._unit_id
                if len(self._segments) > 1:
                    id_ = f"{id_}/{segment.id}"
                self._done.append(SentencePair(source, target, id_, self._context, segment.line))
        self._segments = []


@contextmanager
def write_xliff1(
    streams: Sequence[IO[str]], languages: tuple[str, str], path: StrPath
) -> Iterator[PairWriter]:
    """Write pairs as XLIFF 1.2."""
    (stream,) = streams
    source, target = map(attribute, languages)
    stream.write(
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">\n'
        f'<file original="isogloss" datatype="plaintext" source-language={source} '
        f"target-language={target}>\n<body>\n"
    )
    number = 0

    def write(pair: SentencePair) -> bool:
        nonlocal number
        number += 1
        _check(pair, path)
        name = f" resname={attribute(pair.id)}" if pair.id else ""
        context = (
            f'<context-group purpose="information"><context context-type="{XLIFF_CONTEXT}">'
            f"{content(pair.context)}</context></context-group>\n"
            if pair.context
            else ""
        )
        stream.write(
            f'<trans-unit id="{number}"{name} xml:space="preserve">\n'
            f"<source>{content(pair.source)}</source>\n<target>{content(pair.target)}</target>\n"
            f"{context}</trans-unit>\n"
        )
        return True

    yield write
    stream.write("</body>\n</file>\n</xliff>\n")


@contextmanager
def write_xliff2(
    streams: Sequence[IO[str]], languages: tuple[str, str], path: StrPath
) -> Iterator[PairWriter]:
    """Write pairs as XLIFF 2.0."""
    (stream,) = streams
    source, target = map(attribute, languages)
    stream.write(
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" '
        f'srcLang={source} trgLang={target}>\n<file id="f1">\n'
    )
    number = 0

    def write(pair: SentencePair) -> bool:
        nonlocal number
        number += 1
        _check(pair, path)
        name = f" name={attribute(pair.id)}" if pair.id else ""
        context = (
            f'<notes><note category="{XLIFF_CONTEXT}">{content(pair.context)}</note></notes>\n'
            if pair.context
            else ""
        )
        stream.write(
            f'<unit id="{number}"{name} xml:space="preserve">\n{context}<segment>\n'
            f"<source>{content(pair.source)}</source>\n<target>{content(pair.target)}</target>\n"
            "</segment>\n</unit>\n"
        )
        return True

    yield write
    if number == 0:  # a file must have a unit
        stream.write('<group id="1"/>\n')
    stream.write("</file>\n</xliff>\n")


def _check(pair: SentencePair, path: StrPath) -> None:
    for text in (pair.source, pair.target, pair.id, pair.context):
        check_characters(text, path)
