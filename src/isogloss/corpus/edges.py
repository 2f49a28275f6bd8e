"""Remove and restore the edges of a sentence: white space at its ends and beside tabs, and accelerators.

``&File`` and ``_Open`` underline a letter and make it a shortcut key. The sentence is translated without the
mark. The translation gets it back, on the same letter if there is one, otherwise on its first letter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import wraps
from typing import Protocol, TypeVar, cast

from isogloss.corpus.placeholder_kinds import ACCELERATORS, KINDS

__all__ = ["Edges", "bare_text", "keep_edges"]

_MOST_WORDS = 8  # in a label
_ACCELERATOR = re.compile(
    rf"(?!{KINDS['entities']})(?:(?<![^\s(\[\"'])|(?<=[^\W\d_]))&(?=[^\W\d_])(?<![A-Z]&(?=[A-Z]))"
    r"|(?<![^\s(\[\"'])_(?=[^\W\d_])|(?<=\b[A-Z])_(?=[a-z])"
)
_AT_END = re.compile(r"\s*\((?P<sign>[&_])(?P<letter>[^\W_])\)")
_TABS = re.compile(r" *\t[ \t]*")
_LETTER = re.compile(r"[^\W\d_]")
_CASELESS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  # labels in these scripts end in (&F)
_PROTECTED = re.compile(r"<[^<>]*>|%\S+|\{[^{}]*\}|&#?\w+;|\S*(?:://|@|_|/)\S*")


@dataclass(frozen=True, slots=True)
class Edges:
    """Edges removed from a sentence, to be restored in its translation.

    >>> text, edges = Edges.off(" Save &As...")
    >>> text, edges.on("Speichern als...")
    ('Save As...', ' Speichern &als...')
    """

    left: str = ""
    right: str = ""
    sign: str = ""
    letter: str = ""

    @classmethod
    def off(cls, text: str, *, accelerators: bool = True) -> tuple[str, Edges]:
        """Return a sentence without its edges, and the edges."""
        plain = text.strip()
        begin = len(text) - len(text.lstrip()) if plain else len(text)
        left, right = text[:begin], text[begin + len(plain) :]
        sign = letter = ""
        if accelerators:
            plain, sign, letter = _without(plain)
        return plain, cls(left, right, sign, letter)

    def on(self, text: str) -> str:
        """Add the edges of the source to a translation."""
        return self.left + self._accelerated(text.strip(" ")) + self.right

    def _accelerated(self, text: str) -> str:
        if not self.sign:
            return text
        taken = [match.span() for match in _PROTECTED.finditer(text)]
        places = [
            match.start()
            for match in _LETTER.finditer(text)
            if not any(begin <= match.start() < end for begin, end in taken)
        ]
        if not places or _CASELESS.match(text[places[0]]):
            end = re.search(r"(?:\.{3}|…|[:：])?$", text)
            at = end.start() if end else len(text)
            return f"{text[:at]}({self.sign}{self.letter.upper()}){text[at:]}"
        same = [place for place in places if text[place].lower() == self.letter.lower()]
        starts = [place for place in places if place == 0 or not text[place - 1].isalnum()]
        # In the middle of a word, a reader of the file could mistake the mark for another character.
        place = next((place for place in same if place in starts), starts[0] if starts else places[0])
        return text[:place] + self.sign + text[place:]


def _without(text: str) -> tuple[str, str, str]:
    if not ("&" in text or "_" in text) or len(text.split()) > _MOST_WORDS:
        return text, "", ""
    if match := _AT_END.search(text):
        return text[: match.start()] + text[match.end() :], match["sign"], match["letter"]
    found = list(_ACCELERATOR.finditer(text))
    if len(found) != 1 or "://" in text:
        return text, "", ""
    at = found[0].start()
    return text[:at] + text[at + 1 :], text[at], text[at + 1]


def bare_text(text: str, kinds: Collection[str] = (ACCELERATORS,)) -> str:
    """Strip white space from the ends and, if ``kinds`` include them, remove accelerators."""
    return _without(text.strip())[0] if ACCELERATORS in kinds else text.strip()


class _Processing(Protocol):
    @property
    def placeholders(self) -> tuple[str, ...]: ...


P = TypeVar("P", bound=_Processing, contravariant=True)


class _Detokenize(Protocol[P]):
    def __call__(self, processing: P, line: str, source: str = "", /) -> str: ...

    def __get__(self, processing: P, owner: type | None = None, /) -> _Bound: ...


class _Bound(Protocol):
    def __call__(self, line: str, source: str = "") -> str: ...


def keep_edges(detokenize: Callable[[P, str, str], str]) -> _Detokenize[P]:
    """Decorate a detokenizer so that a translation keeps its source's outer white space, tabs and
    accelerator."""

    @wraps(detokenize)
    def kept(self: P, line: str, source: str = "") -> str:
        if not self.placeholders:
            return detokenize(self, line, source)
        plain, edges = Edges.off(source, accelerators=ACCELERATORS in self.placeholders)
        return edges.on(_keep_tabs(detokenize(self, line, plain), plain))

    return cast(_Detokenize[P], kept)


def _keep_tabs(text: str, source: str) -> str:
    """Return a translation with the white space around tabs that its source has: tabs divide columns.

    >>> _keep_tabs("Regal \\t Buch", "shelf\\tbook")
    'Regal\\tBuch'
    """
    if "\t" not in source:
        return text
    wanted = _TABS.findall(source)
    if len(_TABS.findall(text)) != len(wanted):
        return text
    found = iter(wanted)
    return _TABS.sub(lambda _: next(found), text)
