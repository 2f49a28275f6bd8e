"""The rules of the tokenizer ``words`` as one regular expression, with which the engine must agree."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Literal

from isogloss.corpus.placeholders import MARK

_APOSTROPHES = "'’"
_HYPHENS = "-‐‑־"
_REPEATED = ".-*=~#!?+|/&:–—"
"""Characters that form one token when repeated."""
_INSIDE = "\u00ad\u200c\u200d\u2060"
"""Soft hyphens and zero-width joiners and non-joiners."""


Cut = Literal["before", "after", "never"]


def word_tokens(text: str, cut: Cut) -> list[str]:
    return _pattern(cut).findall(text)


@cache
def _mark_class() -> str:
    """Combining marks as ranges of a regular expression, which compiles faster than single characters."""
    runs: list[list[int]] = []
    for code in range(0x110000):
        if unicodedata.category(chr(code))[0] != "M":
            continue
        if runs and runs[-1][1] == code - 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in runs)


@cache
def _pattern(cut: Cut) -> re.Pattern[str]:
    marks = _mark_class()
    letter = rf"[\w{marks}{_INSIDE}]"
    joint = rf"[{_HYPHENS}.·=׳״{_APOSTROPHES if cut == 'never' else ''}]"
    hebrew = r"(?<=[א-ת])\"(?=[א-ת])"
    initials = "(?<=[A-Z])&(?=[A-Z])"  # "R&D" is a word
    choice = rf"\({letter}{{1,4}}\){letter}*"  # "file(s)" is a word
    word = rf"{letter}+(?:{choice}|(?:{joint}|(?<=\d)[,:](?=\d)|{hebrew}|{initials}){letter}+)*"
    address = r"(?:https?|ftp)://[^\s<>\"]*[^\s<>\"'.,;:!?)\]}»”’…]" rf"|{letter}[\w.+-]*@{word}"
    ending = rf"(?<={letter})[{_APOSTROPHES}]{word}|" if cut == "before" else ""
    tail = rf"[-‑](?!{letter}|[-‑])"  # a hyphen at the end of a word ("-typ", "Ein-") belongs to it
    if cut == "after":
        tail = rf"[{_APOSTROPHES}](?={letter})|{tail}"
    whole = rf"(?:(?<![\w-])-{{1,2}}|(?<![\w.])\.(?=[a-z]))?{word}(?:{tail}|\(\))?"
    repeated = "|".join(f"{re.escape(c)}+" for c in _REPEATED)
    mark = MARK.pattern.replace("(", "").replace(")", "")
    return re.compile(rf"{mark}|{address}|{ending}{whole}|{repeated}|\S")
