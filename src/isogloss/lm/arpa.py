"""ARPA files, the text form of back-off models that all tools share."""

from __future__ import annotations

import io
from typing import cast

from isogloss._engine import LmArpaReader, Vocabulary
from isogloss.corpus.streams import StrPath, atomic_output, naming_file, read_chunks
from isogloss.errors import DataFormatError
from isogloss.lm.counts import Track, untracked
from isogloss.lm.kneser_ney import Estimate, ranges

__all__ = ["read_arpa", "write_arpa"]

_STEP = 1 << 17  # n-grams per engine call; their text takes a few megabytes


def read_arpa(path: StrPath, vocabulary: Vocabulary, *, track: Track = untracked) -> LmArpaReader:
    """Read an ARPA file, plain or packed, into the tables of a model.

    Words get their numbers from ``vocabulary``, which grows by those it does not have.
    """
    reader = LmArpaReader(vocabulary)
    try:
        with naming_file(path):
            for chunk in track(read_chunks(path), f"reading {path} (MB)"):
                reader.feed(chunk)
            reader.finish()
    except (ValueError, IndexError) as error:
        if isinstance(error, DataFormatError):
            raise
        raise DataFormatError(str(error), path) from None
    return reader


def write_arpa(path: StrPath, model: Estimate, *, threads: int, track: Track = untracked) -> None:
    """Write an estimated model; packed if the name says so."""
    order = model.counts.order
    sizes = [len(log_probs) for log_probs in model.log_probs]
    steps = [(k, begin, end) for k in range(1, order + 1) for begin, end in ranges(sizes[k - 1], _STEP)]
    with atomic_output(path) as text:
        # The engine writes bytes; turning them into text and back would cost more than writing them.
        stream = cast(io.TextIOWrapper, text).buffer
        stream.write(b"\\data\\\n")
        for k, kept in enumerate(model.counts.kept, start=1):
            stream.write(f"ngram {k}={kept}\n".encode())
        section = 0
        for k, begin, end in track(steps, "writing ARPA", len(steps)):
            while section < k:
                section += 1
                stream.write(f"\n\\{section}-grams:\n".encode())
            stream.write(
                model.trie.arpa_lines(
                    k,
                    model.counts.vocabulary,
                    model.log_probs[k - 1],
                    model.backoffs[k - 1],
                    begin,
                    end,
                    threads,
                )
            )
        while section < order:  # orders without any n-gram
            section += 1
            stream.write(f"\n\\{section}-grams:\n".encode())
        stream.write(b"\n\\end\\\n")
        stream.flush()
