"""Filling the empty entries of a PO catalog. All lines but those of filled entries stay as they are."""

from __future__ import annotations

import gettext
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from isogloss.catalog.messages import Draft
from isogloss.corpus.placeholders import DEFAULT_KINDS, Protector
from isogloss.corpus.po import decoded_lines
from isogloss.io.errors import DataFormatError
from isogloss.io.streams import StrPath

__all__ = ["PoCatalog"]

_LINE = re.compile(
    r'(?P<keyword>msgctxt|msgid_plural|msgid|msgstr(?:\[(?P<form>\d{1,2})\])?)?\s*"(?P<text>(?:[^"\\]|\\.)*)"'
)
_PLURAL_FORMS = re.compile(r"nplurals\s*=\s*(\d{1,2})\s*;\s*plural\s*=\s*([^;\n]+)")
_CHARSET = re.compile(r"(charset=)[\w:.-]+")
_CHARACTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_ESCAPE = str.maketrans(
    {"\\": r"\\", '"': r"\"", **{plain: f"\\{name}" for name, plain in _CHARACTERS.items() if name != "n"}}
)
_MOST_NUMBERS = 300  # numbers that are tried to see which plural form they take


@dataclass(slots=True)
class _Entry:
    """Where the lines of an entry are, and what they say."""

    first: int
    """The line of its first keyword."""
    texts: dict[str, str] = field(default_factory=dict)
    """By keyword: msgid, msgstr[0], …"""
    lines: dict[str, list[int]] = field(default_factory=dict)
    flags: int | None = None
    """The line with its flags."""

    def forms(self) -> list[str]:
        return [keyword for keyword in self.texts if keyword.startswith("msgstr")]

    @property
    def empty(self) -> list[str]:
        """Keywords of the translations that are missing."""
        return [keyword for keyword in self.forms() if not self.texts[keyword]]


