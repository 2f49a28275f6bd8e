"""Tokenize text of any language with spaces between words into words and punctuation.

The rules are the same for all languages, and there is no list of abbreviations: a period is a token, and
spacing is learned from text (``isogloss.corpus.spacing``). Characters inside a word stay in it (``3.5``,
``well-known``, ``example.com``, ``комп’ютер``). Words are split at an apostrophe only in languages that join
two words with it, and the apostrophe stays with the word that it belongs to (``don`` ``’t``, ``l’`` ``été``).
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Literal

from isogloss.corpus.languages import base_language
from isogloss.corpus.placeholders import MARK

__all__ = ["word_tokens"]

_CUT_BEFORE = frozenset({"en", "tr", "az", "nl", "af", "sco", "kk", "tk", "crh"})
"""Languages in which an ending follows an apostrophe: ``it’s``, ``Django’nun``."""
_CUT_AFTER = frozenset(
    {"fr", "it", "ca", "oc", "co", "fur", "lij", "lmo", "mt", "pms", "sc", "scn", "vec", "wa"}
)
"""Languages in which a word ends in an apostrophe: ``l’été``."""
_APOSTROPHES = "'’"
_HYPHENS = "-‐‑־"
_MARK_RANGES = (
    *((0x0300, 0x1E00), (0x20D0, 0x2100), (0x2CEF, 0x2E00), (0x302A, 0x30A0), (0xA66F, 0xAC00)),
    *((0xFB1E, 0xFB1F), (0xFE00, 0xFE30), (0x10A00, 0x12000), (0x1E000, 0x1E950)),
)
"""Ranges of combining marks that are not word characters in Python's regular expressions."""
_REPEATED = ".-*=~#!?+|/&:–—"
"""Characters that form one token when repeated."""
_INSIDE = "\u00ad\u200c\u200d\u2060"
"""Soft hyphens and zero-width joiners and non-joiners."""


_Cut = Literal["before", "after", "never"]


def word_tokens(text: str, language: str = "und") -> list[str]:
    """Split a text into tokens.

    >>> word_tokens("Isn’t it 3.5 km (or so)?", "en")
    ['Isn', '’t', 'it', '3.5', 'km', '(', 'or', 'so', ')', '?']
    """
    base = base_language(language)
    cut: _Cut = "before" if base in _CUT_BEFORE else "after" if base in _CUT_AFTER else "never"
    return _pattern(cut).findall(text)


@cache
def _mark_class() -> str:
    """Combining marks as ranges of a regular expression, which compiles faster than single characters."""
    runs: list[list[int]] = []
    for begin, end in _MARK_RANGES:
        for code in range(begin, end):
            if unicodedata.category(chr(code))[0] != "M":
                continue
            if runs and runs[-1][1] == code - 1:
                runs[-1][1] = code
            else:
                runs.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in runs)


@cache
def _pattern(cut: _Cut) -> re.Pattern[str]:
    marks = _mark_class()
    letter = rf"[\w{marks}{_INSIDE}]"
    joint = rf"[{_HYPHENS}.·=׳״{_APOSTROPHES if cut == 'never' else ''}]"
    hebrew = r"(?<=[א-ת])\"(?=[א-ת])"
    choice = rf"\({letter}{{1,4}}\){letter}*"  # "file(s)" is a word
    word = rf"{letter}+(?:{choice}|(?:{joint}|(?<=\d)[,:](?=\d)|{hebrew}){letter}+)*"
    address = r"(?:https?|ftp)://[^\s<>\"]*[^\s<>\"'.,;:!?)\]}»”’…]" rf"|{letter}[\w.+-]*@{word}"
    ending = rf"(?<={letter})[{_APOSTROPHES}]{word}|" if cut == "before" else ""
    tail = rf"[-‑](?!{letter}|[-‑])"  # a hyphen at the end of a word ("-typ", "Ein-") belongs to it
    if cut == "after":
        tail = rf"[{_APOSTROPHES}](?={letter})|{tail}"
    whole = rf"(?:(?<![\w-])-{{1,2}}|(?<![\w.])\.(?=[a-z]))?{word}(?:{tail}|\(\))?"
    repeated = "|".join(f"{re.escape(c)}+" for c in _REPEATED)
    mark = MARK.pattern.replace("(", "").replace(")", "")
    return re.compile(rf"{mark}|{address}|{ending}{whole}|{repeated}|\S")
