"""How numbers are written in two languages: ``1.000,5`` and ``1,000.5``. Learned from a lexicon.

The form of a number is its separators, and whether three digits follow each: all numbers of a form are
written alike in the other language.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

__all__ = ["is_number", "learn_number_forms", "number_form", "rewritten"]

_NUMBER = re.compile(r"\d+(?:[^\w\s]\d+){1,20}")
_SEPARATOR = re.compile(r"[^\w\s]")
_LEAST_SEEN = 2


def is_number(token: str) -> bool:
    """Whether a token is digits with separators between them.

    >>> is_number("1.000,5"), is_number("2016"), is_number("1.a")
    (True, False, False)
    """
    return _NUMBER.fullmatch(token) is not None


def number_form(token: str) -> str:
    """The form of a number; a separator of thousands that is repeated counts once.

    >>> number_form("1.000.000,5"), number_form("1,000.5")
    ('.3,0', ',3.0')
    """
    return "".join(f"{separator}{'3' if thousand else '0'}" for separator, thousand in _separators(token))


def _separators(token: str) -> list[tuple[str, bool]]:
    found: list[tuple[str, bool]] = []
    for separator, digits in re.findall(r"([^\w\s])(\d+)", token):
        if not (found and found[-1] == (separator, True) and len(digits) == 3):
            found.append((separator, len(digits) == 3))
    return found


def learn_number_forms(
    pairs: Iterable[tuple[str, Iterable[str]]],
) -> dict[tuple[str, str], tuple[int, int]]:
    """Count which form the numbers of a form have in the other language: how often, of how many.

    ``pairs`` are numbers with their likely translations, of which one with the same digits counts.
    """
    right: dict[tuple[str, str], int] = defaultdict(int)
    seen: dict[str, int] = defaultdict(int)
    for number, translations in pairs:
        digits, form = _SEPARATOR.sub("", number), number_form(number)
        seen[form] += 1
        for other in translations:
            if is_number(other) and _SEPARATOR.sub("", other) == digits:
                right[form, number_form(other)] += 1
                break
    return {key: (count, seen[key[0]]) for key, count in right.items() if count >= _LEAST_SEEN}


def rewritten(number: str, form: str) -> str | None:
    """A number in another form; None if it does not fit.

    >>> rewritten("2.345.678,9", ",3.0")
    '2,345,678.9'
    """
    own, other = _separators(number), form[::2]
    if len(own) != len(other):
        return None
    result, at = "", -1
    before: tuple[str, bool] | None = None
    for part in re.split(r"([^\w\s])", number):
        if not _SEPARATOR.fullmatch(part):
            result += part
            continue
        rest = number[len(result) + 1 :]
        thousand = len(re.match(r"\d*", rest)[0]) == 3  # type: ignore[index]
        if not (before == (part, True) and thousand):
            at += 1
            before = (part, thousand)
        result += other[at]
    return result
