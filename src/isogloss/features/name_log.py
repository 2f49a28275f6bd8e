"""Names of features, written to disk as they occur and read when the weights are stored.

With millions of features, the names would take more memory than the weights.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import numpy.typing as npt

from isogloss.io.errors import OutputError

__all__ = ["NameLog"]

UInt64 = npt.NDArray[np.uint64]
UInt8 = npt.NDArray[np.uint8]

_AT_ONCE = 100_000
"""Number of names to sort at a time."""
_BUFFER = 4_000_000
_FILES = ("features", "lengths", "names")


class NameLog:
    """A folder of three append-only files: features, lengths of names, names."""

    def __init__(self, folder: Path) -> None:
        """Start a log in a folder; the first ``flush`` discards earlier content, unless ``rewind`` keeps
        it."""
        self._folder, self._count, self._fresh = folder, 0, True
        self._pending: list[tuple[bytes, bytes, bytes]] = []
        self._pending_bytes = 0
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name in _FILES:
                (folder / name).touch()
        except OSError as error:
            raise OutputError(error.strerror or str(error), folder) from None

    def rewind(self, features: int) -> None:
        """Continue after the first ``features`` entries of an earlier log; the rest is dropped."""
        lengths = np.fromfile(self._folder / "lengths", np.uint32, features)
        sizes = (8 * features, 4 * features, int(lengths.sum(dtype=np.int64)))
        found = tuple((self._folder / name).stat().st_size for name in _FILES)
        if len(lengths) < features or any(is_ < wanted for is_, wanted in zip(found, sizes, strict=True)):
            raise OutputError("the names of features are incomplete", self._folder, "start the run again")
        for name, size in zip(_FILES, sizes, strict=True):
            os.truncate(self._folder / name, size)
        self._count, self._fresh = features, False
        self._pending, self._pending_bytes = [], 0

    def __len__(self) -> int:
        return self._count

    def add(self, features: UInt64, names: UInt8, ends: UInt64) -> None:
        """Append features with their concatenated names."""
        lengths = np.diff(ends, prepend=np.uint64(0)).astype(np.uint32)
        self._pending.append((features.tobytes(), lengths.tobytes(), names.tobytes()))
        self._pending_bytes += len(names)
        self._count += len(features)
        if self._pending_bytes > _BUFFER:
            self.flush()

    def flush(self) -> None:
        """Write everything to the files."""
        if self._fresh:
            count, pending = self._count, self._pending
            self.rewind(0)
            self._count, self._pending = count, pending
        try:
            for number, name in enumerate(_FILES):
                with (self._folder / name).open("ab") as file:
                    file.write(b"".join(part[number] for part in self._pending))
        except OSError as error:
            raise OutputError(error.strerror or str(error), self._folder) from None
        self._pending, self._pending_bytes = [], 0

    def features(self) -> UInt64:
        """The features that have a name here, in the order of arrival."""
        self.flush()
        return np.fromfile(self._folder / "features", np.uint64)

    def names_of(self, features: UInt64) -> tuple[UInt8, UInt64]:
        """The concatenated names of features, and the end of each."""
        known = self.features()
        order = np.argsort(known, kind="stable")
        found = order[np.minimum(np.searchsorted(known, features, sorter=order), max(len(known) - 1, 0))]
        if len(features) and not np.array_equal(known[found], features):
            raise OutputError("a feature has no name", self._folder, "start the run again")
        all_ends = np.cumsum(np.fromfile(self._folder / "lengths", np.uint32), dtype=np.int64)
        lengths = np.diff(all_ends, prepend=0)[found]
        ends = np.cumsum(lengths)
        every = np.fromfile(self._folder / "names", np.uint8)
        names = np.empty(ends[-1] if len(ends) else 0, np.uint8)
        for first in range(0, len(found), _AT_ONCE):  # where bytes come from takes eight times their room
            part = slice(first, first + _AT_ONCE)
            begin, end = ends[first] - lengths[first], ends[part][-1]
            where = np.arange(begin, end) + np.repeat(all_ends[found[part]] - ends[part], lengths[part])
            names[begin:end] = every[where]
        return names, ends.astype(np.uint64)
