"""The best strings of a word lattice, all different.

Several paths may have the same words. The score of a string is that of its best path, so paths are not
enumerated: the search extends prefixes of strings and keeps, for each prefix, all nodes that its paths can
reach, with the best score so far. The remaining score is known exactly from a backward pass, so that the
first complete strings are the best ones (A* on the lattice, determinized on the fly).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from isogloss._engine import NbestBuilder
from isogloss.decoder.plf import Lattice, parse_plf
from isogloss.io.errors import ConfigError
from isogloss.io.options import AtLeast, Options
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath, read_lines
from isogloss.nbest.store import NbestStore

__all__ = ["LatticeStringOptions", "best_strings", "lattice_nbest", "strings_store"]

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LatticeStringOptions(Options):
    """Which strings of a lattice are listed."""

    nbest: Annotated[int, AtLeast(1)] = 20
    """Strings of each lattice, all different."""
    column: str = "asr"
    """Name of the dense feature with the score."""


def lattice_nbest(
    path: StrPath, options: LatticeStringOptions | None = None, *, track: Track = no_track
) -> NbestStore:
    """An n-best list of the best strings of a file of word lattices (PLF), one per line."""
    options = options or LatticeStringOptions()
    rows = enumerate(track(read_lines(path), "lattices"), start=1)
    found = (best_strings(parse_plf(line, path, number), options.nbest) for number, line in rows)
    return strings_store(found, column=options.column)


def best_strings(lattice: Lattice, count: int) -> list[tuple[Words, float]]:
    """Up to ``count`` strings with the highest scores, best first; the score is the sum along the best path.

    An empty lattice has one string, without words. Strings with equal scores always come in the same order.

    >>> from isogloss.decoder import parse_plf
    >>> best_strings(parse_plf("((('a', -1, 1), ('b', -2, 1), ('a', -3, 1)),)"), 5)
    [(('a',), -1.0), (('b',), -2.0)]
    """
    if count < 1:
        raise ConfigError(f"count must be at least 1, got {count}")
    leaving: list[list[tuple[int, str, float]]] = [[] for _ in range(lattice.places)]
    for arc in lattice.arcs:
        leaving[arc.begin].append((arc.end, arc.word, arc.score))
    last = lattice.places - 1
    to_come = [-math.inf] * last + [0.0]
    for place in range(last - 1, -1, -1):
        to_come[place] = max((score + to_come[end] for end, _, score in leaving[place]), default=-math.inf)
    found: list[tuple[Words, float]] = []
    # Estimated total, words, score if complete, nodes that its paths have reached.
    waiting: list[tuple[float, Words, float, dict[int, float]]] = [(-to_come[0], (), 0.0, {0: 0.0})]
    while waiting and len(found) < count:
        _, words, worth, stands = heapq.heappop(waiting)
        if not stands:
            found.append((words, worth))
            continue
        if last in stands:
            heapq.heappush(waiting, (-stands[last], words, stands[last], {}))
        following: dict[str, dict[int, float]] = {}
        for place, score in stands.items():
            for end, word, more in leaving[place]:
                if to_come[end] > -math.inf:
                    reached = following.setdefault(word, {})
                    reached[end] = max(reached.get(end, -math.inf), score + more)
        for word, reached in following.items():
            best = max(score + to_come[place] for place, score in reached.items())
            heapq.heappush(waiting, (-best, (*words, word), 0.0, reached))
    return found


def strings_store(strings: Iterable[Sequence[tuple[Words, float]]], *, column: str = "asr") -> NbestStore:
    """An n-best list of the strings of many lattices; the score is the total and a dense column.

    A lattice without words has one candidate without words, so that every lattice is in the list.
    """
    builder = NbestBuilder()
    for number, found in enumerate(strings):
        for words, score in found:
            text = " ".join(words).replace("|||", "&#124;&#124;&#124;")
            builder.add(number, text, score=score, dense=[(column, [score])], line=number + 1)
    return NbestStore.from_columns(builder.finish())
