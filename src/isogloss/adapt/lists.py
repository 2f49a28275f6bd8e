"""The stored n-best lists of examples: features and BLEU statistics, without the words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.decoder.search_result import FeatureRows
from isogloss.io.errors import DataFormatError, ModelFormatError
from isogloss.io.streams import StrPath
from isogloss.nbest.store import CsrRows, NbestStore

__all__ = ["Candidates", "StoredLists", "list_columns", "one_candidate_set"]

Array = npt.NDArray[Any]

_LARGEST = int(np.iinfo(np.uint16).max)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """The candidates of some examples, ready to train on."""

    offsets: npt.NDArray[np.int64]
    """Candidates of example i are rows ``offsets[i]`` up to ``offsets[i + 1]``."""
    dense: npt.NDArray[np.float64]
    """Candidates × dense features of the system."""
    statistics: npt.NDArray[np.int32]
    """BLEU statistics, a row per candidate."""
    sparse: CsrRows | None = None
    sparse_ids: npt.NDArray[np.uint64] | None = None
    """Feature id of each sparse column, or the hash of its name."""
    constants: npt.NDArray[np.float64] | None = None
    """Score of each candidate from features that are left out here because their weights do not change."""

    def scores(
        self, weights: npt.NDArray[np.float64], sparse: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """Scores with these dense and sparse weights."""
        scores: npt.NDArray[np.float64] = self.dense @ weights + self.sparse_scores(sparse)
        return scores if self.constants is None else scores + self.constants

    def sparse_scores(self, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The contribution of the sparse columns."""
        scores = np.zeros(len(self.dense))
        if self.sparse is not None and len(weights):
            row = np.repeat(np.arange(len(scores)), np.diff(self.sparse.offsets))
            np.add.at(scores, row, self.sparse.values * weights[self.sparse.columns])
        return scores

    def engine(self) -> _engine.CandidateLists:
        """The engine's form of the candidates."""
        if self.sparse is None or self.sparse_ids is None:
            return _engine.CandidateLists(offsets=self.offsets, dense=self.dense, constants=self.constants)
        return _engine.CandidateLists(
            offsets=self.offsets,
            dense=self.dense,
            sparse_offsets=self.sparse.offsets,
            sparse_columns=self.sparse.columns,
            sparse_values=self.sparse.values,
            sparse_size=len(self.sparse_ids),
            constants=self.constants,
        )


def list_columns(
    store: NbestStore,
    statistics: Array,
    constants: npt.NDArray[np.float64] | None = None,
    sparse: FeatureRows | None = None,
) -> dict[str, Array]:
    """The stored columns of an n-best list.

    Dense columns that are zero everywhere are left out. ``sparse`` are features of the search to store.
    """
    if len(statistics) and int(statistics.max()) > _LARGEST:
        raise DataFormatError(
            f"a sentence has more than {_LARGEST:,} words", "examples", hint="split it or leave it out"
        )
    used = np.flatnonzero(np.any(store.dense != 0, axis=0)).astype(np.uint32)
    columns: dict[str, Array] = {
        "candidate_offsets": store.sentence_offsets,
        "dense_columns": used,
        "dense": store.dense[:, used].astype(np.float32),
        "statistics": statistics.astype(np.uint16),
    }
    if constants is not None:
        columns["constants"] = constants.astype(np.float32)
    if sparse is not None:
        ids, numbers = np.unique(sparse.features, return_inverse=True)
        columns |= {
            "sparse_offsets": sparse.offsets,
            "sparse_columns": numbers.astype(np.uint32),
            "sparse_values": sparse.counts,
            "sparse_ids": ids,
        }
    elif store.sparse is not None:
        rows = store.sparse.rows(np.arange(store.num_candidates))
        present, renumbered = np.unique(rows.columns, return_inverse=True)
        columns |= {
            "sparse_offsets": rows.offsets,
            "sparse_columns": renumbered.astype(np.uint32),
            "sparse_values": rows.values,
            "sparse_ids": store.sparse.names.hashes()[present],
        }
    return columns


