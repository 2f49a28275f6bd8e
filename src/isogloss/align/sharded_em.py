"""Steps of EM on workers: the E-step for a shard of the corpus, the M-step for a range of source words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.align.sharded_table import DROPPED, RangeTable, ShardTable, offsets_of
from isogloss.align.shared_pairs import PairShard
from isogloss.io.shared_arrays import SharedPart, write_parts

__all__ = [
    "ExpectShard",
    "Expected",
    "MaximizeRange",
    "PruneRange",
    "StartRange",
    "expect_shard",
    "maximize_range",
    "plain_parameters",
    "prune_range",
    "start_range",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class StartRange:
    """A range of source words before the first pass."""

    table: RangeTable
    column_sizes: SharedPart
    """Entries of every target word in all ranges."""
    output: str


def start_range(part: StartRange, threads: int) -> SharedPart:
    """The probabilities before the first pass: all words of a row, or of a column, alike."""
    sizes, columns = part.table.row_sizes.read(), part.table.columns.read()
    both = np.stack([np.repeat(sizes, sizes), part.column_sizes.read()[columns]], axis=1)
    (written,) = write_parts(part.output, np.float32(1) / both.astype(np.float32))
    return written


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectShard:
    """A shard, and what the model knows before a pass."""

    pairs: PairShard
    table: ShardTable
    index: Sequence[SharedPart]
    """For each range."""
    probabilities: Sequence[SharedPart]
    """Of each range's entries."""
    nulls: Sequence[SharedPart]
    """Shares of source and target words in the corpus."""
    parameters: dict[str, Any]
    symmetric: bool
    max_length: int
    most: float
    """What no sum of counts exceeds."""
    output: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What a pass has counted in a shard."""

    counts: list[list[SharedPart]]
    """For each direction that has counts of its own, for each range."""
    column_sums: SharedPart
    positions: npt.NDArray[np.float64]
    masses: tuple[npt.NDArray[Any], ...]


def expect_shard(shard: ExpectShard, threads: int) -> Expected:
    """The E-step over the pairs of a shard."""
    pairs = shard.pairs.pairs()
    nulls = [part.read() for part in shard.nulls]
    table = shard.table.restore(pairs, len(nulls[1]), shard.max_length)
    index = [part.read() for part in shard.index]
    kept = [_kept(place) for place in index]
    probabilities = np.zeros((table.entries, 2), np.float32)
    begin = 0
    for place, mask, part in zip(index, kept, shard.probabilities, strict=True):
        probabilities[begin : begin + len(place)][mask] = part.read()[place[mask]]
        begin += len(place)
    trainer = _engine.AlignmentTrainer(table, _parameters(shard.parameters), symmetric=shard.symmetric)
    trainer.resume(probabilities, *nulls, most=shard.most)
    for batch in shard.pairs.batches:
        trainer.expect(*batch, threads)
    cuts = np.cumsum([len(place) for place in index])[:-1]
    split = [np.split(trainer.counts(d), cuts) for d in range(1 if shard.symmetric else 2)]
    sums = trainer.column_sums(threads)
    for columns, mask, counts in zip(shard.table.columns, kept, split[-1], strict=True):
        if not isinstance(mask, slice):  # entries that were dropped do not count
            np.subtract.at(sums, columns.read()[~mask], counts[~mask])
    parts = write_parts(shard.output, *(counts for direction in split for counts in direction), sums)
    return Expected(
        counts=[parts[d * len(index) : (d + 1) * len(index)] for d in range(len(split))],
        column_sums=parts[-1],
        positions=trainer.positions(),
        masses=trainer.masses(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MaximizeRange:
    """A range of source words, and what all shards have counted for it."""

    table: RangeTable
    counts: Sequence[Sequence[SharedPart]]
    """For each direction, for each shard."""
    factors: SharedPart
    """Of the columns."""
    twin_count: int
    most: float
    prior: float
    output: str


def maximize_range(part: MaximizeRange, threads: int) -> SharedPart:
    """The M-step for a range: the probabilities of its entries."""
    columns = part.table.columns.read()
    index = [place.read() for place in part.table.index]
    twins = part.table.twins.read()
    both = []
    for direction in part.counts:
        sums = np.zeros(len(columns), np.int64)
        for place, counts in zip(index, direction, strict=True):
            mask = _kept(place)
            sums[place[mask]] += counts.read()[mask]  # a shard has an entry only once
        sums[twins] += part.twin_count
        both.append(sums)
    found = _engine.maximize_rows(
        offsets_of(part.table.row_sizes.read()),
        columns,
        both[0],
        both[-1],
        part.factors.read(),
        most=part.most,
        prior=part.prior,
    )
    (written,) = write_parts(part.output, found)
    return written


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneRange:
    """A range of source words, its probabilities, and the least that is worth keeping."""

    table: RangeTable
    probabilities: SharedPart
    threshold: float
    output: str


def prune_range(part: PruneRange, threads: int) -> list[SharedPart]:
    """The row sizes, columns and probabilities of the entries worth keeping."""
    sizes, columns, probabilities = (
        array.read() for array in (part.table.row_sizes, part.table.columns, part.probabilities)
    )
    kept = probabilities.max(axis=1).astype(np.float64) >= part.threshold
    rows = np.repeat(np.arange(len(sizes)), sizes)[kept]
    return write_parts(
        part.output, np.bincount(rows, minlength=len(sizes)), columns[kept], probabilities[kept]
    )


def _kept(index: npt.NDArray[np.uint32]) -> slice | npt.NDArray[np.bool_]:
    """Which entries of a shard were not dropped."""
    kept = index != DROPPED
    return slice(None) if kept.all() else kept


def plain_parameters(parameters: _engine.AlignmentParameters) -> dict[str, Any]:
    """Parameters as values that can travel."""
    return {"type": parameters.type.name, **{name: getattr(parameters, name) for name in _PARAMETERS}}


def _parameters(plain: dict[str, Any]) -> _engine.AlignmentParameters:
    parameters = _engine.AlignmentParameters()
    parameters.type = _engine.AlignmentModelType[plain["type"]]
    for name in _PARAMETERS:
        setattr(parameters, name, plain[name])
    return parameters


_PARAMETERS = ("null_probability", "uniform_jump", "lexical_floor", "tensions", "jumps")
