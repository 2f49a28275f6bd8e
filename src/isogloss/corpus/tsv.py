"""Tab-separated text: source, target and optionally id and context; no quoting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO

from isogloss.corpus.pairs import PairWriter, Reading, ReadOptions, SentencePair
from isogloss.corpus.plain import one_line
from isogloss.io.errors import DataFormatError
from isogloss.io.streams import StrPath, read_lines

__all__ = ["read_tsv", "split_row", "write_tsv"]

_MOST_FIELDS = 4  # source, target, id, context


def read_tsv(
    paths: Sequence[StrPath], options: ReadOptions | None = None, reading: Reading | None = None
) -> Iterator[SentencePair]:
    """Yield the pairs of a TSV file, from its first two columns or from the columns in the options."""
    (path,) = paths
    columns = options.columns if options else None
    for number, line in enumerate(read_lines(path), start=1):
        yield split_row(line, path, number, columns)


def split_row(line: str, path: StrPath, number: int, columns: tuple[int, int] | None) -> SentencePair:
    """Read one line of a TSV file."""
    fields = line.split("\t")
    if columns is not None:
        if len(fields) < max(columns):
            raise DataFormatError(
                f"at least {max(columns)} tab-separated fields expected, found {len(fields)}", path, number
            )
        return SentencePair(fields[columns[0] - 1], fields[columns[1] - 1], line=number)
    if not 2 <= len(fields) <= _MOST_FIELDS:
        raise DataFormatError(
            f"2 to {_MOST_FIELDS} tab-separated fields expected (source, target, id, context), "
            f"found {len(fields)}",
            path,
            number,
            "name the columns of source and target with --columns",
        )
    fields += [""] * (_MOST_FIELDS - len(fields))
    return SentencePair(fields[0], fields[1], fields[2], fields[3], number)


@contextmanager
def write_tsv(streams: Sequence[IO[str]], languages: tuple[str, str], path: StrPath) -> Iterator[PairWriter]:
    """Write pairs as TSV; tabs and line breaks inside a sentence become spaces."""
    (stream,) = streams

    def write(pair: SentencePair) -> bool:
        fields = [pair.source, pair.target]
        if pair.id or pair.context:
            fields += [pair.id, pair.context] if pair.context else [pair.id]
        stream.write("\t".join(one_line(text).replace("\t", " ") for text in fields) + "\n")
        return True

    yield write
