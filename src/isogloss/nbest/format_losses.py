"""What a file format cannot hold of a list, in words; each function returns a list with at most one item."""

from __future__ import annotations

from collections.abc import Container

import numpy as np

from isogloss.nbest.store import NbestStore

__all__ = ["lost_alignment", "lost_dense", "lost_segmentation", "lost_sparse"]


def lost_dense(store: NbestStore, kept: Container[str] = ()) -> list[str]:
    """Dense features other than the kept ones."""
    names = [group.name for group in store.dense_groups if group.name not in kept]
    return ["dense features: " + ", ".join(names)] if names else []


def lost_sparse(store: NbestStore) -> list[str]:
    """Sparse features that any candidate has."""
    flat = store.sparse and store.sparse.flat_or_none()
    return [] if flat is None else [f"{len(np.unique(flat.events.values)):,} sparse features"]


def lost_alignment(store: NbestStore) -> list[str]:
    """Word alignments, if any candidate has one."""
    return ["word alignments"] if store.alignment is not None and len(store.alignment.values) else []


def lost_segmentation(store: NbestStore) -> list[str]:
    """Phrase segmentations, if any candidate has one."""
    return (
        ["phrase segmentations"] if store.segmentation is not None and len(store.segmentation.values) else []
    )
