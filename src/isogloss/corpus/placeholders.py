"""Protecting what must not be translated or torn apart: ``%(name)s``, ``{x}``, ``<b>``, ``&nbsp;``, …

Each placeholder is replaced by a mark, a word that every tokenizer of this package leaves whole and that
has no upper case, and put back afterwards exactly as it was. Text that already looks like a mark is
protected like any other placeholder, so nothing can be mistaken for one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from isogloss.corpus.placeholder_kinds import ALL_KINDS, DEFAULT_KINDS, KINDS, ORDER
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

# U+01C1 is a letter of the Khoisan languages: for all tokenizers part of a word, and without case.
MARK = re.compile("ǁ([0-9]{1,6})ǁ")
"""What stands for a placeholder: its number in the sentence, from 0."""


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
    """Kinds as people write them: with commas between, ``all``, ``catalog`` for those of formats, or
    ``none``.

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
        patterns = [KINDS[kind] for kind in sorted(wanted, key=ORDER.index) if KINDS[kind]]
        self._pattern = re.compile("|".join([MARK.pattern, *patterns]))
        hard = [KINDS[kind] for kind in wanted if kind in DEFAULT_KINDS]
        self._hard = re.compile("|".join([MARK.pattern, *hard]))

    def found(self, text: str) -> list[str]:
        """The placeholders of a text, in order.

        >>> Protector().found("Delete <b>%(name)s</b>?")
        ['<b>', '%(name)s', '</b>']
        """
        return [match.group() for match in self._pattern.finditer(text)]

    def difference(self, source: str, translation: str) -> tuple[str, str]:
        """What a translation lacks, and what it has too much of; empty if there is no such thing.

        Only placeholders of formats can be too much: a name may be in one language only.

        >>> Protector().difference("Delete %s?", "{x} löschen?")
        ('%s', '{x}')
        """
        before, after = Counter(self.found(source)), Counter(self.found(translation))
        lost = next((text for text, count in before.items() if after[text] < count), "")
        more = (text for text, count in after.items() if before[text] < count)
        known = (text for text in more if text in before or self._hard.fullmatch(text))
        return lost, next(known, "")

    def protect(
        self, text: str, known: Sequence[Placeholder] = (), beside: str | None = None
    ) -> tuple[str, list[Placeholder]]:
        """Replace placeholders by marks; the list gives what stands behind each number.

        With the placeholders ``known`` from the other side of a pair, equal ones get equal numbers. With the
        text ``beside`` it, what only one side has stays as it is, unless it is of a format: an address that
        is another in the other language is a word like others.
        """
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
        """Which of the placeholders found in a text stand there more often than in the one beside it."""
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
            neighbor = _kind(between[-2:-1]) or ("ǁ" if between == " " and parts else "")
            between = between[:-1] if neighbor == placeholder.left else between
        parts += [between, placeholder.text]
        done, right = match.end(), placeholder.right
    return "".join(parts) + _join_left(text[done:], right, before_mark=False)


def _join_left(text: str, right: str, before_mark: bool) -> str:
    """Drop the space that a text begins with if its first character is what the placeholder touched."""
    if right and text[:1] == " ":
        neighbor = _kind(text[1:2]) or ("ǁ" if text == " " and before_mark else "")
        return text[1:] if neighbor == right else text
    return text
