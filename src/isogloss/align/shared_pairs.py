"""Encoded sentence pairs on shared storage, in shards that depend on the pairs alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.align.bitext import EncodedPairs
from isogloss.align.train import make_batches
from isogloss.io.shared_arrays import SharedPart, write_parts

__all__ = ["PairShard", "share_pairs"]

_BATCHES = 8  # in a shard: some 100,000 short pairs, a second or two of every pass


@dataclass(frozen=True, slots=True, kw_only=True)
class PairShard:
    """Consecutive sentence pairs."""

    number: int
    arrays: tuple[SharedPart, ...]
    """Source, source offsets, target, target offsets."""
    batches: tuple[tuple[int, int], ...]
    """Ranges of pairs to process at once, as in a corpus that is not cut."""

    def pairs(self) -> EncodedPairs:
        """The pairs themselves."""
        return EncodedPairs(*(part.read() for part in self.arrays))


def share_pairs(pairs: EncodedPairs, max_length: int, folder: Path) -> Sequence[PairShard]:
    """Write sentence pairs into a shared folder."""
    batches = make_batches(pairs, max_length)
    shards: list[PairShard] = []
    for first in range(0, len(batches), _BATCHES):
        some = batches[first : first + _BATCHES]
        begin = some[0][0]
        part = pairs[begin : some[-1][1]]
        arrays = (part.source, part.source_offsets, part.target, part.target_offsets)
        shards.append(
            PairShard(
                number=len(shards),
                arrays=tuple(write_parts(folder / f"pairs-{len(shards)}", *arrays)),
                batches=tuple((at - begin, end - begin) for at, end in some),
            )
        )
    return shards
