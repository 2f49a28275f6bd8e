"""Translation memories in TMX 1.4."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO

from isogloss._version import __version__
from isogloss.corpus.markup import InlineText, attribute, check_characters, content, parse_units
from isogloss.corpus.pairs import PairWriter, Reading, ReadOptions, SentencePair
from isogloss.io.errors import DataFormatError
from isogloss.io.streams import StrPath

__all__ = ["read_tmx", "same_language", "write_tmx"]

_CONTEXT = "x-context"
_DRAFT = "x-isogloss"  # property that marks drafts of an engine
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


def read_tmx(
    paths: Sequence[StrPath], options: ReadOptions | None = None, reading: Reading | None = None
) -> Iterator[SentencePair]:
    """Yield the pairs of a translation memory in two of its languages.

    Without languages in the options, the source language is the one in the header, and the target language
    is the other language of the first unit that has two. A requested language includes its regional variants;
    if a unit has several of them, the variant that came first in the file is used.
    """
    (path,) = paths
    options = options or ReadOptions()
    reading = reading if reading is not None else Reading()
    handler = _Handler(path, options.keep_markup)
    for unit in parse_units(path, handler, "TMX"):
        pair = _choose(unit, handler.source_language, options, reading, path)
        if pair is not None:
            yield pair


@dataclass(slots=True)
class _Unit:
    line: int
    id: str
    segments: list[tuple[str, str]] = field(default_factory=list)
    context: str = ""


class _Handler:
    def __init__(self, path: StrPath, keep_markup: bool) -> None:
        self.line = self.offset = 0
        self.source_language = ""
        self._is_tmx = False
        self._path, self._keep_markup = path, keep_markup
        self._done: list[_Unit] = []
        self._unit: _Unit | None = None
        self._language = ""
        self._is_draft = False
        self._segment: InlineText | None = None
        self._property: list[str] | None = None

    def take(self) -> list[_Unit]:
        done, self._done = self._done, []
        return done

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if self._segment is not None:
            self._segment.start(tag, attributes)
        elif tag == "tmx":
            self._is_tmx = True
        elif not self._is_tmx:
            raise DataFormatError(f"found <{tag}> where TMX begins with <tmx>", self._path, self.line)
        elif tag == "header":
            self.source_language = attributes.get("srclang", "")
        elif tag == "tu":
            self._unit = _Unit(self.line, attributes.get("tuid", ""))
        elif tag == "tuv":
            self._language = attributes.get(_XML_LANG) or attributes.get("lang", "")
            self._is_draft = False
        elif tag == "seg":
            self._segment = InlineText(self._keep_markup)
        elif tag == "prop" and attributes.get("type") == _CONTEXT:
            self._property = []
        elif tag == "prop" and attributes.get("type") == _DRAFT:
            self._is_draft = True

    def end(self, tag: str) -> None:
        if tag == "seg" and self._segment is not None:
            if self._unit is not None and not self._is_draft:
                self._unit.segments.append((self._language, str(self._segment)))
            self._segment = None
        elif self._segment is not None:
            self._segment.end(tag)
        elif tag == "prop" and self._property is not None:
            if self._unit is not None:
                self._unit.context = "".join(self._property)
            self._property = None
        elif tag == "tu" and self._unit is not None:
            self._done.append(self._unit)
            self._unit = None

    def data(self, text: str) -> None:
        if self._segment is not None:
            self._segment.data(text)
        elif self._property is not None:
            self._property.append(text)


def _choose(
    unit: _Unit, header: str, options: ReadOptions, reading: Reading, path: StrPath
) -> SentencePair | None:
    wanted = options.source_language or ("" if header == "*all*" else header)
    if not reading.source_language:
        reading.source_language = _first(unit, wanted) or wanted
    wanted = wanted or reading.source_language
    if not reading.target_language:
        others = {code for code, _ in unit.segments if not same_language(wanted, code)}
        if not options.target_language and len(others) > 1:
            raise DataFormatError(
                f"the unit is in {len(unit.segments)} languages "
                f"({', '.join(code for code, _ in unit.segments)})",
                path,
                unit.line,
                "choose two with --source-language and --target-language",
            )
        reading.target_language = options.target_language or next(iter(others), "")
    source = _text(unit, reading.source_language, wanted)
    target_wanted = options.target_language or reading.target_language
    target = _text(unit, reading.target_language, target_wanted) if target_wanted else None
    if source is None or target is None:
        reading.skipped["not in both languages"] += 1
        return None
    return SentencePair(source, target, unit.id, unit.context, unit.line)


def _first(unit: _Unit, wanted: str) -> str:
    return next((code for code, _ in unit.segments if not wanted or same_language(wanted, code)), "")


def _text(unit: _Unit, usual: str, wanted: str) -> str | None:
    """Return the text in the usual variant of a language, or else in another variant of it."""
    found = {code: text for code, text in reversed(unit.segments) if same_language(wanted, code)}
    return found.get(usual, next(reversed(found.values()), None))


def same_language(wanted: str, found: str) -> bool:
    """Whether a language is the wanted one or a regional variant of it: ``pt`` accepts ``pt-BR``."""
    wanted, found = (code.lower().replace("_", "-") for code in (wanted, found))
    return found == wanted or found.startswith(f"{wanted}-")


@contextmanager
def write_tmx(streams: Sequence[IO[str]], languages: tuple[str, str], path: StrPath) -> Iterator[PairWriter]:
    """Write pairs as a translation memory."""
    (stream,) = streams
    source_language, target_language = map(attribute, languages)
    stream.write(
        '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
        f'<header creationtool="isogloss" creationtoolversion={attribute(__version__)} '
        'segtype="sentence" o-tmf="isogloss" adminlang="en" '
        f'srclang={source_language} datatype="plaintext"/>\n<body>\n'
    )

    def write(pair: SentencePair) -> bool:
        for text in (pair.source, pair.target, pair.id, pair.context):
            check_characters(text, path)
        unit_id = f" tuid={attribute(pair.id)}" if pair.id else ""
        context = f'<prop type="{_CONTEXT}">{content(pair.context)}</prop>\n' if pair.context else ""
        stream.write(
            f"<tu{unit_id}>\n{context}"
            f"<tuv xml:lang={source_language}><seg>{content(pair.source)}</seg></tuv>\n"
            f"<tuv xml:lang={target_language}><seg>{content(pair.target)}</seg></tuv>\n</tu>\n"
        )
        return True

    yield write
    stream.write("</body>\n</tmx>\n")
