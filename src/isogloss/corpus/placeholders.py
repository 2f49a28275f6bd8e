"""Protecting what must not be translated or torn apart: ``%(name)s``, ``{x}``, ``<b>``, ``&nbsp;``, …

Each placeholder is replaced by a mark, a word that every tokenizer of this package leaves whole and that
has no upper case, and put back afterwards exactly as it was. Text that already looks like a mark is
protected like any other placeholder, so nothing can be mistaken for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from isogloss.io.errors import ConfigError

__all__ = ["DEFAULT_KINDS", "KINDS", "MARK", "Placeholder", "Protector", "parse_kinds", "restore"]

# U+01C1 is a letter of the Khoisan languages: for all tokenizers part of a word, and without case.
MARK = re.compile("ǁ([0-9]{1,6})ǁ")
"""What stands for a placeholder: its number in the sentence, from 0."""

# All of them run in linear time: repetitions end at the character that another attempt could begin with.
KINDS: dict[str, str] = {
    # After a number, as in 20%discount, it is a format only if no letter follows.
    "printf": r"%(?:%|(?:\([^()\s]+\)|[0-9]{1,2}\$|(?P<number>(?<=[0-9]%))|(?<![0-9]%))[-+#0]{0,4}"
    r"(?:\*|[0-9]{1,4})?(?:\.(?:\*|[0-9]{1,4}))?(?:hh|ll|[hlLqjzt])?[diouxXeEfFgGcrsaA@](?(number)(?![A-Za-z])))",
    "braces": r"\$?\{\{[^{}\n]*\}\}|[$#%]?\{[^\s{}]*\}",
    "tags": r"</?[A-Za-z][A-Za-z0-9:._-]*(?:\s[^<>]*|/)?>",
    "entities": r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});",
    "urls": r"(?:https?|ftp)://[^\s<>\"]*[^\s<>\"'.,;:!?)\]}]",
    "emails": r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}",
    "identifiers": r"(?<![A-Za-z0-9_])[A-Za-z][A-Za-z0-9]{0,63}(?:_[A-Za-z0-9]{1,63}){1,16}(?![A-Za-z0-9_])",
}
"""Kinds of placeholders and what they look like."""

DEFAULT_KINDS = ("printf", "braces", "tags", "entities")

# Addresses may hold what looks like a placeholder of another kind; identifiers are in all kinds of things.
_FIRST = ("urls", "emails", "tags", "entities", "braces", "printf", "identifiers")


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A placeholder as it stood in the text, and what touched it on its sides.

    That is ``w`` for a letter or digit, ``ǁ`` for another placeholder, the character itself for all others,
    and nothing for a space or an end of the text.
    """

    text: str
    left: str = ""
    right: str = ""


def parse_kinds(names: str) -> tuple[str, ...]:
    """Kinds as people write them: with commas between, ``catalog`` for the usual ones, or ``none``.

    >>> parse_kinds("catalog,urls")
    ('printf', 'braces', 'tags', 'entities', 'urls')
    """
    wanted: dict[str, None] = {}
    for name in map(str.strip, names.split(",")):
        if name != "none":
            wanted |= dict.fromkeys(DEFAULT_KINDS if name == "catalog" else (name,))
    Protector(wanted)
    return tuple(wanted)


class Protector:
    """Finds placeholders of some kinds.

    >>> text, placeholders = Protector().protect("Delete <b>%(name)s</b>?")
    >>> text
    'Delete ǁ0ǁ ǁ1ǁ ǁ2ǁ ?'
    >>> restore("ǁ0ǁ ǁ1ǁ ǁ2ǁ löschen?", placeholders)
    '<b>%(name)s</b> löschen?'
    """

    def __init__(self, kinds: Iterable[str] = DEFAULT_KINDS) -> None:
        wanted = list(kinds)
        for kind in wanted:
            if kind not in KINDS:
                raise ConfigError(f"unknown kind of placeholder '{kind}'; known are {', '.join(KINDS)}")
        ordered = sorted(wanted, key=_FIRST.index)
        self._pattern = re.compile("|".join([MARK.pattern, *(KINDS[kind] for kind in ordered)]))

    def found(self, text: str) -> list[str]:
        """The placeholders of a text, in order.

        >>> Protector().found("Delete <b>%(name)s</b>?")
        ['<b>', '%(name)s', '</b>']
        """
        return [match.group() for match in self._pattern.finditer(text)]

    def protect(self, text: str, known: Sequence[Placeholder] = ()) -> tuple[str, list[Placeholder]]:
        """Replace placeholders by marks; the list gives what stands behind each number.

        With the placeholders ``known`` from the other side of a pair, equal ones get equal numbers.
        """
        numbers: dict[str, list[int]] = {}
        for number, placeholder in reversed(list(enumerate(known))):
            numbers.setdefault(placeholder.text, []).append(number)
        placeholders = list(known)
        parts: list[str] = []
        done = 0
        for match in self._pattern.finditer(text):
            start, end = match.span()
            adjacent = bool(parts) and start == done
            left = "ǁ" if adjacent else _kind(text[start - 1 : start])
            right = "ǁ" if self._pattern.match(text, end) else _kind(text[end : end + 1])
            number = self._number(Placeholder(match.group(), left, right), numbers, placeholders)
            between = text[done:start]
            if parts and not (between and between[0].isspace()):
                between = " " + between
            if left and not adjacent:
                between += " "
            parts += [between, f"ǁ{number}ǁ"]
            done = end
        rest = text[done:]
        if parts and rest and not rest[0].isspace():
            rest = " " + rest
        return "".join(parts) + rest, placeholders

    @staticmethod
    def _number(
        placeholder: Placeholder, numbers: dict[str, list[int]], placeholders: list[Placeholder]
    ) -> int:
        if numbers.get(placeholder.text):
            number = numbers[placeholder.text].pop()
            placeholders[number] = placeholder
            return number
        placeholders.append(placeholder)
        return len(placeholders) - 1


def _kind(character: str) -> str:
    if character.isspace():
        return ""
    return "w" if character.isalnum() and character != "ǁ" else character


def restore(text: str, placeholders: Sequence[Placeholder]) -> str:
    """Put placeholders back in place of their marks, and join them to what is like what they touched.

    Marks may have been moved, doubled or lost; a mark without a placeholder stays as it is.
    """
    if "ǁ" not in text:
        return text
    parts: list[str] = []
    done, right = 0, ""
    for match in MARK.finditer(text):
        number = int(match.group(1))
        if number >= len(placeholders):
            continue
        placeholder = placeholders[number]
        between = _join_left(text[done : match.start()], right, before_mark=True)
        if placeholder.left and between[-1:] == " ":
            neighbour = _kind(between[-2:-1]) or ("ǁ" if between == " " and parts else "")
            between = between[:-1] if neighbour == placeholder.left else between
        parts += [between, placeholder.text]
        done, right = match.end(), placeholder.right
    return "".join(parts) + _join_left(text[done:], right, before_mark=False)


def _join_left(text: str, right: str, before_mark: bool) -> str:
    """Drop the space that a text begins with if its first character is what the placeholder touched."""
    if right and text[:1] == " ":
        neighbour = _kind(text[1:2]) or ("ǁ" if text == " " and before_mark else "")
        return text[1:] if neighbour == right else text
    return text