class PoCatalog:
    """A catalog whose empty entries can be filled."""

    def __init__(self, path: StrPath) -> None:
        self._path = path
        self._lines = list(decoded_lines(path))
        self._entries = list(self._read())
        header = next((entry for entry in self._entries if entry.texts.get("msgid") == ""), None)
        self._header = header
        self._plurals = _Plurals(header.texts.get("msgstr", "") if header is not None else "")
        self._wanted = [
            (entry, keyword)
            for entry in self._entries
            if entry is not header
            for keyword in self._missing(entry)
        ]

    def _missing(self, entry: _Entry) -> list[str]:
        if "msgid_plural" not in entry.texts:
            return entry.empty
        known = [f"msgstr[{form}]" for form in range(self._plurals.count)]
        return [keyword for keyword in known if not entry.texts.get(keyword)]

    @property
    def translated(self) -> int:
        """Entries that are left as they are."""
        return len(self._entries) - len({id(entry) for entry, _ in self._wanted}) - (self._header is not None)

    def messages(self) -> list[str]:
        """What is to be translated; plural forms are messages of their own."""
        return [self._source(entry, keyword) for entry, keyword in self._wanted]

    def places(self) -> list[int]:
        """The lines of the file at which the entries of the messages begin, from 1."""
        return [entry.first + 1 for entry, _ in self._wanted]

    def _source(self, entry: _Entry, keyword: str) -> str:
        if "msgid_plural" not in entry.texts:
            return entry.texts["msgid"]
        form = int(keyword[len("msgstr[") : -1])
        return self._plurals.choose(form, entry.texts["msgid"], entry.texts["msgid_plural"])

    def filled(self, drafts: Sequence[Draft]) -> str:
        """The catalog with the drafts in their places, marked as fuzzy."""
        changed: dict[int, list[str]] = {}  # lines by what takes their place
        before: dict[int, list[str]] = {}
        for (entry, keyword), draft in zip(self._wanted, drafts, strict=True):
            lines = _quoted(keyword, draft.text)
            if keyword in entry.lines:
                changed |= {number: [] for number in entry.lines[keyword]}
                changed[entry.lines[keyword][0]] = lines
            else:
                last = max(line for known in entry.lines.values() for line in known)
                before.setdefault(last + 1, []).extend(lines)
        confidences: dict[int, float] = {}
        for (entry, _), draft in zip(self._wanted, drafts, strict=True):
            confidences[entry.first] = min(draft.confidence, confidences.get(entry.first, 1.0))
        for entry in {id(entry): entry for entry, _ in self._wanted}.values():
            self._mark(entry, confidences[entry.first], changed, before)
        if self._header is not None:
            for number in self._header.lines["msgstr"]:
                changed.setdefault(number, [_CHARSET.sub(r"\1UTF-8", self._lines[number])])
        out: list[str] = []
        for number, line in enumerate(self._lines):
            out += before.get(number, [])
            out += changed.get(number, [line])
        out += before.get(len(self._lines), [])
        return "".join(line + "\n" for line in out)

    def _mark(
        self, entry: _Entry, confidence: float, changed: dict[int, list[str]], before: dict[int, list[str]]
    ) -> None:
        top = entry.first
        while top and self._lines[top - 1].startswith("#") and not self._lines[top - 1].startswith("#~"):
            top -= 1
        before.setdefault(top, []).insert(0, f"# isogloss: confidence {confidence:.2f}")
        if entry.flags is None:
            place = next(
                (at for at in range(top, entry.first) if self._lines[at].startswith("#|")), entry.first
            )
            before.setdefault(place, []).append("#, fuzzy")
        elif "fuzzy" not in re.split(r"[\s,]+", self._lines[entry.flags]):
            changed[entry.flags] = [self._lines[entry.flags].rstrip() + ", fuzzy"]

    def _read(self) -> Iterator[_Entry]:
        entry: _Entry | None = None
        keyword, flags = "", None
        for number, line in enumerate(self._lines):
            stripped = line.strip()
            if stripped.startswith("#,"):
                flags = number
            if not stripped or stripped.startswith("#"):
                if entry is not None and entry.forms():
                    yield entry
                    entry = None
                continue
            match = _LINE.fullmatch(stripped)
            if match is None:
                raise DataFormatError(
                    f"found {stripped[:40]!r} where PO expects a comment or a keyword with a quoted text",
                    self._path,
                    number + 1,
                )
            if match["keyword"]:
                keyword = match["keyword"]
                if entry is not None and keyword in ("msgctxt", "msgid") and entry.forms():
                    yield entry
                    entry = None
                if entry is None:
                    entry, flags = _Entry(number, flags=flags), None
            if entry is None or not keyword or (match["keyword"] and keyword in entry.texts):
                raise DataFormatError("this does not follow from the lines before it", self._path, number + 1)
            entry.texts[keyword] = entry.texts.get(keyword, "") + _unescaped(match["text"])
            entry.lines.setdefault(keyword, []).append(number)
        if entry is not None and entry.forms():
            yield entry


class _Plurals:
    """Which forms a language has, as the header says."""

    def __init__(self, header: str) -> None:
        match = _PLURAL_FORMS.search(header)
        self.count = max(1, int(match[1])) if match else 2
        plural: Callable[[int], int] = lambda number: int(number != 1)  # noqa: E731
        if match:
            try:
                plural = gettext.c2py(match[2])
                plural(1)
            except (ValueError, ZeroDivisionError):
                self.count = 2
        self._numbers: dict[int, set[int]] = {}
        for number in range(_MOST_NUMBERS):
            self._numbers.setdefault(int(plural(number)), set()).add(number)
        self._protector = Protector(DEFAULT_KINDS)

    def choose(self, form: int, singular: str, plural: str) -> str:
        """The source of a form: the singular for that of 1, unless it lacks the number that others need."""
        numbers = self._numbers.get(form, set())
        if self.count == 1 or 1 not in numbers:
            return plural
        lacking = set(self._protector.found(plural)) - set(self._protector.found(singular))
        return plural if lacking and numbers - {0, 1} else singular


def _unescaped(text: str) -> str:
    """What stands between quotes, as the text that it means."""
    return re.sub(r"\\(.)", lambda match: _CHARACTERS.get(match[1], match[1]), text)


def _quoted(keyword: str, text: str) -> list[str]:
    """A keyword with its text, a line for each line of it."""
    parts = [f'"{part.translate(_ESCAPE)}\\n"' for part in text.split("\n")]
    last = parts.pop().removesuffix('\\n"') + '"'
    if last != '""' or not parts:
        parts.append(last)
    return [f"{keyword} {parts[0]}"] if len(parts) == 1 else [f'{keyword} ""', *parts]
