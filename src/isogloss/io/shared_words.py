"""Vocabularies of a whole text, for shards that must number words as a single reader would."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from isogloss._engine import Vocabulary
from isogloss.io.executor import ShardFile, absolute

__all__ = ["read_words", "write_words"]


def write_words(folder: Path, *vocabularies: Vocabulary) -> ShardFile:
    """Write vocabularies into a shared folder."""
    path = folder / "words.npz"
    np.savez(path, *(array for words in vocabularies for array in words.arrays()))
    return ShardFile.of(absolute(path))


@lru_cache(maxsize=1)  # a worker counts many shards
def read_words(file: ShardFile) -> tuple[Vocabulary, ...]:
    """The vocabularies that ``write_words`` wrote; add nothing to them."""
    with np.load(file.checked()) as stored:
        arrays = [stored[name] for name in stored.files]
    return tuple(Vocabulary.from_arrays(*arrays[at : at + 2]) for at in range(0, len(arrays), 2))
