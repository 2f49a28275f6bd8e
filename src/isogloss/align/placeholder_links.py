"""Links of placeholder marks and brackets: each mark is linked only to its counterpart.

Phrase pairs are consistent with links, so a rule that has a mark on one side also has it on the other.
Whatever rules the search combines, a translation then has every placeholder of its source exactly once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from isogloss.align.bitext import Pair
from isogloss.align.bracket_links import BRACKETS, bracket_links
from isogloss.align.links import Alignments, Link
from isogloss.corpus.placeholders import MARK

__all__ = ["link_marks", "mark_links"]

_SPECIAL = re.compile("[ǁ" + re.escape("".join([*BRACKETS, *BRACKETS.values()])) + "]")


def mark_links(links: Iterable[Link], source: str, target: str) -> list[Link]:
    """The links of a tokenized pair, with corrected links of marks and brackets.

    >>> mark_links([(0, 1), (1, 1)], "delete ǁ0ǁ", "ǁ0ǁ löschen")
    [(0, 1), (1, 0)]
    """
    places = [_places(text) for text in (source, target)]
    marked = [set(found.values()) for found in places]
    kept = [(i, j) for i, j in links if i not in marked[0] and j not in marked[1]]
    both = places[0].keys() & places[1].keys()
    linked = [*kept, *((places[0][mark], places[1][mark]) for mark in both)]
    return sorted(bracket_links(linked, source.split(" "), target.split(" ")))


def _places(text: str) -> dict[str, int]:
    return {word: place for place, word in enumerate(text.split(" ")) if MARK.fullmatch(word)}


def link_marks(alignments: Alignments, pairs: Iterable[Pair]) -> Alignments:
    """The links of a corpus, with corrected links of marks and brackets."""
    parts, ends = [], [0]
    for number, (source, target) in enumerate(pairs):
        rows = alignments.links[alignments.offsets[number] : alignments.offsets[number + 1]]
        if _SPECIAL.search(source) or _SPECIAL.search(target):
            links = mark_links(map(tuple, rows.tolist()), source, target)
            rows = np.array(links, np.uint32).reshape(-1, 2)
        parts.append(rows)
        ends.append(ends[-1] + len(rows))
    return Alignments(np.concatenate(parts), np.array(ends, np.int64)) if parts else alignments
