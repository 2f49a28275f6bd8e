"""ICU messages with choices, such as ``{n, plural, one {# file} other {# files}}``: their texts and the rest.

Only the texts of the choices and around them are translated. Names, keywords and braces stay, so a language
with more plural forms than the source still needs a person to add them.
"""

from __future__ import annotations

import re

__all__ = ["NUMBER", "choices", "icu_parts"]

NUMBER = "{#}"
"""Stands for ``#``, the number of a plural, while a text is translated: a placeholder in braces."""

_CHOICE = re.compile(
    r"\{\s*(?P<name>[\w.-]{1,60})\s*,\s*(?P<kind>plural|select|selectordinal)\s*,\s*(?:offset:\d{1,9}\s*)?"
)
_BRANCH = re.compile(r"(?:=\d{1,9}|[\w-]{1,60})\s*\{")
_SPACE = re.compile(r"\s*")
_DEEPEST = 20


def choices(message: str) -> set[tuple[str, str]]:
    """Return what a message chooses by: names of arguments and kinds of choice.

    >>> choices("{n, plural, one {# file} other {# files}}"), choices("{n, number} files")
    ({('n', 'plural')}, set())
    """
    return {(match["name"], match["kind"]) for match in _CHOICE.finditer(message)}


def icu_parts(message: str) -> list[str]:
    """Split a message into texts (even places) and syntax (odd places); empty if that is not possible.

    >>> icu_parts("In {n, plural, one {# file} other {# files}}.")
    ['In ', '{n, plural, one {', '{#} file', '} other {', '{#} files', '}}', '.']
    """
    if not _CHOICE.search(message) or re.search(
        r"'[{}#]", message
    ):  # quoted syntax is rare: leave it to people
        return []
    parts: list[str] = []
    end = _texts(message, 0, parts, number=False, depth=0)
    if end != len(message):
        return []
    return parts


def _texts(message: str, at: int, parts: list[str], *, number: bool, depth: int) -> int:
    """Read a text up to the brace that closes it; return its place, or -1 if the message is malformed."""
    begin, opened = at, 0
    while at < len(message):
        sign = message[at]
        if sign == "{" and (match := _CHOICE.match(message, at)):
            if opened or depth > _DEEPEST:
                return -1
            _add(parts, message[begin:at], number=number)
            at = _choice(message, match, parts, number=number, depth=depth)
            if at < 0:
                return -1
            begin = at
            continue
        if sign == "}" and not opened:
            break
        opened += (sign == "{") - (sign == "}")
        at += 1
    if opened:
        return -1
    _add(parts, message[begin:at], number=number)
    return at


def _choice(message: str, match: re.Match[str], parts: list[str], *, number: bool, depth: int) -> int:
    """Read the branches of a choice; return the place after it, or -1."""
    begin, at = match.start(), match.end()
    number = number or match["kind"] != "select"
    while branch := _BRANCH.match(message, at):
        parts.append(message[begin : branch.end()])
        begin = _texts(message, branch.end(), parts, number=number, depth=depth + 1)
        if begin < 0 or message[begin : begin + 1] != "}":
            return -1
        space = _SPACE.match(message, begin + 1)
        at = space.end() if space else begin + 1
    if message[at : at + 1] != "}" or at == match.end():
        return -1
    parts.append(message[begin : at + 1])
    return at + 1


def _add(parts: list[str], text: str, *, number: bool) -> None:
    parts.append(text.replace("#", NUMBER) if number else text)
