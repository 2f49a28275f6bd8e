"""Contexts and features for the white space between two tokens."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from isogloss.corpus.placeholders import Placeholder
from isogloss.corpus.profile import UNSPACED, script_of

__all__ = ["APART", "Before", "Context", "Decisions", "contexts", "features", "space_code", "token_text"]

Context = tuple[str, str, str, str, str, str]
"""The previous token, the two tokens to decide between, the next token, the style of the line, and the
neighbors that placeholders have in the source."""
Before = tuple[str, str, str]
"""The last decision, the last one after the same first token, and the last before the same second token."""
APART = "ww"
"""Replaces the next token in a context between two words of scripts that have spaces."""
_NO_DECISION: Before = ("", "", "")
_EDGE = "\x02"
_JOINED = re.compile(r"@([^@\s])@")  # a hyphen inside a word, as some tokenizers write it
_LETTERS = frozenset({"w", "h", "0"})
_PAIRED = {'"': "", "'": "", "`": "", "*": "", "|": "", "״": "", "&quot;": ""}
_PAIRED |= {"”": "“„", "“": "„”", "’": "‘‚", "‘": "’‚", "»": "«", "«": "»"}
"""Marks that can both open and close; if one of the listed partners is in the line, they do only one."""
_PRINTED, _TYPED = re.compile("[’“”«»…„]"), re.compile("['\"]")
_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]*)[^<>]*?(/?)>")
_HELD = re.compile(r"[%{$&<].*", re.DOTALL)


def token_text(token: str) -> str:
    """Return a token as it appears in text."""
    match = _JOINED.fullmatch(token)
    return match.group(1) if match else token


def space_code(space: str) -> str:
    """Encode white space with visible characters."""
    return "+".join(f"{ord(c):x}" for c in space) or "-"


class Decisions:
    """The decisions made so far in a line."""

    def __init__(self) -> None:
        self._last = _EDGE
        self._after: dict[str, str] = {}
        self._before: dict[str, str] = {}

    def about(self, context: Context) -> Before:
        """Return the decisions that matter in this context."""
        if not context[0]:
            return _NO_DECISION
        return self._last, self._after.get(context[1], _EDGE), self._before.get(context[2], _EDGE)

    def add(self, context: Context, decision: str) -> None:
        """Record a decision."""
        self._last = self._after[context[1]] = self._before[context[2]] = space_code(decision)


def contexts(tokens: Sequence[str], touched: Sequence[Placeholder | None] = ()) -> Iterator[Context]:
    """Yield the contexts between tokens, from left to right."""
    tokens = _paired(tokens)
    padded = [_EDGE, *tokens, _EDGE]
    style = _style(tokens)
    for at in range(len(tokens) - 1):
        first, second = tokens[at], tokens[at + 1]
        left, right = _edge(first, -1), _edge(second, 0)
        if left in _LETTERS and right in _LETTERS:
            yield "", first, second, "" if "h" in (left, right) else APART, "", ""
            continue
        touch = _touch(first, touched[at], second, touched[at + 1]) if touched else ""
        yield padded[at], first, second, padded[at + 3], style, touch


def _paired(tokens: Sequence[str]) -> Sequence[str]:
    """Distinguish opening and closing marks that look alike, such as straight quotes."""
    total = Counter([token for token in tokens if token in _PAIRED])
    if not total:
        return tokens
    seen: Counter[str] = Counter()
    found = []
    for token in tokens:
        if token in total and not any(other in tokens for other in _PAIRED[token]):
            seen[token] += 1
            token += "?" if total[token] % 2 else "(" if seen[token] % 2 else ")"
        found.append(token)
    return found


def _touch(first: str, left: Placeholder | None, second: str, right: Placeholder | None) -> str:
    """Compare the neighbors of placeholders here and in the source: the same (1), another (0) or none (-)."""
    found = ""
    if left is not None:
        here = "ǁ" if right is not None else "w" if second[0].isalnum() else second[0]
        found += "a-" if not left.right else "a1" if left.right == here else "a0"
    if right is not None:
        here = "ǁ" if left is not None else "w" if first[-1].isalnum() else first[-1]
        found += "b-" if not right.left else "b1" if right.left == here else "b0"
    return found


def _style(tokens: Sequence[str]) -> str:
    """Whether a line has typographic or typewriter quotes: authors usually use one style throughout."""
    text = "".join(tokens)
    return ("p" if _PRINTED.search(text) else "") + ("t" if _TYPED.search(text) else "")


def features(context: Context, decisions: Before) -> list[str]:
    """Return the names of the active features in a context."""
    previous, first, second, following, style, touch = context
    before, like_first, like_second = decisions
    a, b = _word(first), _word(second)
    sa, sb = _shape(first), _shape(second)
    ca, cb = _edge(first, -1), _edge(second, 0)
    if not previous:  # between two words, other features hardly matter
        return [f"a {a}", f"b {b}", f"ab {a} {b}", f"s {sa} {sb}", f"c {ca} {cb}"]
    sp, sn = _shape(previous), _shape(following)
    p, n = _word(previous), _word(following)
    found = [
        "0",
        f"a {a}",
        f"b {b}",
        f"ab {a} {b}",
        f"s {sa} {sb}",
        f"c {ca} {cb}",
        f"ca {ca}",
        f"cb {cb}",
        f"cc {_edge(previous, -1)} {ca} {cb} {_edge(following, 0)}",
        f"ka {_category(first)} {cb}",
        f"kb {ca} {_category(second)}",
        f"sa {sa}",
        f"sb {sb}",
        f"t {style} {sa} {sb}",
        f"ea {like_first} {a} {sb}",
        f"eb {like_second} {sa} {b}",
        f"as {a} {sb}",
        f"xb {sa} {b}",
        f"sab {sp} {a} {sb}",
        f"abs {sa} {b} {sn}",
        f"ssss {sp} {sa} {sb} {sn}",
        f"sabs {sp} {a} {b} {sn}",
        f"pa {p} {a} {sb}",
        f"bn {sa} {b} {n}",
        f"pab {p} {a} {b}",
        f"abn {a} {b} {n}",
        f"d {before} {a} {sb}",
        f"ds {before} {sp} {a} {sb}",
        f"db {before} {sa} {b}",
    ]
    if touch:
        found += [f"h {touch}", f"hc {touch} {ca} {cb}", f"hs {touch} {sa} {sb}"]
    return found


@lru_cache(maxsize=100_000)
def _edge(token: str, place: int) -> str:
    """Return the class of a token's first (place 0) or last (-1) character."""
    shape = _shape(token)
    if token == _EDGE or shape[:1] == "<" or shape == "%s" or token[:-1] in _PAIRED:
        return shape
    character = token[place]
    if character.isdigit():
        return "0"
    if character.isalnum() or unicodedata.category(character)[0] == "M":
        return "h" if script_of(character) in UNSPACED else "w"
    return f"x{character}" if any(map(str.isalnum, token)) else token


@lru_cache(maxsize=10_000)
def _category(token: str) -> str:
    """Return the Unicode category of a punctuation mark or symbol; empty for words."""
    if any(map(str.isalnum, token)):
        return ""
    if token[:-1] in _PAIRED:
        return token[-1]
    return unicodedata.category(token[0])


@lru_cache(maxsize=100_000)
def _word(token: str) -> str:
    """Normalize a token: ignore case, and the name of a placeholder."""
    if tag := _TAG.fullmatch(token):
        return f"<{tag.group(1)}{tag.group(2)}{tag.group(3)}>".casefold()
    return _shape(token) if _shape(token) == "%s" else token.casefold()


@lru_cache(maxsize=100_000)
def _is_word(token: str) -> bool:
    return all(c.isalnum() or unicodedata.category(c)[0] == "M" for c in token)


@lru_cache(maxsize=100_000)
def _shape(token: str) -> str:
    """Return the shape of a token: script and case of a word, the pattern of mixed tokens, or the mark."""
    if token == _EDGE:
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
