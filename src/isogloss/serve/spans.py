"""Where tokens stand in the text they were made from, so that a page can point at words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from isogloss.corpus.placeholders import MARK, Protector
from isogloss.corpus.processing import TextProcessing

__all__ = ["token_spans", "with_placeholders"]

Span = tuple[int, int]


def with_placeholders(tokens: str, source: str, processing: TextProcessing | None) -> str:
    """Tokens with the placeholders of a source sentence in the place of their marks."""
    if "ǁ" not in tokens or processing is None or not processing.placeholders:
        return tokens
    known = Protector(processing.placeholders).found(source)

    def written(mark: re.Match[str]) -> str:
        return known[int(mark[1])] if int(mark[1]) < len(known) else mark[0]

    return MARK.sub(written, tokens)


def token_spans(
    text: str, tokens: Sequence[str], processing: TextProcessing | None, source: str
) -> list[Span | None]:
    """Begin and end of each token in a text, or None where it cannot be found; case does not matter.

    ``source`` is the source sentence, whose placeholders the marks stand for.

    >>> token_spans("Is it?", ["is", "it", "?"], None, "Is it?")
    [(0, 2), (3, 5), (5, 6)]
    """
    known: list[str] = []
    if processing is not None and processing.placeholders:
        known = Protector(processing.placeholders).found(source)
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter whose small form is longer: positions would be wrong
        lowered = text
    found: list[Span | None] = []
    done = 0
    for token in tokens:
        mark = MARK.fullmatch(token)
        if mark and int(mark[1]) < len(known):
            token = known[int(mark[1])]
        at = lowered.find(token.lower() if lowered is not text else token, done)
        # A token far away is another one; what lies between two tokens is white space, or little more.
        if at < 0 or at - done > 40:
            found.append(None)
            continue
        done = at + len(token)
        found.append((at, done))
    return found
