"""Tokenize and detokenize simple sentences exactly as the Moses scripts do, without importing them.

Most sentences consist of Latin words, numbers and some punctuation at word ends, for which the Moses rules
fit in a line. Importing sacremoses takes longer than importing everything else that a translation needs. The
functions return None for other sentences, which sacremoses must handle.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

__all__ = ["join_plain", "split_plain"]

_WORD = "[0-9A-Za-zÀ-ÖØ-öø-ɏ]+"
_PLAIN = re.compile(rf"{_WORD}(?:-{_WORD})*(?:[,;:!?]? {_WORD}(?:-{_WORD})*)*[,;:!?.]?")
_TOKEN = re.compile(rf"{_WORD}(?:-{_WORD})*|[,;:!?.]")
_MARKS = frozenset(",;:!?.")
_RESERVED = "MULTI"  # the scripts' internal replacement for several dots
_OWN_RULES = frozenset({"cs", "fi", "fr"})
"""Languages with special rules for joining punctuation or numbers."""


def split_plain(text: str, *, hyphens: bool = False) -> list[str] | None:
    """Tokenize a simple sentence; with ``hyphens``, hyphenated words are not simple.

    >>> split_plain("The old king, he sleeps.")
    ['The', 'old', 'king', ',', 'he', 'sleeps', '.']
    >>> split_plain("It's 5 p.m.") is None
    True
    """
    if not _PLAIN.fullmatch(text) or _RESERVED in text or (hyphens and "-" in text):
        return None
    tokens = _TOKEN.findall(text)
    if tokens[-1] == "." and tokens[-2] in _abbreviations():
        return None
    return tokens


def join_plain(tokens: Sequence[str], language: str) -> str | None:
    """Detokenize simple tokens.

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


@cache
def _abbreviations() -> frozenset[str]:
    """Return the abbreviations of all languages that sacremoses knows."""
    spec = importlib.util.find_spec("sacremoses")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        if (stored := Path(folder) / "_data_nonbreaking_prefixes.py").exists():
            return frozenset(_first_words(_module_values(stored)))
        if files := sorted((Path(folder) / "data" / "nonbreaking_prefixes").glob("nonbreaking_prefix.*")):
            return frozenset(_first_words(file.read_text("utf-8") for file in files))
    return _Everything()


def _module_values(path: Path) -> Iterable[str]:
    """Yield the strings in a module that contains only strings, without importing its package."""
    spec = importlib.util.spec_from_file_location("isogloss_nonbreaking_prefixes", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    values: dict[str, str] = module.NONBREAKING_PREFIXES
    return values.values()


def _first_words(texts: Iterable[str]) -> Iterable[str]:
    for text in texts:
        for line in text.splitlines():
            yield from line.split()[:1]


class _Everything(frozenset[str]):
    """Contains every word: without a list, any word may be an abbreviation."""

    def __contains__(self, word: object) -> bool:
        return True
