"""ARPA files, the common text format of back-off models."""

from __future__ import annotations

import io
from typing import cast

from isogloss._engine import LmArpaReader, Vocabulary
from isogloss.io.errors import DataFormatError
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath, atomic_output, naming_file, read_chunks
from isogloss.lm.kneser_ney import Estimate
from isogloss.lm.scratch import Scratch

__all__ = ["read_arpa", "write_arpa"]

_STEP = 1 << 17  # n-grams per engine call; their text takes a few megabytes


def read_arpa(path: StrPath, vocabulary: Vocabulary, *, track: Track = no_track) -> LmArpaReader:
    """Read an ARPA file (plain, gzip or zstd) into the tables of a model.

    Words get their ids from ``vocabulary``; new words are added to it.
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


def write_arpa(
    path: StrPath, model: Estimate, *, scratch: Scratch, threads: int, track: Track = no_track
) -> None:
    """Write an estimated model; compressed if the name ends in .gz or .zst."""
    counts = model.counts
    with atomic_output(path) as text:
        # The engine writes bytes; converting them to text and back would cost more than writing them.
        stream = cast(io.TextIOWrapper, text).buffer
        stream.write(b"\\data\\\n")
        for order, kept in enumerate(counts.kept, start=1):
            stream.write(f"ngram {order}={kept}\n".encode())
        for order in range(1, counts.order + 1):
            stream.write(f"\n\\{order}-grams:\n".encode())
            log_probs, backoffs = model.log_probs[order - 1], model.backoffs[order - 1]
            steps = scratch.ranges(len(log_probs), _STEP)
            for begin, end in track(steps, f"writing {order}-grams", -(-len(log_probs) // _STEP)):
                stream.write(
                    model.trie.arpa_lines(order, counts.vocabulary, log_probs, backoffs, begin, end, threads)
                )
        stream.write(b"\n\\end\\\n")
        stream.flush()
