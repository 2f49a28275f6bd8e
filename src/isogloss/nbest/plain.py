"""Plain text: N lines per source sentence, as many tools write with ``--n-best N``.

CTranslate2 writes such files, with ``score ||| words`` if asked for scores. Lists of different lengths are
separated by empty lines. Otherwise N is the number of lines divided by the number of source sentences, which
only the caller knows: until then, all lines are one sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from isogloss._engine import NbestBuilder
from isogloss.io.errors import DataFormatError
from isogloss.io.streams import StrPath, decode_lines, naming_file
from isogloss.nbest.store import NbestStore

__all__ = ["read", "split_evenly"]

_SCORED = re.compile(r"(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?) \|\|\| (.*)", re.DOTALL)


def read(chunks: Iterable[bytes], path: StrPath) -> NbestStore:
    """Read the lines; groups of lines are separated by empty lines, if there are any."""
    builder = NbestBuilder()
    with naming_file(path):
        lines = list(decode_lines(chunks, path))
        scored = bool(lines) and all(not line.strip() or _SCORED.fullmatch(line) for line in lines)
        for sentence, number, line in _grouped(lines):
            found = _SCORED.fullmatch(line) if scored else None
            text, score = (line, None) if found is None else (found[2], float(found[1]))
            builder.add(sentence, text, score=score, line=number)
        store = NbestStore.from_columns(builder.finish())
    if store.num_candidates == 0:
        raise DataFormatError("no candidates in the file", path)
    return store


def _grouped(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    sentence = 0
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield sentence, number, line
        else:
            sentence += 1


def split_evenly(store: NbestStore, sentences: int, name: str) -> NbestStore:
    """The lines of a file without empty lines, as lists of the same length for so many sentences."""
    if store.num_sentences != 1 or sentences < 2:
        return store
    if store.num_candidates % sentences:
        raise DataFormatError(
            f"{store.num_candidates:,} lines cannot be lists of the same length for {sentences:,} sentences",
            name,
            hint="separate the lists of sentences by empty lines, or check the source text",
        )
    size = store.num_candidates // sentences
    offsets = np.arange(sentences + 1, dtype=np.int64) * size
    return replace(store, sentence_ids=np.arange(sentences, dtype=np.int64), sentence_offsets=offsets)
