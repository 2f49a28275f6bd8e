"""Fill the entries of a PO catalog. All bytes outside filled entries are preserved."""

from __future__ import annotations

import codecs
import gettext
import itertools
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from isogloss.catalog.messages import Draft, EntryState
from isogloss.catalog.options import FillOptions
from isogloss.corpus.draft_mark import NOTE, draft_note, untouched_drafts
from isogloss.corpus.placeholders import DEFAULT_KINDS, Protector
from isogloss.corpus.po_text import header_encoding, is_comment, message_text, quoted, unescaped
from isogloss.io.errors import DataFormatError
from isogloss.io.streams import StrPath, not_text, read_whole

__all__ = ["PoCatalog"]

_LINE = re.compile(
    r'(?P<keyword>msgctxt|msgid_plural|msgid|msgstr(?:\[(?P<form>\d{1,2})\])?)?\s*"(?P<text>(?:[^"\\]|\\.)*)"'
)
_PLURAL_FORMS = re.compile(r"nplurals\s*=\s*(\d{1,2})\s*;\s*plural\s*=\s*([^;\n]+)")
_CHARSET = re.compile(rb"(charset=)[\w:.-]+")
_MOST_NUMBERS = 300  # numbers to try, to see which plural form each takes


@dataclass(slots=True)
class _Entry:
    """The lines of an entry and their content."""

    top: int
    """First line of the comments directly above the entry."""
    first: int
    """Line of the first keyword."""
    end: int = 0
    """Line after the last one."""
    texts: dict[str, str] = field(default_factory=dict)
    """By keyword: msgid, msgstr[0], …"""
    lines: dict[str, list[int]] = field(default_factory=dict)
    flag_lines: list[int] = field(default_factory=list)
    flags: frozenset[str] = frozenset()
    comment: str = ""

    @property
    def plural(self) -> bool:
        return "msgid_plural" in self.texts

    @property
    def extracted(self) -> str:
        """Comments that come from the program's source code."""
        lines = (line.strip() for line in self.comment.split("\n"))
        return "\n".join(line[2:].strip() for line in lines if line.startswith("#."))

    @property
    def forms(self) -> dict[int, str]:
        """Translations by plural form; an entry without plural has only form 0."""
        return {_form(keyword): text for keyword, text in self.texts.items() if keyword.startswith("msgstr")}

    def keyword(self, form: int) -> str:
        return f"msgstr[{form}]" if self.plural else "msgstr"


def _form(keyword: str) -> int:
    return int(keyword[len("msgstr[") : -1]) if keyword.endswith("]") else 0


