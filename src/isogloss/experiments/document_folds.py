"""Two folds of sentences that keep every document whole."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from isogloss.io.errors import DataFormatError
from isogloss.io.streams import read_lines

__all__ = ["BLOCKS", "document_starts", "two_folds"]

BLOCKS = 10
"""Contiguous blocks that stand for documents where none are known."""


def document_starts(boundaries: Path | None, count: int) -> list[int]:
    """Where the documents of a set begin, from 0; ``boundaries`` counts from 1."""
    if boundaries is None:
        return sorted({count * block // BLOCKS for block in range(BLOCKS)} - {count})
    begins = {0}
    for number, line in enumerate(read_lines(boundaries), start=1):
        if not line.strip().isdecimal() or not 1 <= int(line) <= count:
            raise DataFormatError(
                f"'{line[:60]}' found, the number of a sentence from 1 to {count} is expected",
                boundaries,
                number,
            )
        begins.add(int(line) - 1)
    if len(begins) < 2:
        raise DataFormatError("no document begins after the first sentence", boundaries)
    return sorted(begins)


def two_folds(documents: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """Assign each document, a list of sentences, to the smaller fold so far; returns the sentences of both.

    >>> two_folds([[0, 1, 2], [3], [4, 5], [6]])
    ([0, 1, 2, 6], [3, 4, 5])
    """
    folds: tuple[list[int], list[int]] = ([], [])
    for document in documents:
        folds[len(folds[0]) > len(folds[1])].extend(document)
    return folds
