"""Marian n-best lists: as Moses's, with ``F0=-3.2`` for dense features and the alignment before them.

cdec and Joshua write their dense features in the same way, so their lists are read with this too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from isogloss._engine import MosesReader
from isogloss.corpus.streams import StrPath
from isogloss.nbest.moses import read_with, write_with
from isogloss.nbest.store import NbestStore

__all__ = ["losses", "read", "write"]


def read(chunks: Iterable[bytes], path: StrPath) -> NbestStore:
    """Read a list; every named value becomes a dense column."""
    reader = MosesReader(named_values_are_dense=True, fields_before_features=True)
    return read_with(reader, chunks, path)


def write(store: NbestStore) -> Iterator[str]:
    """Yield the list as text, some thousand lines at a time."""
    carried = replace(store, sparse=None, segmentation=None)
    return write_with(carried, alignment_before_features=True)


def losses(store: NbestStore) -> list[str]:
    """Sparse features and segmentations have no place."""
    lost = []
    if store.sparse is not None:
        lost.append(f"{len(store.sparse.names):,} sparse features")
    if store.segmentation is not None:
        lost.append("phrase segmentations")
    return lost