class PoCatalog:
    """A catalog whose empty entries can be filled."""

    def __init__(
        self, path: StrPath, options: FillOptions | None = None, *, everything: bool = False
    ) -> None:
        self._path, self._options, self._everything = path, options or FillOptions(), everything
        content = read_whole(path)
        if b"\0" in content:
            raise not_text(path)
        self._raw: list[bytes] = re.findall(rb"[^\n]*\n|[^\n]+\Z", content)
        declared = header_encoding(self._raw)
        # A file declared as ASCII, or not declared, can become UTF-8 without changing a byte.
        self._undeclared = not declared or codecs.lookup(declared).name == "ascii"
        self._encoding = "utf-8" if self._undeclared else declared
        self._lines = [self._decoded(number, line) for number, line in enumerate(self._raw)]
        self._entries = list(self._read())
        header = next((entry for entry in self._entries if entry.texts.get("msgid") == ""), None)
        self._header = header
        most = max((_without_gap(entry.forms) for entry in self._entries if entry.plural), default=0)
        self._plurals = _Plurals(header.texts.get("msgstr", "") if header is not None else "", most)
        self._wanted = [
            (entry, form)
            for entry in self._entries
            if entry is not header and entry.texts["msgid"]
            for form in sorted(self._replaceable(entry))
        ]

    def _decoded(self, number: int, line: bytes) -> str:
        try:
            text = line.decode(self._encoding, errors="replace" if is_comment(line) else "strict")
        except UnicodeDecodeError as error:
            raise DataFormatError(
                f"byte 0x{line[error.start]:02x} at column {error.start + 1} is not valid {self._encoding}",
                self._path,
                number + 1,
                "does the header's charset tell the truth?",
            ) from None
        return (text.removeprefix("\ufeff") if number == 0 else text).removesuffix("\n").removesuffix("\r")

    def _replaceable(self, entry: _Entry) -> set[int]:
        """Return the plural forms to translate: missing ones, and those that the options replace."""
        known = set(range(self._plurals.count) if entry.plural else [0]) | entry.forms.keys()
        fuzzy = "fuzzy" in entry.flags
        if self._everything:
            return known
        if self._options.replace_fuzzy and fuzzy:
            return known
        found = {form for form in known if not entry.forms.get(form)}
        return found | self._drafts(entry) if self._options.replace_drafts else found

    @staticmethod
    def _drafts(entry: _Entry) -> set[int]:
        return untouched_drafts(
            entry.comment, entry.texts["msgid"], entry.forms, flagged="fuzzy" in entry.flags
        )

    @property
    def translated(self) -> int:
        """Number of entries that are left unchanged."""
        return len(self._entries) - len({id(entry) for entry, _ in self._wanted}) - (self._header is not None)

    @property
    def language(self) -> str:
        """Target language that the header declares."""
        header = self._header.texts.get("msgstr", "") if self._header is not None else ""
        match = re.search(r"^Language:[ \t]*(\S*)", header, re.MULTILINE)
        return match[1] if match else ""

    def messages(self) -> list[str]:
        """Return the messages to translate; each plural form is a separate message."""
        return [self._source(entry, form) for entry, form in self._wanted]

    def places(self) -> list[int]:
        """Return the line on which the entry of each message begins, counted from 1."""
        return [entry.first + 1 for entry, _ in self._wanted]

    def entries(self) -> list[int]:
        """Return a number for the entry of each message; the forms of a plural entry share it."""
        return [entry.first for entry, _ in self._wanted]

    def contexts(self) -> list[str]:
        """Return the ``msgctxt`` of each message; empty if it has none."""
        return [entry.texts.get("msgctxt", "") for entry, _ in self._wanted]

    def formats(self) -> list[frozenset[str]]:
        """Return the flags of each message's entry, such as ``c-format``."""
        return [entry.flags for entry, _ in self._wanted]

    def targets(self) -> list[str]:
        """Return the translation that each message has already; empty if none."""
        return [entry.forms.get(form, "") for entry, form in self._wanted]

    def states(self) -> list[EntryState]:
        """Return how far each message is."""
        found: list[EntryState] = []
        for entry, form in self._wanted:
            if not entry.forms.get(form):
                found.append("empty")
            elif form in self._drafts(entry):
                found.append("draft")
            else:
                found.append("fuzzy" if "fuzzy" in entry.flags else "done")
        return found

    def refuses(self, text: str) -> str:
        """Return why a text cannot be written to this file; empty if it can."""
        try:
            text.encode(self._encoding)
        except UnicodeEncodeError as error:
            return f"'{text[error.start]}' cannot be written in {self._encoding}, the catalog's encoding"
        return "it contains a zero byte" if "\0" in text else ""

    def _source(self, entry: _Entry, form: int) -> str:
        if not entry.plural:
            return message_text(entry.texts["msgid"], entry.extracted)
        return self._plurals.choose(form, entry.texts["msgid"], entry.texts["msgid_plural"])

    def filled(self, drafts: Sequence[Draft | None]) -> bytes:
        """Return the catalog with the drafts filled in; entries without a draft stay unchanged."""
        by_entry: dict[int, dict[int, Draft]] = {}
        for (entry, form), draft in zip(self._wanted, drafts, strict=True):
            if draft is not None:
                by_entry.setdefault(entry.top, {})[form] = draft
        written = bytearray()
        done = 0
        texts = "".join(draft.text for forms in by_entry.values() for draft in forms.values())
        for entry in self._entries:
            if entry.top in by_entry:
                written += b"".join(self._raw[done : entry.top]) + self._rewritten(entry, by_entry[entry.top])
                done = entry.end
            elif entry is self._header and self._undeclared and not texts.isascii():
                written += b"".join(self._raw[done : entry.first])
                written += _CHARSET.sub(rb"\1UTF-8", b"".join(self._raw[entry.first : entry.end]))
                done = entry.end
        return bytes(written) + b"".join(self._raw[done:])

    def _rewritten(self, entry: _Entry, drafts: Mapping[int, Draft]) -> bytes:
        """Return an entry with drafts; its other lines keep their order and line ends."""
        end = "\r\n" if self._raw[entry.first].endswith(b"\r\n") else "\n"
        mark = codecs.BOM_UTF8 if self._raw[entry.top].startswith(codecs.BOM_UTF8) else b""
        finished = all(draft.accepted for draft in drafts.values()) and not any(
            not text and form not in drafts for form, text in entry.forms.items()
        )
        flagged = self._options.fuzzy_flag and not finished
        out = [] if finished else [self._note(entry, drafts).encode() + end.encode()]
        previous = (at for at in range(entry.top, entry.first) if self._lines[at].lstrip().startswith("#|"))
        place = next(previous, entry.first)  # flags come before the previous msgid
        new_flag = flagged and not entry.flag_lines
        for number in range(entry.top, entry.first + 1):
            if number == place and new_flag:
                out.append(f"#, fuzzy{end}".encode())
            if number == entry.first or NOTE.fullmatch(self._lines[number].lstrip("# ")):
                continue
            known = self._raw[number].removeprefix(mark)
            out.append(self._flags(entry, number, end, flagged) if number in entry.flag_lines else known)
        strings = {number for form in entry.forms for number in entry.lines[entry.keyword(form)]}
        out += [
            self._raw[number].removeprefix(mark)
            for number in range(entry.first, entry.end)
            if number not in strings
        ]
        for form in sorted(entry.forms.keys() | drafts.keys()):
            keyword = entry.keyword(form)
            if form not in drafts:
                out += [self._raw[number] for number in entry.lines[keyword]]
                continue
            above = self._lines[min(strings)]
            indent = above[: len(above) - len(above.lstrip())]
            parts = quoted(drafts[form].text)
            parts = [f"{keyword} {parts[0]}"] if len(parts) == 1 else [f'{keyword} ""', *parts]
            out += [f"{indent}{part}{end}".encode(self._encoding) for part in parts]
        out = [line if line.endswith(b"\n") else line + end.encode() for line in out if line]
        written = mark + b"".join(out)
        return written if self._raw[entry.end - 1].endswith(b"\n") else written.removesuffix(end.encode())

    def _note(self, entry: _Entry, drafts: Mapping[int, Draft]) -> str:
        kept = self._drafts(entry) - drafts.keys()
        return "# " + draft_note(
            min(draft.confidence for draft in drafts.values()),
            entry.texts["msgid"],
            {**{form: entry.forms[form] for form in kept}, **{form: drafts[form].text for form in drafts}},
            plural=entry.plural,
            flagged=self._options.fuzzy_flag,
        )

    def _flags(self, entry: _Entry, number: int, end: str, flagged: bool) -> bytes:
        """Return a line of flags with ``fuzzy`` added or removed."""
        line = self._lines[number]
        given = [flag for flag in re.split(r"[\s,]+", line.strip().removeprefix("#,")) if flag]
        if flagged:
            if "fuzzy" in entry.flags or number != entry.flag_lines[-1]:
                return self._raw[number]
            return f"{line.rstrip()}, fuzzy{end}".encode(self._encoding)
        if "fuzzy" not in given:
            return self._raw[number]
        given.remove("fuzzy")
        return f"#, {', '.join(given)}{end}".encode(self._encoding) if given else b""

    def _read(self) -> Iterator[_Entry]:
        entry: _Entry | None = None
        keyword, top = "", -1
        flags: list[int] = []
        for number, line in enumerate(self._lines):
            stripped = line.strip()
            if not stripped or stripped.startswith("#"):
                if entry is not None and _complete(entry):
                    yield entry
                    entry = None
                if stripped.startswith("#,"):
                    flags.append(number)
                if stripped.startswith("#~"):
                    flags = []
                top = -1 if not stripped or stripped.startswith("#~") else number if top < 0 else top
                continue
            match = _LINE.fullmatch(stripped)
            if match is None:
                raise DataFormatError(
                    f"found {stripped[:40]!r} where PO expects a comment or a keyword with a quoted text",
                    self._path,
                    number + 1,
                )
            if match["keyword"]:
                keyword = match["keyword"] if match["form"] is None else f"msgstr[{int(match['form'])}]"
                if entry is not None and keyword in ("msgctxt", "msgid") and _complete(entry):
                    yield entry
                    entry = None
                if entry is None and keyword in ("msgctxt", "msgid"):
                    entry, flags = self._begun(number, top, flags), []
            if entry is None or not keyword or (match["keyword"] and not _follows(keyword, entry)):
                raise DataFormatError("this does not follow from the lines before it", self._path, number + 1)
            text = unescaped(match["text"], self._encoding)
            entry.texts[keyword] = entry.texts.get(keyword, "") + text
            entry.lines.setdefault(keyword, []).append(number)
            entry.end, top = number + 1, -1
        if entry is not None and _complete(entry):
            yield entry

    def _begun(self, number: int, top: int, flags: list[int]) -> _Entry:
        top = number if top < 0 else top
        words = (word for at in flags for word in re.split(r"[\s,]+", self._lines[at].strip()[2:]) if word)
        return _Entry(
            top,
            number,
            flag_lines=[at for at in flags if at >= top],
            flags=frozenset(words),
            comment="\n".join(self._lines[top:number]),
        )


