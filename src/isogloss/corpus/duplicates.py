"""Detect lines that were seen before, using 12 bytes per line."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

__all__ = ["SeenLines", "hash_lines"]

Hashes = npt.NDArray[np.uint64]
Lines = npt.NDArray[np.uint32]


def hash_lines(lines: Iterable[str]) -> Hashes:
    """Hash lines to 64 bits. Among a hundred million lines, two share a hash with a chance of 1 in 3,000."""
    digests = b"".join(
        blake2b(line.encode("utf-8", "surrogatepass"), digest_size=8).digest() for line in lines
    )
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


class SeenLines:
    """A set of hashes, each with the number of the line where it first occurred.

    Stored as a few sorted arrays, each at least twice as long as the next: adding n lines in batches
    costs O(n log n), and only the two columns are stored.
    """

    def __init__(self) -> None:
        self._runs: list[tuple[Hashes, Lines]] = []

    def add(self, hashes: Hashes, numbers: npt.ArrayLike) -> Lines:
        """Add a batch; return for each line the number of the first equal line, or 0 if it is new."""
        lines = np.asarray(numbers, dtype=np.uint32)
        first = np.zeros(len(hashes), dtype=np.uint32)
        if not len(hashes):
            return first
        for known, where in self._runs:
            at = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
            hit = known[at] == hashes
            first[hit] = where[at[hit]]
        order = np.argsort(hashes, kind="stable")
        ordered = hashes[order]
        begins = np.concatenate([[True], ordered[1:] != ordered[:-1]])
        leader = order[np.maximum.accumulate(np.where(begins, np.arange(len(order)), 0))]
        repeated = ~begins & (first[order] == 0)
        first[order[repeated]] = lines[leader[repeated]]
        new = order[begins & (first[order] == 0)]
        self._insert(hashes[new], lines[new])
        return first

    def _insert(self, hashes: Hashes, lines: Lines) -> None:
        if len(hashes):
            self._runs.append((hashes, lines))
        while len(self._runs) > 1 and 2 * len(self._runs[-1][0]) > len(self._runs[-2][0]):
            (hashes_b, lines_b), (hashes_a, lines_a) = self._runs.pop(), self._runs.pop()
            merged = np.concatenate([hashes_a, hashes_b])
            order = np.argsort(merged, kind="stable")
            self._runs.append((merged[order], np.concatenate([lines_a, lines_b])[order]))