@dataclass(frozen=True, slots=True)
class StoredLists:
    """The stored lists of examples that were decoded together."""

    columns: dict[str, Array]
    path: StrPath

    def __len__(self) -> int:
        return len(self.columns["candidate_offsets"]) - 1

    @classmethod
    def checked(cls, columns: dict[str, Array], path: StrPath, dense_size: int) -> StoredLists:
        """Raises an error if columns do not match; sparse rows are checked when they are used."""
        try:
            offsets, rows = columns["candidate_offsets"], len(columns["dense"])
            used = columns["dense_columns"]
            sound = (
                len(offsets) > 0
                and offsets[0] == 0
                and offsets[-1] == rows == len(columns["statistics"])
                and bool(np.all(np.diff(offsets) > 0))
                and columns["dense"].shape == (rows, len(used))
                and columns["statistics"].ndim == 2
                and bool(np.all(used < dense_size))
            )
            if "constants" in columns:
                sound = sound and len(columns["constants"]) == rows
            if "sparse_ids" in columns:
                sound = sound and len(columns["sparse_offsets"]) == rows + 1
        except (KeyError, ValueError, IndexError, TypeError):
            sound = False
        if not sound:
            raise ModelFormatError("the stored lists are inconsistent", path, "rebuild the memory")
        return cls(columns, path)

    def fresh(self, known: Sequence[Sequence[tuple[StoredLists, int]]], dense_size: int) -> StoredLists:
        """Drop the candidates of each list that the known list at the same position already has."""
        own = one_candidate_set([(self, position) for position in range(len(self))], dense_size)
        kept = np.ones(len(own.dense), np.bool_)
        for parts, begin, end in zip(known, own.offsets[:-1], own.offsets[1:], strict=True):
            old = one_candidate_set(parts, dense_size)
            seen = set(map(_fingerprint, old.dense, old.statistics))
            for row in range(begin, end):
                key = _fingerprint(own.dense[row], own.statistics[row])
                kept[row] = key not in seen
                seen.add(key)
        columns = {name: self.columns[name] for name in self.columns if not name.startswith("sparse_")}
        for name in ("dense", "statistics", "constants"):
            if name in columns:
                columns[name] = columns[name][kept]
        columns["candidate_offsets"] = np.concatenate([[0], np.cumsum(kept)])[own.offsets]
        if "sparse_ids" in self.columns:
            offsets = self.columns["sparse_offsets"]
            inside = np.repeat(kept, np.diff(offsets))
            columns |= {
                "sparse_ids": self.columns["sparse_ids"],
                "sparse_offsets": np.concatenate([[0], np.cumsum(np.diff(offsets)[kept])]),
                "sparse_columns": self.columns["sparse_columns"][inside],
                "sparse_values": self.columns["sparse_values"][inside],
            }
        return StoredLists(columns, self.path)

    def merged(self, others: Sequence[StoredLists], dense_size: int) -> dict[str, Array]:
        """Concatenate the columns of these lists and of others."""
        return _stored_columns(
            [(lists, position) for lists in (self, *others) for position in range(len(lists))], dense_size
        )

    def selected(self, positions: Sequence[int], dense_size: int) -> dict[str, Array]:
        """The columns of some of these lists."""
        return _stored_columns([(self, position) for position in positions], dense_size)


def _fingerprint(dense: Array, statistics: Array) -> bytes:
    return dense.astype(np.float32).tobytes() + statistics.tobytes()


