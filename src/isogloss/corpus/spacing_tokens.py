"""What a spacing model sees of tokens: their properties, as arrays for the engine."""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, pairwise
from threading import Lock

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.corpus.profile import UNSPACED, script_of

__all__ = [
    "EDGE",
    "PROPERTIES",
    "Beside",
    "Encoded",
    "TokenTypes",
    "beside_in_source",
    "encode",
    "hashed",
    "paired",
    "space_code",
    "token_text",
]

Hashes = npt.NDArray[np.uint64]

PROPERTIES = "wslfkWSLFKXYR"
"""Properties of a token: the word, its shape, the classes of its last and first character, its category.

Capitals are the same for the token with entities and apostrophes in their plain form. The last ones are
absent for most tokens: the text of a placeholder, whether its name says that it opens or closes something,
and whether a token is a path, an address, an option or an extension. Stored models know properties by these
letters, so what a letter means must not change.
"""
EDGE = "\x02"
"""Stands for the tokens beyond the ends of a line."""
_JOINED = re.compile(r"@([^@\s])@")  # a hyphen inside a word, as some tokenizers write it
_PAIRED = {'"': "", "'": "", "`": "", "*": "", "|": "", "״": "", "&quot;": ""}
_PAIRED |= {"”": "“„", "“": "„”", "’": "‘‚", "‘": "’‚", "»": "«", "«": "»"}
"""Marks that can both open and close; if one of the listed partners is in the line, they do only one."""
_PRINTED, _TYPED = re.compile("[’“”«»…„]"), re.compile("['\"]")
_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]*)[^<>]*?(/?)>")
_HELD = re.compile(r"[%{$&<].*", re.DOTALL)
_OPENS = re.compile(r"(?<![a-z])(?:start|open|begin)", re.IGNORECASE)
_CLOSES = re.compile(r"(?<![a-z])(?:end|close|stop)(?![a-z])", re.IGNORECASE)
_PATH = re.compile(r"(?P<path>~?/|\.{1,2}/)|(?P<option>--?)|(?P<extension>\.)|\w+(?P<address>://)")
_BRACKETS = frozenset({"&lt;", "&gt;"})  # they enclose words, while < and > usually compare
_REMEMBERED = 1 << 16  # tokens whose kind is remembered: text repeats them
_WORD_END, _WORD_BEGIN, _UNSPACED_END, _UNSPACED_BEGIN = 1, 2, 4, 8


@dataclass(frozen=True, slots=True)
class Beside:
    """What is beside a token in the source: its place there and its neighbors.

    A neighbor is ``w`` for a word, ``%`` or ``<`` for a placeholder or tag, the mark itself for anything
    else, white space, and empty for an end of the text.
    """

    place: int
    left: str
    right: str


def token_text(token: str) -> str:
    """Return a token as it appears in text."""
    return token[1] if len(token) == 3 and _JOINED.fullmatch(token) else token


def space_code(space: str) -> str:
    """Encode white space with visible characters."""
    return "+".join(f"{ord(c):x}" for c in space) or "-"


@cache
def hashed(value: str) -> int:
    """Return the number that stands for a value of a field."""
    return _engine.hash64(value)


