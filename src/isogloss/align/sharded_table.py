"""The table of co-occurring words, from shards of a corpus: a table for each shard, and one for each range of
source words.

A shard has entries of its own: the word pairs in its sentences. A range has the entries of all shards whose
source word is in the range, sorted, each once. For every shard and range, an index says which entry of the
range an entry of the shard is. Counts go from shards to ranges by this index, and probabilities come back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.align.bitext import EncodedPairs
from isogloss.align.shared_pairs import PairShard
from isogloss.align.train import usable_pairs
from isogloss.io.shared_arrays import SharedPart, join_parts, write_parts

__all__ = [
    "DROPPED",
    "LEVELS",
    "CollectShard",
    "MergeRange",
    "RangeTable",
    "ShardTable",
    "collect_shard",
    "merge_range",
    "offsets_of",
    "word_ranges",
]

LEVELS = 64  # as the engine has them
DROPPED = np.uint32(0xFFFFFFFF)
_RANGE_CELLS = 16_000_000  # bounds the memory of a range
_TABLE_WORK = 30_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectShard:
    """A shard, and the ranges of source words."""

    pairs: PairShard
    source_words: int
    target_words: int
    max_length: int
    ranges: tuple[int, ...]
    """Where ranges begin, and the number of source words."""
    output: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardTable:
    """The table of a shard. All but the cells has a part for each range."""

    row_sizes: list[SharedPart]
    columns: list[SharedPart]
    together: list[SharedPart]
    """How often words were seen together: 1, or 2 if more often."""
    cells: SharedPart
    """The entry of every cell of the shard."""

    def restore(self, pairs: EncodedPairs, target_words: int, max_length: int) -> _engine.Cooccurrence:
        """The engine's table."""
        sizes = join_parts(self.row_sizes)
        table = _engine.Cooccurrence(
            pairs.bitext(), source_words=len(sizes), target_words=target_words, max_length=max_length
        )
        table.restore(offsets_of(sizes), join_parts(self.columns), self.cells.read())
        return table


def word_ranges(
    pairs: EncodedPairs, source_words: int, target_words: int, max_length: int, shards: int
) -> tuple[int, ...]:
    """Cut the source words so that no range has too many entries in all shards together."""
    lengths = np.where(usable_pairs(pairs, max_length), pairs.target_lengths, 0)
    cells = np.bincount(pairs.source, np.repeat(lengths, pairs.source_lengths), source_words)
    load = np.cumsum(np.minimum(cells, shards * target_words))
    cuts = np.searchsorted(load, np.arange(_RANGE_CELLS, load[-1], _RANGE_CELLS)) + 1
    return tuple(sorted({0, *cuts.tolist(), source_words}))


def collect_shard(shard: CollectShard, threads: int) -> ShardTable:
    """Collect the word pairs of a shard."""
    table = _engine.Cooccurrence(
        shard.pairs.pairs().bitext(),
        source_words=shard.source_words,
        target_words=shard.target_words,
        max_length=shard.max_length,
    )
    while not table.build(_TABLE_WORK, threads):
        pass
    rows, columns, cells = table.arrays()
    together = np.minimum(np.bincount(cells, minlength=len(columns)), 2).astype(np.uint8)
    entries = rows[list(shard.ranges)].tolist()
    sizes = np.diff(rows).astype(np.uint32)
    count = len(entries) - 1
    parts = write_parts(
        shard.output,
        *(sizes[begin:end] for begin, end in pairwise(shard.ranges)),
        *(columns[begin:end] for begin, end in pairwise(entries)),
        *(together[begin:end] for begin, end in pairwise(entries)),
        cells,
    )
    return ShardTable(
        row_sizes=parts[:count],
        columns=parts[count : 2 * count],
        together=parts[2 * count : 3 * count],
        cells=parts[-1],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRange:
    """A range of source words in all shards."""

    row_sizes: Sequence[SharedPart]
    columns: Sequence[SharedPart]
    together: Sequence[SharedPart]
    source_frequency: SharedPart
    """Of the words of this range."""
    target_frequency: SharedPart
    twins: SharedPart
    """For each source word of this range the target word that is the same string, or ``NO_WORD``."""
    level: int
    """Entries above this level are dropped."""
    output: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeTable:
    """The table of a range."""

    row_sizes: SharedPart
    columns: SharedPart
    column_sizes: SharedPart
    twins: SharedPart
    """Entries of words that are the same string."""
    index: list[SharedPart]
    """For each shard: the entry of each of its entries, or all ones if it was dropped."""
    levels: tuple[int, ...]
    """Entries of each level, with those that were dropped."""


def merge_range(part: MergeRange, threads: int) -> RangeTable:
    """Merge the word pairs of all shards in a range of source words."""
    target_frequency = part.target_frequency.read()
    width = np.uint64(len(target_frequency))
    keys = []
    for sizes, columns in zip(part.row_sizes, part.columns, strict=True):
        lengths = sizes.read()
        rows = np.repeat(np.arange(len(lengths), dtype=np.uint64), lengths)
        keys.append(rows * width + columns.read())
    merged = np.concatenate(keys)
    merged.sort(kind="stable")  # fast where long parts are sorted already
    merged = merged[np.diff(merged, prepend=~merged[:1]) != 0]
    places = [np.searchsorted(merged, some).astype(np.uint32) for some in keys]
    together = np.zeros(len(merged), np.uint32)
    for place, seen in zip(places, part.together, strict=True):
        together[place] += seen.read()
    rows, columns = (side.astype(np.uint32) for side in np.divmod(merged, width))
    rarer = np.minimum(part.source_frequency.read()[rows], target_frequency[columns])
    level = np.where(together > 1, 0, np.frexp(rarer)[1])  # as many bits as the number has
    levels = np.bincount(level, minlength=LEVELS)
    if part.level < LEVELS:
        kept = level <= part.level
        number = np.where(kept, np.cumsum(kept) - 1, DROPPED).astype(np.uint32)
        rows, columns, places = rows[kept], columns[kept], [number[place] for place in places]
    twins = np.flatnonzero(part.twins.read()[rows] == columns)
    written = write_parts(
        part.output,
        np.bincount(rows, minlength=part.source_frequency.shape[0]).astype(np.uint32),
        columns,
        np.bincount(columns, minlength=len(target_frequency)).astype(np.uint32),
        twins,
        *places,
    )
    return RangeTable(
        row_sizes=written[0],
        columns=written[1],
        column_sizes=written[2],
        twins=written[3],
        index=written[4:],
        levels=tuple(levels.tolist()),
    )


def offsets_of(sizes: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint64]:
    """Where rows begin, and where the last one ends."""
    return np.concatenate([np.zeros(1, np.uint64), np.cumsum(sizes, dtype=np.uint64)])
