"""Protect text that must not be translated or split: ``%(name)s``, ``{x}``, ``<b>``, ``&nbsp;``, …

Each placeholder is replaced by a mark and restored exactly afterwards. A mark is a word without case that
every tokenizer of this package leaves whole. Text that already looks like a mark is protected like any other
placeholder, so nothing can be mistaken for one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from isogloss.corpus.placeholder_kinds import ACCELERATORS, ALL_KINDS, DEFAULT_KINDS, HINT, KINDS, ORDER
from isogloss.io.errors import ConfigError

__all__ = [
    "ALL_KINDS",
    "DEFAULT_KINDS",
    "KINDS",
    "MARK",
    "Placeholder",
    "Protector",
    "parse_kinds",
    "restore",
]

# U+01C1 is a letter of the Khoisan languages: it has no case, and all tokenizers treat it as part of a word.
MARK = re.compile("ǁ([0-9]{1,6})ǁ")
"""A mark: the number of the placeholder in its sentence, from 0."""
_HINT = re.compile(HINT)
_ACCELERATED = re.compile(KINDS[ACCELERATORS])


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A placeholder as written in the text, and its neighbor on each side.

    A neighbor is ``w`` for a letter or digit, ``ǁ`` for another placeholder, the character itself for
    anything else, and empty for a space or an end of the text.
    """

    text: str
    left: str = ""
    right: str = ""


def parse_kinds(names: str) -> tuple[str, ...]:
    """Parse a list of kinds: names separated by commas, ``all``, ``none``, or ``catalog`` for format kinds.

    >>> parse_kinds("catalog,urls")
    ('printf', 'braces', 'tags', 'entities', 'urls')
    """
    groups = {"none": (), "all": ALL_KINDS, "catalog": DEFAULT_KINDS}
    wanted: dict[str, None] = {}
    for name in map(str.strip, names.split(",")):
        wanted |= dict.fromkeys(groups.get(name, (name,)))
    Protector(wanted)
    return tuple(wanted)


class Protector:
    """Finds placeholders of the given kinds.

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
        patterns = [KINDS[kind] for kind in sorted(wanted, key=ORDER.index)]
        self._pattern = re.compile("|".join([MARK.pattern, *patterns]))
        hard = [KINDS[kind] for kind in wanted if kind in DEFAULT_KINDS]
        self._hard = re.compile("|".join([MARK.pattern, *hard]))

    def found(self, text: str) -> list[str]:
        """Return the placeholders of a text, in order.

        >>> Protector().found("Delete <b>%(name)s</b>?")
        ['<b>', '%(name)s', '</b>']
        """
        return [match.group() for match in self._pattern.finditer(text)] if _HINT.search(text) else []

    def difference(self, source: str, translation: str) -> tuple[str, str]:
        """Return a placeholder that the translation lacks and one that it has in excess; empty if none.

        Only format placeholders can be in excess: a name may occur in one language only. Words with an
        accelerator may be translated.

        >>> Protector().difference("Delete %s?", "{x} löschen?")
        ('%s', '{x}')
        """
        before, after = Counter(self.found(source)), Counter(self.found(translation))
        fewer = (text for text, count in before.items() if after[text] < count)
        lost = next((text for text in fewer if not _ACCELERATED.fullmatch(text)), "")
        more = (text for text, count in after.items() if before[text] < count)
        known = (text for text in more if text in before or self._hard.fullmatch(text))
        return lost, next(known, "")

    def protect(
        self, text: str, known: Sequence[Placeholder] = (), beside: str | None = None
    ) -> tuple[str, list[Placeholder]]:
        """Replace placeholders by marks; the list has the placeholder for each number.

        Placeholders that equal one in ``known``, from the other side of a pair, get its number. If ``beside``
        is the text of the other side, a placeholder that only one side has is left as text, unless it
        belongs to a format: an address that differs between languages is an ordinary word.
        """
        if not _HINT.search(text):
            return text, list(known)
        skipped = self._alone(text, beside) if beside is not None else set()
        numbers: dict[str, list[int]] = {}
        for number, placeholder in reversed(list(enumerate(known))):
            numbers.setdefault(placeholder.text, []).append(number)
        placeholders = list(known)
        parts: list[str] = []
        done = 0
        for number, match in enumerate(self._pattern.finditer(text)):
            if number in skipped:
                continue
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

    def _alone(self, text: str, beside: str) -> set[int]:
        """Return the indices of placeholders that occur more often in a text than in the other side."""
        left = Counter(self.found(beside))
        alone = set()
        for number, found in enumerate(self.found(text)):
            left[found] -= 1
            if left[found] < 0 and not self._hard.fullmatch(found):
                alone.add(number)
        return alone

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
    """Replace marks by their placeholders, without a space where they had the same kind of neighbor.

    Marks may have been moved, duplicated or lost; a mark without a placeholder stays as it is.
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
            neighbor = _kind(between[-2:-1]) or ("ǁ" if between == " " and parts else "")
            between = between[:-1] if neighbor == placeholder.left else between
        parts += [between, placeholder.text]
        done, right = match.end(), placeholder.right
    return "".join(parts) + _join_left(text[done:], right, before_mark=False)


def _join_left(text: str, right: str, before_mark: bool) -> str:
    """Drop the leading space of a text if the placeholder had the same kind of neighbor in its source."""
    if right and text[:1] == " ":
        neighbor = _kind(text[1:2]) or ("ǁ" if text == " " and before_mark else "")
        return text[1:] if neighbor == right else text
    return text
