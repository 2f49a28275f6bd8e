"""Shared by TMX and XLIFF: a hardened incremental parser, inline tags, and XML output."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Generic, Protocol, TypeVar

from isogloss.io.errors import DataFormatError, MissingExtraError, OutputError
from isogloss.io.streams import StrPath, read_chunks

__all__ = [
    "InlineText",
    "UnitHandler",
    "attribute",
    "check_characters",
    "content",
    "local_name",
    "not_xml",
    "parse_units",
]

T = TypeVar("T")

_CODES = frozenset({"bpt", "ept", "ph", "it", "ut"})
"""Elements whose content is markup of the original document, not text."""
_EMPTY = frozenset({"x", "bx", "ex", "sc", "ec"})
_NO_TAGS = frozenset({"mrk", "sub"})
_LONGEST_TEXT = 1 << 26  # bytes: texts are kept in memory, and a small compressed file can hold a huge one
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class UnitHandler(Protocol[T]):
    """Receives the parser's events and collects finished units."""

    line: int
    """Set by the parser before each start of an element."""
    offset: int
    """Set by the parser, in bytes, before each start and end of an element."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""

    def end(self, tag: str) -> None:
        """An element ends."""

    def data(self, text: str) -> None:
        """Text, possibly only a part of it."""

    def take(self) -> list[T]:
        """Return the units finished since the last call."""


class _Target(Generic[T]):
    """Adapter between the parser and a handler: tracks the line and drops namespaces."""

    def __init__(self, handler: UnitHandler[T]) -> None:
        self._handler = handler
        self.data = handler.data
        self.parser: Any = None

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._handler.line = self.parser.CurrentLineNumber
        self._handler.offset = self.parser.CurrentByteIndex
        self._handler.start(local_name(tag), attributes)

    def end(self, tag: str) -> None:
        self._handler.offset = self.parser.CurrentByteIndex
        self._handler.end(local_name(tag))


def parse_units(
    path: StrPath, handler: UnitHandler[T], format_name: str, chunks: Iterable[bytes] | None = None
) -> Iterator[T]:
    """Yield the units of an XML file while it is read; nothing else is kept in memory.

    ``chunks`` is the content, if it has already been read.

    Entity declarations and external entities are refused: they can make a small file expand without
    limit, or read other files.
    """
    try:
        from defusedxml.common import DefusedXmlException
        from defusedxml.ElementTree import DefusedXMLParser, ParseError
    except ImportError:
        raise MissingExtraError(f"reading {format_name} files", "formats") from None
    target = _Target(handler)
    parser = DefusedXMLParser(target=target)
    target.parser = parser.parser
    read = 0
    try:
        for chunk in read_chunks(path, longest_line=0) if chunks is None else chunks:
            read += len(chunk)
            parser.feed(chunk)
            yield from handler.take()
            if read - handler.offset > _LONGEST_TEXT:  # nothing began or ended since
                raise DataFormatError(
                    f"a text or tag has more than {_LONGEST_TEXT >> 20} MiB",
                    path,
                    parser.parser.CurrentLineNumber,
                    "is the file what its name says?",
                )
        parser.close()
        yield from handler.take()
    except DefusedXmlException as error:
        raise DataFormatError(
            f"the file declares or uses the XML entity '{getattr(error, 'name', None) or 'of another file'}'",
            path,
            parser.parser.CurrentLineNumber,
            "entities are refused, since they can hide an attack: replace them by their text",
        ) from None
    except ParseError as error:
        line, column = error.position
        problem = str(error).split(":")[0]
        raise DataFormatError(
            f"not well-formed XML ({problem} at column {column + 1})", path, line, "is the file complete?"
        ) from None
    except (LookupError, ValueError) as error:
        if isinstance(error, DataFormatError):
            raise
        raise DataFormatError(f"XML in an encoding that cannot be read ({error})", path, 1) from None


def local_name(tag: str) -> str:
    """Drop the namespace of a tag."""
    return tag.rpartition("}")[2]


class InlineText:
    """The text of one segment. Tags inside it are dropped, or kept as text."""

    def __init__(self, keep_markup: bool) -> None:
        self._keep = keep_markup
        self._parts: list[str] = []
        self._code: tuple[int, str] | None = None
        self._depth = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins inside the segment."""
        self._depth += self._code is not None
        if self._code is not None:
            return
        number = next(
            (f' {name}="{attributes[name]}"' for name in ("id", "i", "x") if name in attributes), ""
        )
        if tag in _CODES:
            self._code = (len(self._parts), f"<{tag}{number}/>")
        elif tag == "cp":  # a character that XML cannot hold
            self._parts.append(_character(attributes.get("hex", "")))
        elif self._keep and tag not in _NO_TAGS:
            self._parts.append(f"<{tag}{number}/>" if tag in _EMPTY else f"<{tag}{number}>")

    def end(self, tag: str) -> None:
        """An element ends inside the segment."""
        if self._code is None:
            if self._keep and tag not in _NO_TAGS | _EMPTY and tag != "cp":
                self._parts.append(f"</{tag}>")
        elif self._depth:
            self._depth -= 1
        else:
            begun, empty = self._code
            self._code = None
            if not self._keep:
                del self._parts[begun:]
            elif len(self._parts) == begun:
                self._parts.append(empty)

    def data(self, text: str) -> None:
        """Text inside the segment."""
        self._parts.append(text)

    def __str__(self) -> str:
        return "".join(self._parts)


def _character(code: str) -> str:
    try:
        character = chr(int(code, 16))
    except (ValueError, OverflowError):
        return ""
    return "" if "\ud800" <= character <= "\udfff" else character


def check_characters(text: str, path: StrPath) -> None:
    """Refuse characters that XML cannot represent."""
    if match := _NOT_XML.search(text):
        raise OutputError(
            f"XML cannot hold the character U+{ord(match.group()):04X} in {text[:40]!r}",
            path,
            "'isogloss corpus clean' drops such pairs",
        )


def not_xml(text: str) -> str:
    """Return why XML cannot represent a text; empty if it can."""
    match = _NOT_XML.search(text)
    return f"XML cannot hold the character U+{ord(match.group()):04X}" if match else ""


def content(text: str) -> str:
    """Write text as the content of an element."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\r", "&#13;")  # a parser would turn a bare CR into a line feed


def attribute(text: str) -> str:
    """Write text as the value of an attribute, with its quotes."""
    text = content(text).replace('"', "&quot;").replace("\t", "&#9;").replace("\n", "&#10;")
    return f'"{text}"'
