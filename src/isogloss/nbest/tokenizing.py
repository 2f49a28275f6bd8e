"""Tokenization of lists with plain text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from isogloss.io.options import Options
from isogloss.nbest.build import build_store
from isogloss.nbest.store import NbestStore

__all__ = ["Tokenize", "TokenizeListOptions", "retokenized", "tokenize_function"]

Tokenize = str | Callable[[str], Sequence[str]]
"""A tokenizer of ``isogloss.corpus.tokenizer`` by name, or a function from a sentence to its tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenizeListOptions(Options):
    """How the candidates of a list are split into words."""

    tokenizer: str = "words"
    """Tokenizer: words, moses, characters, or a segmenter of an extra."""
    language: str = "en"
    """Language of the candidates, as a code."""

    def function(self) -> Callable[[str], Sequence[str]]:
        """The function that splits a sentence."""
        from isogloss.corpus.tokenizer import tokenizer

        return tokenizer(self.tokenizer, self.language).tokenize


def tokenize_function(tokenizer: Tokenize | None) -> Callable[[str], Sequence[str]] | None:
    """The function of a tokenizer; None if words are separated by spaces."""
    return _tokenizer_named(tokenizer) if isinstance(tokenizer, str) else tokenizer


@cache
def _tokenizer_named(name: str) -> Callable[[str], Sequence[str]]:
    from isogloss.corpus.tokenizer import tokenizer

    return tokenizer(name).tokenize


def retokenized(store: NbestStore, texts: list[str], tokenize: Callable[[str], Sequence[str]]) -> NbestStore:
    """The store with other words; links to words that no longer exist are dropped."""
    built = build_store(store.sentence_ids[store.sentence_of_row()].tolist(), texts, tokenize=tokenize)
    return replace(
        store, words=built.words, tokens=built.tokens, alignment=None, segmentation=None, path=None
    )
