"""Synsets: from a WordNet that is installed for the package wn, or from a folder of dictionary files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from isogloss.features.annotators.annotator import Annotator
from isogloss.features.annotators.wordnet_folder import WordNetFolder
from isogloss.io.errors import ConfigError, MissingExtraError
from isogloss.io.streams import StrPath

__all__ = ["make"]


class _Installed:
    """All lexicons of the language that are installed for ``wn``."""

    def __init__(self, language: str) -> None:
        try:
            import wn
            from wn.morphy import Morphy
        except ImportError:
            raise MissingExtraError("finding synsets with wn", "synset") from None
        lexicons = wn.lexicons(lang=language)
        if not lexicons:
            raise ConfigError(
                f"no WordNet for the language '{language}' is installed, and isogloss does not download it; "
                "install one with 'python -m wn download NAME' ('oewn' is the English one), or give a "
                "folder of dictionary files"
            )
        chosen = " ".join(f"{lexicon.id}:{lexicon.version}" for lexicon in lexicons[:1])
        words: Any = wn.Wordnet(chosen)
        if language == "en":
            words = wn.Wordnet(chosen, lemmatizer=Morphy(words))
        self._synsets = lru_cache(1 << 16)(
            lambda word: tuple(str(synset.id) for synset in words.synsets(word))
        )

    def annotate(self, tokens: Sequence[str]) -> Sequence[Sequence[str]]:
        return [self._synsets(token) for token in tokens]


def make(language: str, dictionary: StrPath | None) -> Annotator:
    """The annotator of a folder if given, otherwise of the lexicons installed for ``wn``."""
    return _Installed(language) if dictionary is None else WordNetFolder(dictionary, language)
