"""Assemble the features of a reranker: columns of the list and computed features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from isogloss._engine import Vocabulary
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.nbest.store import DenseGroup, NbestStore, Ragged, SparseFeatures
from isogloss.rerank.features import FeatureContext, FeatureFunction, computed

__all__ = ["assemble", "joined_sparse", "select_columns"]


def assemble(
    context: FeatureContext, columns: Sequence[str] | None, functions: Sequence[FeatureFunction]
) -> NbestStore:
    """The list with the given columns (None: all), followed by the computed columns.

    Sparse features of the list are kept, and those of functions are added.
    """
    store = context.store
    groups, values, sparse = computed(store, functions, context)
    own = list(store.dense_names) if columns is None else list(columns)
    twice = sorted({group.name for group in groups} & set(own))
    if twice:
        raise ConfigError(
            f"the list already has a column '{twice[0]}'; give the feature another label with ,label=NAME"
        )
    dense = select_columns(store, own)
    parts = [store.sparse, *sparse] if store.sparse is not None else sparse
    return replace(
        store,
        dense_groups=(*(DenseGroup(name, 1) for name in own), *groups),
        dense=np.hstack([dense, values]) if groups else np.ascontiguousarray(dense),
        sparse=joined_sparse(parts),
        path=None,
    )


def select_columns(
    store: NbestStore, names: Sequence[str]
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """The dense columns with these names, in this order."""
    known = {name: number for number, name in enumerate(store.dense_names)}
    missing = [name for name in names if name not in known]
    if missing:
        raise DataFormatError(
            f"there is no column {_quoted(missing)}",
            store.path or "n-best list",
            hint=f"the list has {_quoted(store.dense_names) if known else 'no dense columns'}",
        )
    if list(names) == store.dense_names:
        return store.dense
    return store.dense[:, [known[name] for name in names]]


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def joined_sparse(parts: Sequence[SparseFeatures]) -> SparseFeatures | None:
    """Merge several sets of sparse features of the same candidates."""
    if len(parts) < 2:
        return parts[0] if parts else None
    names = Vocabulary()
    flat = [part.flat() for part in parts]
    numbers = [np.array([names.add(word) for word in part.names.words()], dtype=np.uint32) for part in flat]
    rows = len(flat[0].events.offsets) - 1
    lengths = [np.diff(part.events.offsets) for part in flat]
    offsets = np.concatenate([[0], np.cumsum(np.sum(lengths, axis=0))]).astype(np.int64)
    columns, values = np.zeros(offsets[-1], np.uint32), np.zeros(offsets[-1], np.float32)
    begins = offsets[:-1].copy()
    for part, renumbered, own in zip(flat, numbers, lengths, strict=True):
        within = np.arange(int(own.sum())) - np.repeat(part.events.offsets[:-1], own)
        places = np.repeat(begins, own) + within
        columns[places], values[places] = renumbered[part.events.values], part.event_counts
        begins += own
    assert rows == len(offsets) - 1
    return SparseFeatures(names, Ragged(offsets, columns), values)
