"""Word alignments of candidates: the list's own, or made by a model."""

from __future__ import annotations

import numpy as np

from isogloss.align import AlignmentModel
from isogloss.io.errors import ConfigError
from isogloss.nbest.store import Ragged
from isogloss.rerank.features import FeatureContext

__all__ = ["aligned_pairs"]


def aligned_pairs(context: FeatureContext, path: str | None, name: str) -> Ragged:
    """Pairs of source and target position of every candidate."""
    store = context.store
    if path is None:
        if store.alignment is None:
            raise ConfigError(
                f"the feature '{name}' needs word alignments, and the list has none; "
                "give an alignment model with path=MODEL"
            )
        return store.alignment
    if context.source is None:
        raise ConfigError(
            f"the feature '{name}' aligns with a model and needs the source text: give source= (--source)"
        )
    owners = store.sentence_of_row().tolist()
    source = [" ".join(words) for words in context.source]
    pairs = ((source[owner], text) for owner, text in zip(owners, store.texts(), strict=True))
    links = AlignmentModel.load(path).align_pairs(pairs, threads=context.threads)
    return Ragged(links.offsets, np.asarray(links.links))
