"""Tokenize text of any language with spaces between words into words and punctuation.

The rules are the same for all languages, and there is no list of abbreviations: a period is a token, and
spacing is learned from text (``isogloss.corpus.spacing``). Characters inside a word stay in it (``3.5``,
``well-known``, ``example.com``, ``R&D``, ``комп’ютер``). Words are split at an apostrophe only in
languages that join two words with it, and the apostrophe stays with the word that it belongs to (``don``
``’t``, ``l’`` ``été``). The rules themselves are in the engine (``text/word_tokenizer.cpp``).
"""

from __future__ import annotations

from isogloss import _engine
from isogloss.corpus.languages import base_language

__all__ = ["word_tokenizer", "word_tokens"]

_CUT_BEFORE = frozenset({"en", "tr", "az", "nl", "af", "sco", "kk", "tk", "crh"})
"""Languages in which an ending follows an apostrophe: ``it’s``, ``Django’nun``."""
_CUT_AFTER = frozenset(
    {"fr", "it", "ca", "oc", "co", "fur", "lij", "lmo", "mt", "pms", "sc", "scn", "vec", "wa"}
)
"""Languages in which a word ends in an apostrophe: ``l’été``."""


def word_tokenizer(language: str = "und") -> _engine.Tokenizer:
    """Return the engine's tokenizer with the rules of a language."""
    base = base_language(language)
    return _engine.Tokenizer.words(
        "before" if base in _CUT_BEFORE else "after" if base in _CUT_AFTER else "never"
    )


def word_tokens(text: str, language: str = "und") -> list[str]:
    """Split a text into tokens.

    >>> word_tokens("Isn’t it 3.5 km (or so)?", "en")
    ['Isn', '’t', 'it', '3.5', 'km', '(', 'or', 'so', ')', '?']
    """
    return word_tokenizer(language).tokenize(text)