class TokenTypes(dict[str, int]):
    """Numbers the types of tokens, and keeps their properties. Type 0 is ``EDGE``.

    Several threads may use it.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._properties = np.zeros((256, len(PROPERTIES)), np.uint64)
        self._flags = np.zeros(256, np.uint8)
        self[EDGE]

    def __missing__(self, token: str) -> int:
        properties, flags = _described(token)
        with self._lock:
            number = self.get(token, len(self))
            if number == len(self._flags):
                self._properties = np.concatenate([self._properties, np.zeros_like(self._properties)])
                self._flags = np.concatenate([self._flags, np.zeros_like(self._flags)])
            self._properties[number] = properties
            self._flags[number] = flags
            self[token] = number
        return number

    def arrays(self) -> tuple[Hashes, npt.NDArray[np.uint8]]:
        """Return the properties and flags of all types."""
        with self._lock:
            return self._properties, self._flags


@dataclass(frozen=True, slots=True)
class Encoded:
    """Lines as arrays for the engine; the fields have the order of its parameters."""

    tokens: npt.NDArray[np.uint32]
    offsets: npt.NDArray[np.int64]
    properties: Hashes
    flags: npt.NDArray[np.uint8]
    styles: Hashes
    touches: Hashes

    def arguments(
        self,
    ) -> tuple[
        npt.NDArray[np.uint32],
        npt.NDArray[np.int64],
        Hashes,
        npt.NDArray[np.uint8],
        Hashes,
        Hashes,
    ]:
        """Return the arguments for the engine."""
        return self.tokens, self.offsets, self.properties, self.flags, self.styles, self.touches


def encode(
    lines: Sequence[Sequence[str]], beside: Sequence[Sequence[Beside | None]], types: TokenTypes
) -> Encoded:
    """Turn lines into arrays; ``beside`` is known for the tokens of each line, or empty."""
    numbers: list[int] = []
    offsets, styles = [0], []
    for tokens in lines:
        numbers += map(types.__getitem__, paired(tokens))
        offsets.append(len(numbers))
        styles.append(_style(tokens))
    touches = np.zeros(len(numbers) if any(map(any, beside)) else 0, np.uint64)
    if len(touches):
        for begin, tokens, placeholders in zip(offsets[:-1], lines, beside, strict=True):
            for at, touch in _touches(tokens, placeholders):
                touches[begin + at] = hashed(touch)
    return Encoded(
        np.array(numbers, np.uint32),
        np.array(offsets, np.int64),
        *types.arrays(),
        np.array([hashed(style) for style in styles], np.uint64),
        touches,
    )


def paired(tokens: Sequence[str]) -> Sequence[str]:
    """Distinguish opening and closing marks that look alike, such as straight quotes."""
    if _PAIRED.keys().isdisjoint(tokens):
        return tokens
    total = Counter([token for token in tokens if token in _PAIRED])
    runs = Counter([one for before, one in pairwise(chain([""], tokens)) if one in _PAIRED and one != before])
    seen: Counter[str] = Counter()
    found = []
    for before, token in pairwise(chain([""], tokens)):
        if token in total and not any(other in total for other in _PAIRED[token]):
            doubled = total[token] == 2 * runs[token] and runs[token] % 2 == 0  # ``x``
            seen[token] += not doubled or token != before
            token += "?" if total[token] % 2 else "(" if seen[token] % 2 else ")"
        found.append(token)
    return found


def beside_in_source(
    tokens: Sequence[str], source: Sequence[str], spaces: Sequence[str]
) -> list[Beside | None]:
    """Find the marks and placeholders of a translation in its source, and their neighbors there.

    ``spaces`` is the white space between the tokens of the source. The first occurrence of a token in the
    translation corresponds to the first in the source, and so on.

    >>> beside_in_source(["x", "/", "y"], ["a", "/", "b"], [" ", ""])[1]
    Beside(place=1, left=' ', right='w')
    """
    places: dict[str, list[int]] = {}
    for place, token in enumerate(source):
        if _neighbor(token) != "w":
            places.setdefault(token, []).append(place)
    found: list[Beside | None] = []
    seen: Counter[str] = Counter()
    for token in tokens:
        known = places.get(token, ())
        if seen[token] < len(known):
            place = known[seen[token]]
            seen[token] += 1
            left = "" if place == 0 else spaces[place - 1][:1] or _neighbor(source[place - 1])
            right = "" if place == len(spaces) else spaces[place][:1] or _neighbor(source[place + 1])
            found.append(Beside(place, left, right))
        else:
            found.append(None)
    return found


@lru_cache(_REMEMBERED)
def _neighbor(token: str) -> str:
    """Return the kind of a token as a neighbor: a word, a placeholder, or the mark itself."""
    shape = _shape(token)
    if shape[:1] == "<" and len(shape) > 1:
        return "<"
    if shape == "%s":
        return "%"
    return "w" if any(map(str.isalnum, token)) else token


def _touches(tokens: Sequence[str], beside: Sequence[Beside | None]) -> Iterable[tuple[int, str]]:
    for at, (left, right) in enumerate(pairwise(beside)):
        if left is not None or right is not None:
            yield at, _touch(tokens[at], left, tokens[at + 1], right)


def _touch(first: str, left: Beside | None, second: str, right: Beside | None) -> str:
    """Compare the neighbors of two tokens here and in the source.

    For each: white space there (its code), an end of the text (|), the same neighbor (1), another (0).
    """
    if left is not None and right is not None and right.place == left.place + 1:
        return "=" + (space_code(left.right) if left.right.isspace() else "1")
    found = ""
    if left is not None:
        found += "a" + _compared(left.right, second)
    if right is not None:
        found += "b" + _compared(right.left, first)
    return found


def _compared(there: str, here: str) -> str:
    if there.isspace():
        return space_code(there)
    return "|" if not there else "1" if there == _neighbor(here) else "0"


def _style(tokens: Sequence[str]) -> str:
    """Whether a line has typographic or typewriter quotes: authors usually use one style throughout."""
    text = "".join(tokens)
    return ("p" if _PRINTED.search(text) else "") + ("t" if _TYPED.search(text) else "")


def _described(token: str) -> tuple[list[int], int]:
    """Return the properties and flags of a token."""
    shape = _shape(token)
    last, first = _edge(token, shape, -1), _edge(token, shape, 0)
    flags = 0
    if last in ("w", "h", "0"):
        flags |= _WORD_END | (_UNSPACED_END if last == "h" else 0)
    if first in ("w", "h", "0"):
        flags |= _WORD_BEGIN | (_UNSPACED_BEGIN if first == "h" else 0)
    values = [_word(token, shape), shape, last, first, _category(token)]
    if (plain := _plain(token)) == token:
        values *= 2
    else:
        shape = _shape(plain)
        values += [
            _word(plain, shape),
            shape,
            _edge(plain, shape, -1),
            _edge(plain, shape, 0),
            _category(plain),
        ]
    return [_engine.hash64(value) for value in values] + [
        _engine.hash64(value) if value else 0 for value in _rare(token)
    ], flags


def _rare(token: str) -> tuple[str, str, str]:
    """Return the properties that most tokens lack; empty if absent.

    >>> _rare("%(link_end)s"), _rare("/usr/lib"), _rare("word")
    (('%(link_end)s', ')', ''), ('', '', 'path'), ('', '', ''))
    """
    if _shape(token) == "%s":
        return token, "(" if _OPENS.search(token) else ")" if _CLOSES.search(token) else "", ""
    match = _PATH.match(token) if any(map(str.isalnum, token)) else None
    return "", "", "" if match is None else match.lastgroup or ""


def _plain(token: str) -> str:
    """Return a token with entities and apostrophes in their plain form.

    >>> _plain("&mdash;"), _plain("l’"), _plain("&lt;")
    ('—', "l'", '&lt;')
    """
    if token[:-1] == "&quot;":
        return f'"{token[-1]}'
    if token[0] == "&" and token[-1] == ";" and token not in _BRACKETS:
        character = html.unescape(token)
        return character if len(character) == 1 and not character.isspace() else token
    return re.sub("[’ʼ]", "'", token) if len(token) > 1 and any(map(str.isalnum, token)) else token


def _edge(token: str, shape: str, place: int) -> str:
    """Return the class of a token's first (place 0) or last (-1) character."""
    if token == EDGE or shape[:1] == "<" or shape == "%s" or token[:-1] in _PAIRED:
        return shape
    character = token[place]
    if character.isdigit():
        return "0"
    if character.isalnum() or unicodedata.category(character)[0] == "M":
        return "h" if script_of(character) in UNSPACED else "w"
    return f"x{character}" if any(map(str.isalnum, token)) else token


