"""Sentences that have a phrase in common with others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from isogloss.io.errors import ConfigError

__all__ = ["sharing_phrases"]


def sharing_phrases(sentences: Iterable[str], others: Iterable[str], words: int) -> list[int]:
    """Return the positions of sentences that share ``words`` consecutive tokens with one of the others.

    >>> sharing_phrases(["a b c", "b a", "c a b"], ["x a b"], 2)
    [0, 2]
    """
    if words < 1:
        raise ConfigError(f"words must be at least 1, got {words}")
    wanted = {phrase for line in others for phrase in _phrases(line, words)}
    return [
        at for at, line in enumerate(sentences) if any(phrase in wanted for phrase in _phrases(line, words))
    ]


def _phrases(line: str, words: int) -> Iterator[tuple[str, ...]]:
    tokens = line.split()
    return (tuple(tokens[at : at + words]) for at in range(len(tokens) - words + 1))