def _stored_columns(parts: Sequence[tuple[StoredLists, int]], dense_size: int) -> dict[str, Array]:
    chosen = one_candidate_set(parts, dense_size)
    used = np.flatnonzero(np.any(chosen.dense != 0, axis=0)).astype(np.uint32)
    columns: dict[str, Array] = {
        "candidate_offsets": chosen.offsets,
        "dense_columns": used,
        "dense": chosen.dense[:, used].astype(np.float32),
        "statistics": chosen.statistics.astype(np.uint16),
    }
    if chosen.constants is not None:
        columns["constants"] = chosen.constants.astype(np.float32)
    if chosen.sparse is not None and chosen.sparse_ids is not None:
        columns |= {
            "sparse_offsets": chosen.sparse.offsets,
            "sparse_columns": chosen.sparse.columns,
            "sparse_values": chosen.sparse.values,
            "sparse_ids": chosen.sparse_ids,
        }
    return columns


def one_candidate_set(
    parts: Sequence[tuple[StoredLists, int]], dense_size: int, sizes: Sequence[int] | None = None
) -> Candidates:
    """The candidates of examples, each given by its lists and its position in them.

    With ``sizes``, this many consecutive parts are the candidates of one example.
    """
    spans = [
        (lists.columns, *lists.columns["candidate_offsets"][position : position + 2].tolist())
        for lists, position in parts
    ]
    offsets = np.cumsum([0, *(end - begin for _, begin, end in spans)], dtype=np.int64)
    dense = np.zeros((int(offsets[-1]), dense_size))
    statistics = np.empty((int(offsets[-1]), spans[0][0]["statistics"].shape[1] if spans else 0), np.int32)
    for (columns, begin, end), first in zip(spans, offsets.tolist(), strict=False):
        last = first + end - begin
        dense[first:last, columns["dense_columns"]] = columns["dense"][begin:end]
        statistics[first:last] = columns["statistics"][begin:end]
    constants = None
    if any("constants" in columns for columns, _, _ in spans):
        nothing = np.zeros(int(offsets[-1]), np.float32)
        parts_of = (columns.get("constants", nothing)[begin:end] for columns, begin, end in spans)
        constants = np.concatenate(list(parts_of)).astype(np.float64)
    ends = np.arange(len(parts) + 1) if sizes is None else np.cumsum([0, *sizes])
    found = Candidates(offsets=offsets[ends], dense=dense, statistics=statistics, constants=constants)
    if not any("sparse_ids" in columns for columns, _, _ in spans):
        return found
    sparse, ids = _sparse_rows(parts, spans)
    return replace(found, sparse=sparse, sparse_ids=ids)


def _sparse_rows(
    parts: Sequence[tuple[StoredLists, int]], spans: Sequence[tuple[dict[str, Array], int, int]]
) -> tuple[CsrRows, npt.NDArray[np.uint64]]:
    """Sparse rows of all spans with new column numbers, because lists identify features by hash."""
    lengths, hashes, values = [np.zeros(0, np.int64)], [np.zeros(0, np.uint64)], [np.zeros(0, np.float32)]
    for (lists, _), (columns, begin, end) in zip(parts, spans, strict=True):
        if "sparse_ids" not in columns:
            lengths.append(np.zeros(end - begin, np.int64))
            continue
        ends = columns["sparse_offsets"][begin : end + 1]
        first, last = int(ends[0]), int(ends[-1])
        local = columns["sparse_columns"][first:last]
        if (
            not 0 <= first <= last <= len(columns["sparse_columns"])
            or np.any(np.diff(ends) < 0)
            or (len(local) and int(local.max()) >= len(columns["sparse_ids"]))
        ):
            raise ModelFormatError("a sparse feature has an invalid number", lists.path, "rebuild the memory")
        lengths.append(np.diff(ends))
        hashes.append(columns["sparse_ids"][local])
        values.append(columns["sparse_values"][first:last])
    offsets = np.concatenate(([0], np.cumsum(np.concatenate(lengths)))).astype(np.int64)
    ids, numbers = np.unique(np.concatenate(hashes), return_inverse=True)
    row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = np.lexsort((numbers, row))
    return CsrRows(offsets, numbers[order].astype(np.uint32), np.concatenate(values)[order]), ids