def _category(token: str) -> str:
    """Return the Unicode category of a punctuation mark or symbol; empty for words."""
    if any(map(str.isalnum, token)):
        return ""
    if token[:-1] in _PAIRED:
        return token[-1]
    return unicodedata.category(token[0])


def _word(token: str, shape: str) -> str:
    """Normalize a token: ignore case, and the name of a placeholder."""
    if tag := _TAG.fullmatch(token):
        return f"<{tag.group(1)}{tag.group(2)}{tag.group(3)}>".casefold()
    return shape if shape == "%s" else token.casefold()


def _is_word(token: str) -> bool:
    return all(c.isalnum() or unicodedata.category(c)[0] == "M" for c in token)


def _shape(token: str) -> str:
    """Return the shape of a token: script and case of a word, the pattern of mixed tokens, or the mark."""
    if token == EDGE:
        return token
    if tag := _TAG.fullmatch(token):
        return f"<{tag.group(1)}>{tag.group(3)}"
    if token[:-1] in _PAIRED or (token[0] == "&" and token[-1] == ";"):
        return token
    if len(token) > 1 and _HELD.fullmatch(token):
        return "%s"
    if not any(map(str.isalnum, token)):
        return token
    if _is_word(token):
        if token[0].isdigit():
            return "0" if token.isdigit() else "0x"
        kind = script_of(token[0])[:4] or "?"
        if token[0].lower() != token[0] and len(token) > 1:
            return kind + ("U" if token.isupper() else "u")
        return kind
    shape = re.sub(r"[^\W\d_]+", "x", token)
    return re.sub(r"[0-9]+", "0", shape)[:8]
