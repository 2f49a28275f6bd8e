"""Which lines of source and references belong to the sentences of a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike

from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.text_lines import TextLines
from isogloss.metric.references import References, ReferencesLike, as_references
from isogloss.nbest.store import NbestStore

__all__ = ["counted_from_zero", "last_line", "line_count", "some_references", "source_lines"]


def last_line(store: NbestStore) -> int:
    """Number of lines that a text needs to cover every sentence of the list."""
    return int(store.sentence_ids[-1]) + 1 if store.num_sentences else 0


def line_count(lines: Sequence[str] | None, references: ReferencesLike | None) -> int | None:
    """For how many sentences there is text, if there is any."""
    if lines is not None:
        return len(lines)
    return None if references is None else len(as_references(references))


def counted_from_zero(store: NbestStore, lines: int | None) -> NbestStore:
    """The store with sentences from 0, if it counts them from 1: then its last number is one too large."""
    if lines is None or not store.num_sentences:
        return store
    if store.sentence_ids[0] == 0 or last_line(store) != lines + 1:
        return store
    return replace(store, sentence_ids=store.sentence_ids - 1, path=None)


def source_lines(
    lines: list[str], source: TextLines | None, store: NbestStore, count: int | None
) -> list[str]:
    """The source of the list, checked; ``source`` is what the user gave."""
    if count is not None and len(lines) != count:
        raise ConfigError(f"source: {len(lines):,} sentences for {count:,} lists of candidates")
    if len(lines) < last_line(store):
        raise DataFormatError(
            f"{len(lines):,} lines, but the list has candidates for sentence {store.sentence_ids[-1]} "
            f"(line {last_line(store)})",
            source if isinstance(source, str | PathLike) else "source",
            hint="is this the source text of this list?",
        )
    return lines


def some_references(references: References | None, sentences: range) -> References | None:
    """The references of some sentences."""
    if references is None or not sentences:
        return None
    return References([[stream[i] for i in sentences] for stream in references.streams], references.names)
