"""Filling XLIFF files and translation memories (TMX): text is put in, and nothing else is touched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from isogloss.catalog.inline import Inline
from isogloss.catalog.messages import Draft
from isogloss.corpus.markup import attribute, parse_units
from isogloss.corpus.tmx import same_language
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.streams import StrPath, read_chunks

__all__ = ["TmxCatalog", "XliffCatalog"]

_START = re.compile(rb"""<[^<>"']*(?:"[^"]*"[^<>"']*|'[^']*'[^<>"']*)*>""")
_STATES = re.compile(r"""\s+(?:state|state-qualifier|subState)\s*=\s*(?:"[^"]*"|'[^']*')""")
_DECLARED = re.compile(r"""^(<\?xml[^>]*?encoding\s*=\s*)(?:"[^"]*"|'[^']*')""")
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


@dataclass(slots=True)
class _Element:
    """An element and where it is in the file, in bytes."""

    tag: str
    attributes: Mapping[str, str]
    line: int
    begin: int
    inner: int
    """Where its content begins."""
    inner_end: int = -1
    end: int = -1
    parts: list[_Element] = field(default_factory=list)

    def part(self, *tags: str) -> _Element | None:
        """The last child with one of the tags."""
        return next((part for part in reversed(self.parts) if part.tag in tags), None)


class _Places:
    """A handler for the parser that notes where elements of some names begin and end."""

    def __init__(self, content: bytes, names: frozenset[str]) -> None:
        self.line = self.offset = 0
        self._content, self._names = content, names
        self._open: list[_Element | None] = []
        self._done: list[_Element] = []

    def take(self) -> list[_Element]:
        done, self._done = self._done, []
        return done

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag not in self._names:
            self._open.append(None)
            return
        match = _START.match(self._content, self.offset)
        assert match is not None
        element = _Element(tag, attributes, self.line, match.start(), match.end())
        above = next((known for known in reversed(self._open) if known is not None), None)
        if above is not None:
            above.parts.append(element)
        self._open.append(element)

    def end(self, tag: str) -> None:
        element = self._open.pop()
        if element is None:
            return
        if self._content[element.begin : element.inner].endswith(b"/>"):
            element.inner_end = element.end = element.inner
        else:
            element.inner_end = self.offset
            element.end = self._content.index(b">", self.offset) + 1
        if not any(self._open):
            self._done.append(element)

    def data(self, text: str) -> None:
        """Text is looked at in the file itself."""


class _XmlCatalog:
    """What XLIFF and TMX have in common: elements with places, and edits at places."""

    names: frozenset[str]
    format: str

    def __init__(self, path: StrPath) -> None:
        self._path = path
        self._content = _utf8(path)
        places = _Places(self._content, self.names)
        root = list(parse_units(path, places, self.format, [self._content]))
        self._root = root[0] if root else None

    def _inside(self, element: _Element) -> str:
        return self._content[element.inner : element.inner_end].decode()

    def _indent(self, element: _Element) -> str:
        """The line end and the blanks before an element, if it begins its line."""
        line = self._content.rfind(b"\n", 0, element.begin)
        blanks = self._content[line + 1 : element.begin]
        return "\n" + blanks.decode() if line >= 0 and not blanks.strip() else ""

    def _edited(self, edits: Iterable[tuple[int, int, str]]) -> str:
        out, done = bytearray(), 0
        for begin, end, text in sorted(edits):
            out += self._content[done:begin] + text.encode()
            done = end
        return (out + self._content[done:]).decode()


class XliffCatalog(_XmlCatalog):
    """An XLIFF file, of version 1.2 or 2."""

    names = frozenset(
        {"xliff", "file", "body", "group", "trans-unit", "unit", "segment", "source", "target", "seg-source"}
    )
    format = "XLIFF"

    def __init__(self, path: StrPath) -> None:
        super().__init__(path)
        version = self._root.attributes.get("version", "") if self._root is not None else ""
        if self._root is None or self._root.tag != "xliff" or version[:2] not in ("1.", "2."):
            raise DataFormatError("XLIFF 1.2 or 2.0 begins with <xliff version=…>", path, 1)
        self._second = version.startswith("2.")
        self._wanted: list[tuple[_Element, _Element, Inline]] = []
        self.translated = 0
        for unit in self._units(self._root):
            source, target = unit.part("source"), unit.part("target")
            if source is None:
                continue
            inline = Inline.read(self._inside(source))
            if target is not None and self._inside(target).strip():
                self.translated += 1
            elif inline.text.strip():
                self._wanted.append((unit, source, inline))

    def _units(self, element: _Element) -> Iterator[_Element]:
        if element.attributes.get("translate") == "no":
            return
        if element.tag in ("trans-unit", "segment"):
            yield element
            return
        for part in element.parts:
            yield from self._units(part)

    def messages(self) -> list[str]:
        """What is to be translated, with tags in place of inline elements."""
        return [inline.text for _, _, inline in self._wanted]

    def places(self) -> list[int]:
        """The lines at which the units begin."""
        return [unit.line for unit, _, _ in self._wanted]

    def filled(self, drafts: Sequence[Draft]) -> str:
        """The file with drafts in their places, marked as in need of a review."""
        edits: list[tuple[int, int, str]] = []
        for (unit, source, inline), draft in zip(self._wanted, drafts, strict=True):
            target = unit.part("target")
            state = 'state="needs-review-translation" state-qualifier="mt-suggestion"'
            opening = f"<{self._name(source, 'target')} {state}>"
            if self._second:
                edits.append(self._segment_state(unit, draft.confidence))
                opening = f"<{self._name(source, 'target')}>"
            note = self._name(source, "note")
            behind = (
                "" if self._second else f'<{note} from="isogloss">confidence {draft.confidence:.2f}</{note}>'
            )
            if target is not None:
                given = self._content[target.begin : target.inner].decode().rstrip("/>")
                if not self._second:
                    given = f"{_STATES.sub('', given).rstrip()} {state}"
                begin, end, opening = target.begin, target.end, given.rstrip() + ">"
                indent, first = self._indent(target), ""
            else:
                before = unit.part("seg-source") or source
                begin = end = before.end
                indent = first = self._indent(source)
            closing = f"</{self._name(source, 'target')}>"
            text = opening + inline.write(draft.text) + closing
            edits.append((begin, end, first + text + (indent + behind if behind else "")))
        return self._edited(edits)

    def _name(self, source: _Element, name: str) -> str:
        """A name with the prefix that the source's has in the file."""
        given = re.match(rb"<([\w.-]+:)?", self._content[source.begin : source.inner])
        return (given[1].decode() if given and given[1] else "") + name

    def _segment_state(self, segment: _Element, confidence: float) -> tuple[int, int, str]:
        start = self._content[segment.begin : segment.inner].decode()
        given = _STATES.sub("", start.rstrip(">")).rstrip()
        return (
            segment.begin,
            segment.inner,
            f'{given} state="translated" subState="isogloss:draft-{confidence:.2f}">',
        )


class TmxCatalog(_XmlCatalog):
    """A translation memory: units without the target language get it."""

    names = frozenset({"tmx", "header", "body", "tu", "tuv", "seg"})
    format = "TMX"

    def __init__(self, path: StrPath, source_language: str = "", target_language: str = "") -> None:
        super().__init__(path)
        if self._root is None or self._root.tag != "tmx":
            raise DataFormatError("TMX begins with <tmx>", path, 1)
        header, body = self._root.part("header"), self._root.part("body")
        named = header.attributes.get("srclang", "") if header is not None else ""
        source_language = source_language or ("" if named == "*all*" else named)
        if not target_language or not source_language:
            raise ConfigError(f"{path}: give --source-language and --target-language")
        self._target_language = target_language
        self._wanted: list[tuple[_Element, _Element | None, Inline]] = []
        self.translated = 0
        for unit in body.parts if body is not None else ():
            by_language = {_language(part): part for part in unit.parts if part.tag == "tuv"}
            source = _of_language(by_language, source_language)
            target = _of_language(by_language, target_language)
            seg = source.part("seg") if source is not None else None
            if seg is None:
                continue
            filled = target.part("seg") if target is not None else None
            inline = Inline.read(self._inside(seg))
            if filled is not None and self._inside(filled).strip():
                self.translated += 1
            elif inline.text.strip():
                self._wanted.append((unit, filled, inline))

    def messages(self) -> list[str]:
        """What is to be translated, with tags in place of inline elements."""
        return [inline.text for _, _, inline in self._wanted]

    def places(self) -> list[int]:
        """The lines at which the units begin."""
        return [unit.line for unit, _, _ in self._wanted]

    def filled(self, drafts: Sequence[Draft]) -> str:
        """The file with drafts in their places; a property says that they are drafts."""
        edits = []
        for (unit, segment, inline), draft in zip(self._wanted, drafts, strict=True):
            note = f'<prop type="x-isogloss">draft, confidence {draft.confidence:.2f}</prop>'
            text = f"{note}<seg>{inline.write(draft.text)}</seg>"
            if segment is not None:
                edits.append((segment.begin, segment.end, text))
            else:
                last = unit.parts[-1]
                tuv = f"<tuv xml:lang={attribute(self._target_language)}>{text}</tuv>"
                edits.append((last.end, last.end, self._indent(last) + tuv))
        return self._edited(edits)


def _language(tuv: _Element) -> str:
    return tuv.attributes.get(_XML_LANG) or tuv.attributes.get("lang", "")


def _of_language(found: Mapping[str, _Element], wanted: str) -> _Element | None:
    return next((element for code, element in found.items() if same_language(wanted, code)), None)


def _utf8(path: StrPath) -> bytes:
    """The file in UTF-8, whatever it is in; its declaration says so."""
    raw = b"".join(read_chunks(path))
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = raw.decode("utf-16")
    else:
        declared = re.match(rb"""(?:\xef\xbb\xbf)?<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']""", raw)
        try:
            text = raw.decode(declared[1].decode() if declared else "utf-8")
        except (LookupError, UnicodeDecodeError) as error:
            raise DataFormatError(f"XML in an encoding that cannot be read ({error})", path, 1) from None
    return _DECLARED.sub(r'\1"UTF-8"', text.removeprefix("\ufeff")).encode()
