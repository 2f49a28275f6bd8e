"""Fill XLIFF files and TMX memories: insert drafts and preserve everything else."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape

from isogloss.catalog.inline import Inline
from isogloss.catalog.messages import Draft, EntryState
from isogloss.catalog.options import FillOptions
from isogloss.corpus.draft_mark import draft_digest, draft_note, untouched_drafts
from isogloss.corpus.languages import language_tag
from isogloss.corpus.markup import attribute, not_xml, parse_units
from isogloss.corpus.tmx import same_language
from isogloss.corpus.xliff import XLIFF_CONTEXT, XLIFF_NAMES
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.streams import StrPath, read_whole

__all__ = ["TmxCatalog", "XliffCatalog"]

_START = re.compile(rb"""<[^<>"']*(?:"[^"]*"[^<>"']*|'[^']*'[^<>"']*)*>""")
_STATES = re.compile(r"""\s+(?:state|state-qualifier|subState)\s*=\s*(?:"[^"]*"|'[^']*')""")
_DECLARATION = re.compile(r"""(<\?xml[^>]*?encoding\s*=\s*)(?:"[^"]*"|'[^']*')""")
_OWN_STATE = re.compile(r"isogloss:draft-[0-9.]+-([0-9a-f]{8})")
_OWN_PROPERTY = re.compile(r"draft ([0-9a-f]{8}), confidence [0-9.]+")
_EMPTY_DIVISION = re.compile(r"<((?:[\w.-]+:)?mrk)\b[^<>]*(?:/>|>\s*</\1\s*>)")
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


@dataclass(slots=True)
class _Element:
    """An element and its position in the file, in bytes."""

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
    """A parser handler that records where elements with certain names begin and end."""

    def __init__(self, content: bytes, names: frozenset[str]) -> None:
        self.line = self.offset = 0
        self._content, self._names = content, names
        self._open: list[_Element | None] = []
        self._done: list[_Element] = []

    def take(self) -> list[_Element]:
        done, self._done = self._done, []
        return done

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        # What is below an unknown element is not the unit's own: <alt-trans> has a <target> too.
        if tag not in self._names or (self._open and self._open[-1] is None):
            self._open.append(None)
            return
        match = _START.match(self._content, self.offset)
        assert match is not None
        element = _Element(tag, attributes, self.line, match.start(), match.end())
        if self._open and self._open[-1] is not None:
            self._open[-1].parts.append(element)
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
        """Ignore text; it is read from the file itself."""


class _XmlCatalog:
    """Common base for XLIFF and TMX: elements with positions, and edits at these positions."""

    names: frozenset[str]
    format: str

    def __init__(
        self, path: StrPath, options: FillOptions | None = None, *, everything: bool = False
    ) -> None:
        self._path, self._options, self._everything = path, options or FillOptions(), everything
        self._text = _XmlText.read(path)
        self._content = self._text.utf8
        places = _Places(self._content, self.names)
        root = list(parse_units(path, places, self.format, [self._content]))
        self._root = root[0] if root else None

    def _inside(self, element: _Element) -> str:
        return self._content[element.inner : element.inner_end].decode()

    def _indent(self, element: _Element) -> str:
        """Return the line end and indentation before an element, if it is the first on its line."""
        line = self._content.rfind(b"\n", 0, element.begin)
        blanks = self._content[line + 1 : element.begin]
        if line < 0 or blanks.strip():
            return ""
        return ("\r\n" if self._content[line - 1 : line] == b"\r" else "\n") + blanks.decode()

    def _edited(self, edits: Iterable[tuple[int, int, str]]) -> bytes:
        out, done = bytearray(), 0
        for begin, end, text in sorted(edits):
            out += self._content[done:begin] + text.encode()
            done = end
        return self._text.written((out + self._content[done:]).decode())

    @staticmethod
    def refuses(text: str) -> str:
        """Return why a text cannot be written to this file; empty if it can."""
        return not_xml(text)


class XliffCatalog(_XmlCatalog):
    """An XLIFF file, version 1.2 or 2."""

    names = frozenset(
        {
            "xliff",
            "file",
            "body",
            "group",
            "trans-unit",
            "unit",
            "segment",
            "source",
            "target",
            "seg-source",
            "note",
            "context-group",
            "context",
            "notes",
        }
    )
    format = "XLIFF"

    def __init__(
        self,
        path: StrPath,
        options: FillOptions | None = None,
        *,
        everything: bool = False,
        target_language: str = "",
    ) -> None:
        super().__init__(path, options, everything=everything)
        self._written_language = language_tag(target_language)
        version = self._root.attributes.get("version", "") if self._root is not None else ""
        if self._root is None or self._root.tag != "xliff" or version[:2] not in ("1.", "2."):
            raise DataFormatError("XLIFF 1.2 or 2.0 begins with <xliff version=…>", path, 1)
        self._second = version.startswith("2.")
        file = self._root.part("file")
        self.language = self._root.attributes.get("trgLang") or (
            file.attributes.get("target-language", "") if file is not None else ""
        )
        """Target language that the file declares."""
        self._wanted: list[tuple[_Element, _Element, Inline]] = []
        self._contexts: list[str] = []
        self.translated = 0
        for unit, context in self._units(self._root):
            source, target = unit.part("source"), unit.part("target")
            if source is None:
                continue
            # A tool that divides a unit wants its divisions, <mrk>, in the target too.
            inline = Inline.read(self._inside(unit.part("seg-source") or source))
            kept = target is not None and self._has_text(target) and not everything
            if kept and not self._replaceable(unit):
                self.translated += 1
            elif inline.text.strip():
                self._wanted.append((unit, source, inline))
                self._contexts.append(context)

    def _has_text(self, target: _Element) -> bool:
        """Whether a target is more than white space and empty divisions."""
        inside = self._inside(target)
        return bool(_EMPTY_DIVISION.sub("", inside).strip())

    def _replaceable(self, unit: _Element) -> bool:
        """Whether the options replace the existing translation."""
        source, target = unit.part("source"), unit.part("target")
        if source is None or target is None:
            return False
        state = (unit if self._second else target).attributes.get("state", "")
        if self._options.replace_fuzzy and (state in ("new", "initial") or state.startswith("needs-")):
            return True
        return self._options.replace_drafts and self._is_draft(unit)

    def _is_draft(self, unit: _Element) -> bool:
        """Whether the translation is a draft that nobody has changed or accepted."""
        source, target = unit.part("source"), unit.part("target")
        if source is None or target is None:
            return False
        state = (unit if self._second else target).attributes.get("state", "")
        texts = self._inside(source), self._inside(target)
        if self._second:
            own = _OWN_STATE.fullmatch(unit.attributes.get("subState", ""))
            return own is not None and state == "translated" and own[1] == draft_digest(texts[0], texts[1:])
        notes = " ".join(f"isogloss: {self._inside(note)}" for note in self._notes(unit))
        flagged = state.startswith("needs-")
        accepted = not flagged and state != "translated"
        return not accepted and bool(untouched_drafts(notes, texts[0], {0: texts[1]}, flagged=flagged))

    @staticmethod
    def _notes(unit: _Element) -> list[_Element]:
        """Return the notes that Isogloss wrote."""
        return [
            part for part in unit.parts if part.tag == "note" and part.attributes.get("from") == "isogloss"
        ]

    def _units(self, root: _Element) -> Iterator[tuple[_Element, str]]:
        """Yield the units in order with their contexts; groups may be nested deeper than Python can call
        itself."""
        waiting = [(root, "")]
        while waiting:
            element, context = waiting.pop()
            if element.attributes.get("translate") == "no":
                continue
            if element.tag in ("trans-unit", "unit"):
                context = self._context(element)
            if element.tag in ("trans-unit", "segment"):
                yield element, context
                continue
            several = sum(part.tag == "segment" for part in element.parts) > 1
            for part in reversed(element.parts):
                named = several and part.tag == "segment"
                waiting.append((part, f"{context}/{part.attributes.get('id', '')}" if named else context))

    def _context(self, unit: _Element) -> str:
        """Return the context of a unit as the reader of training text sees it: a context, or else a name."""
        for part in unit.parts:
            for note in part.parts if part.tag in ("context-group", "notes") else (part,):
                if XLIFF_CONTEXT in (note.attributes.get("context-type"), note.attributes.get("category")):
                    return unescape(self._inside(note))
        return next((unit.attributes[name] for name in XLIFF_NAMES if unit.attributes.get(name)), "")

    def messages(self) -> list[str]:
        """Return the messages to translate, with tags in place of inline elements."""
        return [inline.text for _, _, inline in self._wanted]

    def places(self) -> list[int]:
        """Return the line on which each unit begins."""
        return [unit.line for unit, _, _ in self._wanted]

    def entries(self) -> list[int]:
        """Return a number for the entry of each message."""
        return list(range(len(self._wanted)))

    def contexts(self) -> list[str]:
        """Return the context of each message, or the name or id of its unit."""
        return self._contexts

    def formats(self) -> list[frozenset[str]]:
        """Return no flags: these formats have none."""
        return [frozenset()] * len(self._wanted)

    def targets(self) -> list[str]:
        """Return the translation that each message has already; empty if none."""
        return [
            "" if (target := unit.part("target")) is None else inline.read_beside(self._inside(target))
            for unit, _, inline in self._wanted
        ]

    def states(self) -> list[EntryState]:
        """Return how far each message is."""
        found: list[EntryState] = []
        for unit, _, _ in self._wanted:
            target = unit.part("target")
            state = (unit if self._second or target is None else target).attributes.get("state", "")
            if target is None or not self._has_text(target):
                found.append("empty")
            elif self._is_draft(unit):
                found.append("draft")
            else:
                unfinished = state in ("new", "initial") or state.startswith("needs-")
                found.append("fuzzy" if unfinished else "done")
        return found

    def filled(self, drafts: Sequence[Draft | None]) -> bytes:
        """Return the file with the drafts filled in, marked as needing review."""
        edits: list[tuple[int, int, str]] = []
        for (unit, source, inline), draft in zip(self._wanted, drafts, strict=True):
            if draft is not None:
                edits += self._edits(unit, source, inline.write(draft.text), draft)
        return self._edited([*edits, *self._declarations([begin for begin, _, _ in edits])])

    def _declarations(self, filled: Sequence[int]) -> Iterator[tuple[int, int, str]]:
        """Declare the target language where the file does not: XLIFF 2 requires it as soon as there is a
        target."""
        if self._root is None or not self._written_language:
            return
        files = [part for part in self._root.parts if part.tag == "file"]
        name, elements = ("trgLang", [self._root]) if self._second else ("target-language", files)
        for element in elements:
            inside = any(element.begin < place < element.end for place in filled)
            if inside and not element.attributes.get(name):
                start = self._content[element.begin : element.inner].decode().rstrip(">").rstrip()
                start = re.sub(rf"\s{name}\s*=\s*(\"\"|'')", "", start)
                yield element.begin, element.inner, f'{start} {name}="{self._written_language}">'

    def _edits(
        self, unit: _Element, source: _Element, text: str, draft: Draft
    ) -> Iterator[tuple[int, int, str]]:
        target = unit.part("target")
        confidence = draft.confidence
        flagged = self._options.fuzzy_flag
        state = "needs-review-translation" if flagged and not draft.accepted else "translated"
        states = f'state="{state}"' + ("" if draft.accepted else ' state-qualifier="mt-suggestion"')
        opening = f"<{self._name(source, 'target')} {states}>"
        behind = ""
        if self._second:
            digest = draft_digest(self._inside(source), [text])
            yield self._segment_state(unit, "" if draft.accepted else f"{confidence:.2f}-{digest}")
            opening = f"<{self._name(source, 'target')}>"
        else:
            note = self._name(source, "note")
            said = draft_note(confidence, self._inside(source), {0: text}, plural=False, flagged=flagged)
            if not draft.accepted:
                behind = f'<{note} from="isogloss">{said.removeprefix("isogloss: ")}</{note}>'
            for known in self._notes(unit):
                yield known.begin, known.end, behind
                behind = ""
        if target is not None:
            given = self._content[target.begin : target.inner].decode().rstrip("/>")
            if not self._second:
                given = f"{_STATES.sub('', given).rstrip()} {states}"
            begin, end, opening = target.begin, target.end, given.rstrip() + ">"
            indent, first = self._indent(target), ""
        else:
            before = unit.part("seg-source") or source
            begin = end = before.end
            indent = first = self._indent(source)
        whole = f"{first}{opening}{text}</{self._name(source, 'target')}>"
        yield begin, end, whole + (indent + behind if behind else "")

    def _name(self, source: _Element, name: str) -> str:
        """Return an element name with the namespace prefix of the source element."""
        given = re.match(rb"<([\w.-]+:)?", self._content[source.begin : source.inner])
        return (given[1].decode() if given and given[1] else "") + name

    def _segment_state(self, segment: _Element, mark: str) -> tuple[int, int, str]:
        start = self._content[segment.begin : segment.inner].decode()
        given = _STATES.sub("", start.rstrip(">")).rstrip()
        mark = f' subState="isogloss:draft-{mark}"' if mark else ""
        return segment.begin, segment.inner, f'{given} state="translated"{mark}>'


class TmxCatalog(_XmlCatalog):
    """A TMX file: units that lack the target language get a translation."""

    names = frozenset({"tmx", "header", "body", "tu", "tuv", "seg", "prop"})
    format = "TMX"

    def __init__(
        self,
        path: StrPath,
        source_language: str = "",
        target_language: str = "",
        options: FillOptions | None = None,
        *,
        everything: bool = False,
    ) -> None:
        super().__init__(path, options, everything=everything)
        if self._root is None or self._root.tag != "tmx":
            raise DataFormatError("TMX begins with <tmx>", path, 1)
        header, body = self._root.part("header"), self._root.part("body")
        named = header.attributes.get("srclang", "") if header is not None else ""
        source_language = source_language or ("" if named == "*all*" else named)
        if not target_language or not source_language:
            raise ConfigError(f"{path}: give --source-language and --target-language")
        self.language = target_language
        self._wanted: list[tuple[_Element, _Element, _Element | None, Inline]] = []
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
            draft = target is not None and self._options.replace_drafts and self._is_draft(target, seg)
            kept = filled is not None and self._inside(filled).strip() and not everything
            if kept and not draft:
                self.translated += 1
            elif inline.text.strip():
                self._wanted.append((unit, seg, target, inline))
        if not self._wanted and not self.translated and body is not None and body.parts:
            codes = sorted(
                {_language(part) for unit in body.parts for part in unit.parts if part.tag == "tuv"}
            )
            raise DataFormatError(
                f"no unit has a text in '{source_language}'; the file's languages are {', '.join(codes)}",
                path,
                body.line,
                "choose one with --source-language",
            )

    def _is_draft(self, target: _Element, source: _Element) -> bool:
        segment, note = target.part("seg"), self._property(target)
        match = note and _OWN_PROPERTY.fullmatch(self._inside(note))
        if not match or segment is None:
            return False
        return match[1] == draft_digest(self._inside(source), [self._inside(segment)])

    @staticmethod
    def _property(tuv: _Element) -> _Element | None:
        properties = (part for part in tuv.parts if part.tag == "prop")
        return next((part for part in properties if part.attributes.get("type") == "x-isogloss"), None)

    def messages(self) -> list[str]:
        """Return the messages to translate, with tags in place of inline elements."""
        return [inline.text for *_, inline in self._wanted]

    def places(self) -> list[int]:
        """Return the line on which each unit begins."""
        return [unit.line for unit, *_ in self._wanted]

    def entries(self) -> list[int]:
        """Return a number for the entry of each message."""
        return list(range(len(self._wanted)))

    def contexts(self) -> list[str]:
        """Return no contexts: a unit of a memory is found anywhere."""
        return [""] * len(self._wanted)

    def formats(self) -> list[frozenset[str]]:
        """Return no flags: these formats have none."""
        return [frozenset()] * len(self._wanted)

    def targets(self) -> list[str]:
        """Return the translation that each message has already; empty if none."""
        return [
            ""
            if target is None or (segment := target.part("seg")) is None
            else inline.read_beside(self._inside(segment))
            for _, _, target, inline in self._wanted
        ]

    def states(self) -> list[EntryState]:
        """Return how far each message is."""
        found: list[EntryState] = []
        for (_, source, target, _), text in zip(self._wanted, self.targets(), strict=True):
            if target is None or not text.strip():
                found.append("empty")
            else:
                found.append("draft" if self._is_draft(target, source) else "done")
        return found

    def filled(self, drafts: Sequence[Draft | None]) -> bytes:
        """Return the file with the drafts filled in; a property marks them as drafts."""
        edits = []
        for (unit, source, target, inline), draft in zip(self._wanted, drafts, strict=True):
            if draft is None:
                continue
            inside = inline.write(draft.text)
            digest = draft_digest(self._inside(source), [inside])
            note = f'<prop type="x-isogloss">draft {digest}, confidence {draft.confidence:.2f}</prop>'
            note = "" if draft.accepted else note
            segment = target.part("seg") if target is not None else None
            if target is not None and segment is not None:
                if (known := self._property(target)) is not None:
                    edits.append((known.begin, known.end, note))
                    note = ""
                edits.append((segment.begin, segment.end, f"{note}<seg>{inside}</seg>"))
            else:
                last = unit.parts[-1]
                tuv = f"<tuv xml:lang={attribute(self.language)}>{note}<seg>{inside}</seg></tuv>"
                edits.append((last.end, last.end, self._indent(last) + tuv))
        return self._edited(edits)


def _language(tuv: _Element) -> str:
    return tuv.attributes.get(_XML_LANG) or tuv.attributes.get("lang", "")


def _of_language(found: Mapping[str, _Element], wanted: str) -> _Element | None:
    return next((element for code, element in found.items() if same_language(wanted, code)), None)


@dataclass(frozen=True, slots=True)
class _XmlText:
    """The content of a file in UTF-8, and its original encoding, to write it back the same way."""

    utf8: bytes
    """Content, with a declaration that says UTF-8."""
    declaration: str
    """Original XML declaration up to the encoding name; empty if it names none."""
    encoding: str
    mark: bytes
    """Byte-order mark at the start of the file."""

    @classmethod
    def read(cls, path: StrPath) -> _XmlText:
        raw = read_whole(path)
        marks = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
        mark = next((known for known in marks if raw.startswith(known)), b"")
        starts = {b"<\0": "utf-16-le", b"\0<": "utf-16-be"}  # without a mark
        encoding = marks.get(mark) or starts.get(raw[:2], "utf-8")
        raw = raw.removeprefix(mark)
        declared = re.match(rb"""<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']""", raw)
        if not mark and declared:
            encoding = declared[1].decode()
        try:
            text = raw.decode(encoding)
        except (LookupError, UnicodeError) as error:
            raise DataFormatError(f"XML in an encoding that cannot be read ({error})", path, 1) from None
        own = _DECLARATION.match(text)
        if own is not None:
            text = own[1] + '"UTF-8"' + text[own.end() :]
        return cls(text.encode(), own.group() if own else "", encoding, mark)

    def written(self, text: str) -> bytes:
        """Encode an edited text; characters that the encoding lacks become character references."""
        if self.declaration:
            changed = _DECLARATION.match(text)
            assert changed is not None
            text = self.declaration + text[changed.end() :]
        return self.mark + text.encode(self.encoding, errors="xmlcharrefreplace")
