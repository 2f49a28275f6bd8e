"""Plain text: two parallel files, one sentence per line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import IO

from isogloss.corpus.pairs import PairWriter, Reading, ReadOptions, SentencePair
from isogloss.io.errors import DataFormatError
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath, read_lines

__all__ = ["one_line", "read_plain", "read_tokens", "unequal_lines", "write_plain"]

_LINE_BREAKS = re.compile(r"[\r\n]+")


def read_plain(
    paths: Sequence[StrPath], options: ReadOptions | None = None, reading: Reading | None = None
) -> Iterator[SentencePair]:
    """Yield the pairs of two parallel files; different numbers of lines are an error."""
    source_path, target_path = paths
    sides = zip_longest(read_lines(source_path), read_lines(target_path))
    for number, (source, target) in enumerate(sides, start=1):
        if source is None or target is None:
            short, long = (source_path, target_path) if source is None else (target_path, source_path)
            raise unequal_lines(short, long, number)
        yield SentencePair(source, target, line=number)


def read_tokens(path: StrPath, track: Track = no_track) -> Iterator[list[str]]:
    """Yield the words of each line of a tokenized text, separated by white space."""
    return (line.split() for line in track(read_lines(path), "reading"))


def unequal_lines(short: StrPath, long: StrPath, line: int) -> DataFormatError:
    """Return the error for a file that ends before the other one."""
    return DataFormatError(
        f"the file has {line - 1} lines, but {long} has more",
        short,
        line,
        "each line must translate the same line of the other file: check that nothing was cut off",
    )


@contextmanager
def write_plain(
    streams: Sequence[IO[str]], languages: tuple[str, str], path: StrPath
) -> Iterator[PairWriter]:
    """Write the two sides of pairs to two files; line breaks inside a sentence become spaces."""
    source, target = streams

    def write(pair: SentencePair) -> bool:
        source.write(one_line(pair.source) + "\n")
        target.write(one_line(pair.target) + "\n")
        return True

    yield write


def one_line(text: str) -> str:
    """Replace line breaks by spaces."""
    return _LINE_BREAKS.sub(" ", text) if "\n" in text or "\r" in text else text
