"""The training text as a translation memory: similarity of new sentences, and what it would offer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from isogloss.adapt.options import RetrievalOptions
from isogloss.adapt.segment import Example, Segment, segment_columns
from isogloss.decoder.example_index import Frequencies, QueryTerms
from isogloss.decoder.matches import refilled
from isogloss.decoder.sentence import split_words

__all__ = ["Nearest", "memory_translations", "nearest_sources"]

_NEAREST = RetrievalOptions(size=1, edit_share=1.0)
_PART = 100_000
"""Lines to index at a time, which bounds the memory."""
Sides = tuple[Sequence[str], Sequence[str]]


class Nearest(NamedTuple):
    """For each sentence, the nearest known source."""

    similarity: npt.NDArray[np.float64]
    """1 minus the share of words to edit; 0 if no word is shared."""
    row: npt.NDArray[np.int64]
    """First line of that source; -1 if no word is shared."""


def nearest_sources(known: Sequence[str], sentences: Sequence[str]) -> Nearest:
    """Find the nearest known source of each sentence; all of them are tokenized.

    >>> nearest_sources(["the cat is old", "a dog"], ["the cat is young", "a dog", "birds"])[0].tolist()
    [0.75, 1.0, 0.0]
    """
    first: dict[str, int] = {}
    for row, line in enumerate(known):
        if line:
            first.setdefault(line, row)
    found = Nearest(np.zeros(len(sentences)), np.full(len(sentences), -1, np.int64))
    lines, rows = list(first), list(first.values())
    for begin in range(0, len(lines), _PART):
        _search_part(lines[begin : begin + _PART], rows[begin : begin + _PART], sentences, found)
    return found


def _search_part(lines: Sequence[str], rows: Sequence[int], sentences: Sequence[str], found: Nearest) -> None:
    """Replace what was found by what is nearer in these lines."""
    frequencies = Frequencies.count([split_words(line) for line in lines])
    examples = [Example(source=line, references=("",)) for line in lines]
    segment = Segment(segment_columns(examples, range(len(examples)), frequencies), "the training text")
    for at, sentence in enumerate(sentences):
        best = float(found.similarity[at])
        if not sentence or best == 1:
            continue
        positions, scores = segment.search(QueryTerms.of(sentence, frequencies), _NEAREST, best)
        if len(positions) and (found.row[at] < 0 or scores[0] > best):
            found.similarity[at], found.row[at] = scores[0], rows[int(positions[0])]


def memory_translations(
    nearest: Nearest, training: Sides, sentences: Sequence[str], placeholders: tuple[str, ...]
) -> list[str]:
    """What a translation memory offers: the most frequent translation of the nearest source.

    ``training`` and ``sentences`` are text, in the order in which ``nearest`` was made. Placeholders are
    replaced with those of the sentence where they correspond. A sentence that shares no word with any source
    is copied.
    """
    sources, targets = training
    wanted = {sources[row]: Counter[str]() for row in nearest.row.tolist() if row >= 0}
    for source, target in zip(sources, targets, strict=True):
        if source in wanted:
            wanted[source][target] += 1
    found = []
    for row, sentence in zip(nearest.row.tolist(), sentences, strict=True):
        if row < 0:
            found.append(sentence)
            continue
        target = wanted[sources[row]].most_common(1)[0][0]
        found.append(refilled(target, sources[row], sentence, placeholders) or target)
    return found