def _follows(keyword: str, entry: _Entry) -> bool:
    """Whether a keyword may come after those of an entry; numbered forms belong to a plural."""
    if keyword in entry.texts:
        return False
    if keyword.startswith("msgstr"):
        return "msgid" in entry.texts and keyword.endswith("]") == entry.plural
    return not entry.forms


def _complete(entry: _Entry) -> bool:
    return "msgid" in entry.texts and bool(entry.forms)


def _without_gap(forms: Container[int]) -> int:
    """How many forms there are from 0 on; one beyond a gap says nothing about the language."""
    return next(form for form in itertools.count() if form not in forms)


def _forms_of_numbers(plural: Callable[[int], int]) -> list[int]:
    return [int(plural(number)) for number in range(_MOST_NUMBERS)]


class _Plurals:
    """The plural forms of a language, from the header, else from the number of forms in the entries."""

    def __init__(self, header: str, most: int) -> None:
        match = _PLURAL_FORMS.search(header)
        self.count = max(1, int(match[1])) if match else max(2, most)
        try:
            forms = _forms_of_numbers(gettext.c2py(match[2])) if match else []
        except (ValueError, ArithmeticError, RecursionError, MemoryError):
            forms, self.count = [], 2
        self._numbers: dict[int, set[int]] = {}
        for number, form in enumerate(forms or _forms_of_numbers(lambda number: int(number != 1))):
            self._numbers.setdefault(form, set()).add(number)
        self._protector = Protector(DEFAULT_KINDS)

    def choose(self, form: int, singular: str, plural: str) -> str:
        """Return the source of a form: the singular for the form of 1, otherwise the plural.

        If the form of 1 covers other numbers too and the singular lacks the number, the plural is used.
        """
        numbers = self._numbers.get(form, set())
        if self.count == 1 or 1 not in numbers:
            return plural
        lacking = set(self._protector.found(plural)) - set(self._protector.found(singular))
        return plural if lacking and numbers - {0, 1} else singular
