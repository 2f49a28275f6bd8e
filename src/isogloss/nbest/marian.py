"""Marian n-best lists: like Moses, with dense features ``F0= -3.2`` and the alignment before them.

``name=-3.2`` is a dense feature too, so this also reads the lists of cdec and Joshua.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from isogloss._engine import MosesReader
from isogloss.io.streams import StrPath
from isogloss.nbest.format_losses import lost_segmentation, lost_sparse
from isogloss.nbest.moses import read_with, write_with
from isogloss.nbest.store import NbestStore

__all__ = ["losses", "read", "write"]


def read(chunks: Iterable[bytes], path: StrPath) -> NbestStore:
    """Read a list; every named value becomes a dense column."""
    reader = MosesReader(named_values_are_dense=True, fields_before_features=True)
    return read_with(reader, chunks, path)


def write(store: NbestStore) -> Iterator[str]:
    """Yield the list as text, a few thousand lines at a time."""
    carried = replace(store, sparse=None, segmentation=None)
    return write_with(carried, alignment_before_features=True)


def losses(store: NbestStore) -> list[str]:
    """The format has no sparse features and segmentations."""
    return lost_sparse(store) + lost_segmentation(store)
