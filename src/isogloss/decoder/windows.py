"""Split long inputs into windows that are translated separately, and join their n-best lists."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from isogloss.decoder.plf import Arc, Lattice
from isogloss.nbest.store import NbestStore, Ragged

__all__ = ["cut_lattice", "cut_words", "join_windows"]

_LAST_POSITION = 65535  # the highest position that a stored alignment can hold


_ENDS = (frozenset(".!?…。！？।؟"), frozenset(";:；："), frozenset(",)]、，،"))
"""Words after which a text may be cut, the best first."""

T = TypeVar("T")


def cut_words(words: Sequence[T], limit: int) -> list[list[T]]:
    """As few windows of at most ``limit`` words as possible, of similar length.

    A window ends after punctuation if there is some near the middle of what is possible: at best after the
    end of a sentence, then after a semicolon or colon, then after a comma.

    >>> cut_words(["a", "b", "c", "d"], 3)
    [['a', 'b'], ['c', 'd']]
    >>> cut_words(["a", ".", "c", "d", "e"], 4)
    [['a', '.'], ['c', 'd', 'e']]
    """
    windows: list[list[T]] = []
    begin = 0
    while (left := -(-(len(words) - begin) // limit)) > 1:
        even = begin + (len(words) - begin) // left
        first = max(len(words) - (left - 1) * limit, begin + 1)  # what follows must fit the other windows
        near = range(max(first, even - limit // 3), min(begin + limit, even + limit // 3) + 1)
        end = min(near, key=lambda end: (_cost_of_cut(words[end - 1]), abs(end - even)), default=even)
        windows.append(list(words[begin:end]))
        begin = end
    return [*windows, list(words[begin:])]


def _cost_of_cut(last: object) -> int:
    return next(
        (cost for cost, ends in enumerate(_ENDS) if isinstance(last, str) and last in ends), len(_ENDS)
    )


def cut_lattice(lattice: Lattice, limit: int) -> list[Lattice]:
    """Windows of at most ``limit`` steps, split at nodes that every path goes through. A window is longer if
    there is no such node."""
    last = lattice.places - 1
    if last <= limit:
        return [lattice]
    over = np.zeros(lattice.places + 1, dtype=np.int64)  # changes in the number of arcs across a node
    for arc in lattice.arcs:
        over[arc.begin + 1] += 1
        over[arc.end] -= 1
    narrow = np.flatnonzero(np.cumsum(over)[: lattice.places] == 0).tolist()
    cuts = [0]
    for place, following in zip(narrow[1:], [*narrow[2:], last + limit + 1], strict=True):
        if place == last or following - cuts[-1] > limit:
            cuts.append(place)
    return [_part(lattice, begin, end) for begin, end in itertools.pairwise(cuts)]


def _part(lattice: Lattice, begin: int, end: int) -> Lattice:
    inside = [arc for arc in lattice.arcs if begin <= arc.begin and arc.end <= end]
    return Lattice(
        end - begin + 1,
        tuple(Arc(arc.begin - begin, arc.end - begin, arc.word, arc.score) for arc in inside),
    )


def join_windows(
    store: NbestStore, widths: Sequence[Sequence[int]], nbest: int
) -> tuple[NbestStore, list[tuple[int, ...]]]:
    """Join the lists of windows into lists of inputs, and return the rows that each candidate was made of.

    Input i has consecutive windows of ``widths[i]`` words. The ``nbest`` best combinations of the windows'
    candidates are kept; scores and features are summed.
    """
    chosen: list[tuple[int, ...]] = []
    offsets = [0]
    first = 0
    scores = store.scores
    for inside in widths:
        lists = [list(store.rows_of(window)) for window in range(first, first + len(inside))]
        combinations = _best_combinations(lists, scores.tolist() if len(inside) > 1 else [], nbest)
        chosen += _distinct(store, combinations)
        offsets.append(len(chosen))
        first += len(inside)
    joined = replace(
        store,
        sentence_ids=np.arange(len(widths), dtype=np.int64),
        sentence_offsets=np.array(offsets, dtype=np.int64),
        scores=np.array([scores[list(rows)].sum() for rows in chosen], dtype=np.float64),
        dense=np.stack([store.dense[list(rows)].sum(axis=0) for rows in chosen]),
        tokens=_ragged([np.concatenate([store.tokens.row(row) for row in rows]) for rows in chosen]),
    )
    if store.alignment is None:
        return joined, chosen
    counts = np.diff(offsets)
    starts = [
        [0, *itertools.accumulate(inside)]
        for inside, count in zip(widths, counts, strict=True)
        for _ in range(count)
    ]
    links = [_joined_links(store, rows, at) for rows, at in zip(chosen, starts, strict=True)]
    return replace(joined, alignment=_ragged(links)), chosen


def _distinct(store: NbestStore, combinations: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The first combination for every text, which has the highest score."""
    first: dict[bytes, tuple[int, ...]] = {}
    for rows in combinations:
        first.setdefault(b"".join(store.tokens.row(row).tobytes() for row in rows), rows)
    return list(first.values())


def _joined_links(store: NbestStore, rows: tuple[int, ...], starts: Sequence[int]) -> npt.NDArray[Any]:
    """Join word alignments of windows whose source words begin at ``starts``."""
    assert store.alignment is not None
    parts, target = [], 0
    for row, source in zip(rows, starts, strict=False):
        parts.append(np.add(store.alignment.row(row), (source, target), dtype=np.int64))
        target += len(store.tokens.row(row))
    joined = np.concatenate(parts)
    return joined[(joined <= _LAST_POSITION).all(axis=1)].astype(store.alignment.values.dtype)


def _ragged(rows: Sequence[npt.NDArray[Any]]) -> Ragged:
    return Ragged(np.cumsum([0, *map(len, rows)], dtype=np.int64), np.concatenate(rows))


def _best_combinations(
    lists: Sequence[Sequence[int]], scores: Sequence[float], count: int
) -> list[tuple[int, ...]]:
    """The best combinations of one row from every sorted list, by the sum of scores."""
    if len(lists) == 1:
        return [(row,) for row in lists[0][:count]]

    def total(places: tuple[int, ...]) -> float:
        return sum(scores[rows[place]] for rows, place in zip(lists, places, strict=True))

    first = (0,) * len(lists)
    waiting, seen = [(-total(first), first)], {first}
    best: list[tuple[int, ...]] = []
    while waiting and len(best) < count:
        _, places = heapq.heappop(waiting)
        best.append(tuple(rows[place] for rows, place in zip(lists, places, strict=True)))
        for i, rows in enumerate(lists):
            further = (*places[:i], places[i] + 1, *places[i + 1 :])
            if further[i] < len(rows) and further not in seen:
                seen.add(further)
                heapq.heappush(waiting, (-total(further), further))
    return best
