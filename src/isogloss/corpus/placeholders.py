"""Protecting what must not be translated or torn apart: ``%(name)s``, ``{x}``, ``<b>``, ``&nbsp;``, …

Each placeholder is replaced by a mark, a word that every tokenizer of this package leaves whole and that
has no upper case, and put back afterwards exactly as it was. Text that already looks like a mark is
protected like any other placeholder, so nothing can be mistaken for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from isogloss.errors import ConfigError

__all__ = ["DEFAULT_KINDS", "KINDS", "MARK", "Placeholder", "Protector", "restore"]

# U+01C1 is a letter of the Khoisan languages: for all tokenizers part of a word, and without case.
MARK = re.compile("ǁ([0-9]{1,6})ǁ")
"""What stands for a placeholder: its number in the sentence, from 0."""

# All of them run in linear time: repetitions end at the character that another attempt could begin with.
KINDS: dict[str, str] = {
    "printf": r"%(?:\([^()\s]+\)|[0-9]{1,2}\$|(?<![0-9]%))[-+#0]{0,4}(?:\*|[0-9]{1,4})?"
    r"(?:\.(?:\*|[0-9]{1,4}))?(?:hh|ll|[hlLqjzt])?[diouxXeEfFgGcrsaA@]|(?<![0-9])%%",
    "braces": r"\$?\{\{[^{}\n]*\}\}|[$#%]?\{[^\s{}]*\}",
    "tags": r"</?[A-Za-z][A-Za-z0-9:._-]*(?:\s[^<>]*|/)?>",
    "entities": r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});",
    "urls": r"(?:https?|ftp)://[^\s<>\"]*[^\s<>\"'.,;:!?)\]}]",
    "emails": r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}",
}
"""Kinds of placeholders and what they look like."""

DEFAULT_KINDS = ("printf", "braces", "tags", "entities")


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A placeholder as it stood in the text, and whether words touched it on its sides."""

    text: str
    glued_left: bool = False
    glued_right: bool = False


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
        # Addresses first: they may hold what looks like a placeholder of another kind.
        ordered = sorted(wanted, key=("urls", "emails", "tags", "entities", "braces", "printf").index)
        self._pattern = re.compile("|".join([MARK.pattern, *(KINDS[kind] for kind in ordered)]))

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
            placeholder = Placeholder(
                match.group(),
                start > 0 and not text[start - 1].isspace(),
                end < len(text) and not text[end].isspace(),
            )
            number = self._number(placeholder, numbers, placeholders)
            between = text[done:start]
            if parts and not (between and between[0].isspace()):
                between = " " + between
            if placeholder.glued_left and between and not between[-1].isspace():
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


def restore(text: str, placeholders: Sequence[Placeholder]) -> str:
    """Put placeholders back in place of their marks, and join them to what they touched before.

    Marks may have been moved, doubled or lost; a mark without a placeholder stays as it is.
    """
    if "ǁ" not in text:
        return text
    parts: list[str] = []
    done = 0
    glued = False
    for match in MARK.finditer(text):
        number = int(match.group(1))
        if number >= len(placeholders):
            continue
        placeholder = placeholders[number]
        between = text[done : match.start()]
        if glued:
            between = between.removeprefix(" ")
        if placeholder.glued_left:
            between = between.removesuffix(" ")
        parts += [between, placeholder.text]
        done, glued = match.end(), placeholder.glued_right
    rest = text[done:]
    return "".join(parts) + (rest.removeprefix(" ") if glued else rest)
