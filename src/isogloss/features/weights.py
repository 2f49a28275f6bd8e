"""Weights of sparse features with their names, stored in a mapped hash table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.io.errors import ConfigError, ModelFormatError
from isogloss.io.streams import StrPath
from isogloss.storage.folder import open_folder, write_folder

__all__ = ["NamedWeight", "SparseWeights"]

KIND, VERSION = "sparse-weights", 2
_LOOKED_AT = 100_000  # number of strongest features to scan for those of every template
_FULL = 0.6  # load factor: higher saves memory and costs time

Float32 = npt.NDArray[np.float32]


class NamedWeight(NamedTuple):
    """A feature's name and weight."""

    name: str
    weight: float


class SparseWeights:
    """Weights of named features; all other features have weight 0. Read-only.

    >>> weights = SparseWeights.from_names({"pair:house|haus": 0.5, "target_bigram:the|house": -1.0})
    >>> weights["pair:house|haus"], weights["pair:house|hund"], len(weights)
    (0.5, 0.0, 2)
    """

    def __init__(
        self,
        table: npt.NDArray[np.uint32],
        names: npt.NDArray[np.uint8],
        name_ends: npt.NDArray[np.uint64],
        *,
        signature: str = "",
        path: Path | None = None,
    ) -> None:
        self._table, self._names, self._name_ends = table, names, name_ends
        self.signature, self.path = signature, path
        """Hash of the features that the weights belong to; "" matches any."""
        self.engine = _engine.StoredWeights(table)

    def __deepcopy__(self, memo: object) -> SparseWeights:
        return self  # never changes

    @classmethod
    def from_names(cls, weights: Mapping[str, float], *, signature: str = "") -> SparseWeights:
        """Weights by name; weights of 0 are left out."""
        kept = {name: value for name, value in weights.items() if value != 0}
        try:
            numbers = _engine.feature_numbers(list(kept))
        except ValueError as error:
            raise ConfigError(str(error)) from None
        ends = np.cumsum([len(name.encode()) for name in kept], dtype=np.uint64)
        names = np.frombuffer("".join(kept).encode(), np.uint8)
        values = np.fromiter(kept.values(), np.float64, len(kept))
        with np.errstate(over="ignore"):  # too large values become infinite and are found there
            return cls.from_numbers(numbers, values.astype(np.float32), names, ends, signature=signature)

    @classmethod
    def from_numbers(
        cls,
        numbers: npt.NDArray[np.uint64],
        weights: Float32,
        names: npt.NDArray[np.uint8],
        name_ends: npt.NDArray[np.uint64],
        *,
        signature: str = "",
    ) -> SparseWeights:
        """From feature ids, weights and concatenated names."""
        if not np.all(np.isfinite(weights)):
            raise ConfigError("the weight of a sparse feature is not a finite number")
        slots = int(len(numbers) / _FULL) + 1
        try:
            table = _engine.fill_weight_table(numbers, weights, slots)
        except ValueError:
            raise ConfigError(_collision(numbers, names, name_ends)) from None
        return cls(table, names, name_ends, signature=signature)

    @classmethod
    def weighted_sum(cls, parts: Sequence[tuple[SparseWeights, float]]) -> SparseWeights:
        """The sum of weights of the same features, each times a factor; a weight that is missing is 0.

        >>> one = SparseWeights.from_names({"pair:a|b": 1, "pair:c|d": 4})
        >>> two = SparseWeights.from_names({"pair:a|b": 1, "pair:e|f": 4})
        >>> mean = SparseWeights.weighted_sum([(one, 0.5), (two, 0.5)])
        >>> mean["pair:a|b"], mean["pair:c|d"], len(mean)
        (1.0, 2.0, 3)
        """
        numbers, values, names = [], [], []
        for weights, factor in parts:
            rows = weights._table[weights._table[:, :2].any(axis=1)]
            numbers.append(np.ascontiguousarray(rows[:, :2]).view(np.uint64).ravel())
            values.append(factor * np.ascontiguousarray(rows[:, 2]).view(np.float32).astype(np.float64))
            names += [weights._name_bytes(position) for position in rows[:, 3].tolist()]
        found, first, place = np.unique(np.concatenate(numbers), return_index=True, return_inverse=True)
        summed = np.bincount(place, np.concatenate(values), len(found)).astype(np.float32)
        kept = np.flatnonzero(summed)
        words = [names[at] for at in first[kept].tolist()]
        ends = np.cumsum([len(word) for word in words], dtype=np.uint64)
        text = np.frombuffer(b"".join(words), np.uint8)
        return cls.from_numbers(found[kept], summed[kept], text, ends, signature=parts[0][0].signature)

    def __len__(self) -> int:
        return len(self._name_ends)

    def __getitem__(self, name: str) -> float:
        return float(self.engine.weights(_engine.feature_numbers([name]))[0])

    def __iter__(self) -> Iterator[NamedWeight]:
        """All names and weights, in the given order."""
        used = np.flatnonzero(self._table[:, 0] | self._table[:, 1])
        rows = self._table[used]
        for row in rows[np.argsort(rows[:, 3], kind="stable")]:
            yield NamedWeight(self.name(int(row[3])), float(row[2:3].view(np.float32)[0]))

    def name(self, position: int) -> str:
        """The name of the feature at this position."""
        return self._name_bytes(position).decode(errors="replace")

    def _name_bytes(self, position: int) -> bytes:
        if position >= len(self):
            raise ModelFormatError("a weight has no name", self.path or "sparse weights")
        begin = int(self._name_ends[position - 1]) if position else 0
        return self._names[begin : int(self._name_ends[position])].tobytes()

    def strongest(self, count: int) -> list[NamedWeight]:
        """The features with the largest absolute weights."""
        values = self._table[:, 2].view(np.float32)
        used = np.flatnonzero(self._table[:, 0] | self._table[:, 1])
        order = used[np.argsort(-np.abs(values[used]), kind="stable")[:count]]
        return [NamedWeight(self.name(int(self._table[row, 3])), float(values[row])) for row in order]

    def strongest_by_template(self, count: int) -> dict[str, list[NamedWeight]]:
        """For every template, the features with the largest absolute weights."""
        values = self._table[:, 2].view(np.float32)
        used = np.flatnonzero(self._table[:, 0] | self._table[:, 1])
        found: dict[str, list[NamedWeight]] = {}
        for row in used[np.argsort(-np.abs(values[used]), kind="stable")][:_LOOKED_AT]:
            name = self.name(int(self._table[row, 3]))
            chosen = found.setdefault(name.partition(":")[0], [])
            if len(chosen) < count:
                chosen.append(NamedWeight(name, float(values[row])))
        return found

    def save(self, path: StrPath) -> None:
        """Store them as a folder."""
        write_folder(
            path,
            kind=KIND,
            version=VERSION,
            arrays={"table": self._table, "names": self._names, "name_ends": self._name_ends},
            attributes={"signature": self.signature},
        )

    @classmethod
    def open(cls, path: StrPath) -> SparseWeights:
        """Open stored weights; they are mapped into memory."""
        folder = open_folder(path, kind=KIND, version=VERSION)
        if folder.version < VERSION:
            raise ModelFormatError(
                f"format version {folder.version} is too old, {VERSION} is expected", path, "tune again"
            )
        try:
            table, names, ends = (folder.arrays[name] for name in ("table", "names", "name_ends"))
            fits = table.ndim == 2 and table.shape[1] == 4 and table.dtype == np.uint32
            fits = fits and names.dtype == np.uint8 and ends.dtype == np.uint64 and len(table) < 2**32
            signature = str(folder.attributes["signature"])
        except KeyError:
            fits = False
        if not fits:
            raise ModelFormatError("the arrays are not sparse weights", path)
        return cls(table, names, ends, signature=signature, path=Path(path))


def _collision(
    numbers: npt.NDArray[np.uint64], names: npt.NDArray[np.uint8], ends: npt.NDArray[np.uint64]
) -> str:
    order = np.argsort(numbers, kind="stable")
    twice = np.flatnonzero(numbers[order][1:] == numbers[order][:-1])
    if len(twice) == 0:
        return "a sparse feature has the number 0"

    def name(position: int) -> str:
        begin = int(ends[position - 1]) if position else 0
        return names[begin : int(ends[position])].tobytes().decode(errors="replace")

    first, second = name(order[twice[0]]), name(order[twice[0] + 1])
    if first == second:
        return f"the sparse feature '{first}' occurs twice"
    return f"the sparse features '{first}' and '{second}' have the same number; leave one of them out"
