"""Lemmas by simplemma and its word lists."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from isogloss.io.errors import ConfigError, MissingExtraError
from isogloss.io.streams import StrPath

__all__ = ["make"]


class _Lemmas:
    def __init__(self, language: str) -> None:
        try:
            import simplemma
        except ImportError:
            raise MissingExtraError("finding lemmas with simplemma", "lemma") from None
        try:
            simplemma.lemmatize("a", lang=language)
        except ValueError:
            raise ConfigError(f"simplemma has no word list for the language '{language}'") from None
        # Most tokens of a text have occurred before.
        self._lemma = lru_cache(1 << 16)(lambda word: str(simplemma.lemmatize(word, lang=language)))

    def annotate(self, tokens: Sequence[str]) -> Sequence[Sequence[str]]:
        return [(self._lemma(token),) for token in tokens]


def make(language: str, dictionary: StrPath | None) -> _Lemmas:
    """The annotator for a language of simplemma, such as ``de``."""
    if dictionary is not None:
        raise ConfigError("lemmas do not use a dictionary; remove it")
    return _Lemmas(language)
