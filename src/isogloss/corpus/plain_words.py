"""Detokenize simple sentences exactly as the Moses scripts do, without importing them.

Most sentences consist of Latin words, numbers and some punctuation at word ends, for which the Moses rules
fit in a line. Importing sacremoses takes longer than importing everything else that a translation needs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["join_plain"]

_WORD = "[0-9A-Za-zÀ-ÖØ-öø-ɏ]+"
_TOKEN = re.compile(rf"{_WORD}(?:-{_WORD})*|[,;:!?.]")
_MARKS = frozenset(",;:!?.")
_OWN_RULES = frozenset({"cs", "fi", "fr"})
"""Languages with special rules for joining punctuation or numbers."""


def join_plain(tokens: Sequence[str], language: str) -> str | None:
    """Detokenize simple tokens; return None if sacremoses must do it.

    >>> join_plain(["The", "old", "king", ",", "he", "sleeps", "."], "en")
    'The old king, he sleeps.'
    """
    if language in _OWN_RULES or not tokens or tokens[0] in _MARKS:
        return None
    text = ""
    for token in tokens:
        if token in _MARKS:
            text += token
        elif _TOKEN.fullmatch(token):
            text += f" {token}" if text else token
        else:
            return None
    return text
