"""Moses n-best lists: ``sentence ||| words ||| features ||| score ||| segmentation ||| alignment``.

Features are dense groups ``LM0= -12.3`` and sparse ``name=1``. The format holds everything in a store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from isogloss._engine import MosesReader, MosesWriter
from isogloss.io.errors import DataFormatError, ModelFormatError
from isogloss.io.streams import StrPath, naming_file, not_text
from isogloss.nbest.store import NbestStore

__all__ = ["losses", "read", "write"]

_CANDIDATES_AT_ONCE = 10_000  # limits the text in memory while writing


def read(chunks: Iterable[bytes], path: StrPath) -> NbestStore:
    """Read a list in chunks; the whole text is never in memory."""
    return read_with(MosesReader(), chunks, path)


def read_with(reader: MosesReader, chunks: Iterable[bytes], path: StrPath) -> NbestStore:
    """Read one of the dialects of this format."""
    with naming_file(path):
        for chunk in chunks:
            if b"\0" in chunk:
                raise not_text(path)
            reader.feed(chunk)
        columns = reader.finish()
    if reader.lines() == 0:
        raise DataFormatError(
            "the file is empty", path, hint="give an n-best list with at least one candidate"
        )
    return NbestStore.from_columns(columns)


def write(store: NbestStore) -> Iterator[str]:
    """Yield the list as text, a few thousand lines at a time."""
    return write_with(store, alignment_before_features=False)


def write_with(store: NbestStore, *, alignment_before_features: bool) -> Iterator[str]:
    """Write one of the dialects of this format."""
    sparse = store.sparse.flat() if store.sparse is not None else None
    try:
        writer = MosesWriter(
            sentence_ids=store.sentence_ids,
            sentence_offsets=store.sentence_offsets,
            scores=store.scores,
            dense_groups=[(group.name, group.size) for group in store.dense_groups],
            dense=store.dense,
            words=store.words,
            token_offsets=store.tokens.offsets,
            tokens=store.tokens.values,
            sparse_names=None if sparse is None else sparse.names,
            sparse_offsets=None if sparse is None else sparse.events.offsets,
            sparse_columns=None if sparse is None else sparse.events.values,
            sparse_values=None if sparse is None else sparse.event_counts,
            alignment_offsets=None if store.alignment is None else store.alignment.offsets,
            alignment=None if store.alignment is None else store.alignment.values,
            segmentation_offsets=None if store.segmentation is None else store.segmentation.offsets,
            segmentation=None if store.segmentation is None else store.segmentation.values,
            alignment_before_features=alignment_before_features,
        )
    except ValueError as error:
        raise ModelFormatError(str(error), store.path or "n-best store") from None
    first = 0
    while first < store.num_sentences:
        last = first + 1
        limit = store.sentence_offsets[first] + _CANDIDATES_AT_ONCE
        while last < store.num_sentences and store.sentence_offsets[last + 1] <= limit:
            last += 1
        yield writer.write(first, last)
        first = last


def losses(store: NbestStore) -> list[str]:
    """Nothing is lost."""
    return []
