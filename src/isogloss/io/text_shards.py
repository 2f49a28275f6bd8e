"""Parts of text files for the shards of a map: ranges of lines that only depend on the files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from isogloss.io.errors import InputFileError
from isogloss.io.executor import absolute
from isogloss.io.streams import StrPath, decode_lines, read_chunks

__all__ = ["TextShard", "plain_files", "text_shards"]

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class TextShard:
    """Some lines of a plain text file."""

    path: str
    begin: int
    """Position of the first byte."""
    end: int
    line: int
    """Lines before these."""
    name: str
    """The file in messages."""

    def chunks(self) -> Iterator[bytes]:
        """The bytes, some at a time."""
        left = self.end - self.begin
        try:
            with Path(self.path).open("rb") as stream:
                stream.seek(self.begin)
                while left > 0 and (chunk := stream.read(min(left, _CHUNK))):
                    left -= len(chunk)
                    yield chunk
        except OSError as error:
            raise InputFileError(
                error.strerror or str(error), self.path, "do all nodes see this file under this name?"
            ) from None
        if left > 0:
            raise InputFileError("became shorter while it was read", self.path, "repeat the command")

    def lines(self) -> Iterator[str]:
        """The lines, as ``read_lines`` would have yielded them."""
        return decode_lines(self.chunks(), self.name, self.line)


def plain_files(paths: Iterable[StrPath], folder: Path) -> list[tuple[str, str]]:
    """Files that can be read from the middle, with their names in messages.

    Standard input and compressed files are copied into ``folder``, which all nodes must share.
    """
    found = []
    for number, path in enumerate(paths):
        chunks = read_chunks(path)
        first = next(chunks, b"")
        if str(path) != "-" and Path(path).is_file():
            with Path(path).open("rb") as stream:
                if stream.read(len(first)) == first:
                    found.append((absolute(path), str(path)))
                    continue
        copy = folder / f"text-{number}"
        with copy.open("wb") as stream:
            stream.write(first)
            stream.writelines(chunks)
        found.append((absolute(copy), str(path)))
    return found


def text_shards(files: Sequence[tuple[str, str]], lines: int) -> Iterator[list[TextShard]]:
    """Cut parallel files every ``lines`` lines; yields the parts of all files.

    If a file has fewer lines than another, its last parts are shorter or empty.
    """
    cuts = [_cuts(Path(path), lines) for path, _ in files]
    for at in range(max(len(some) for some in cuts) - 1):
        yield [
            TextShard(
                path=path,
                begin=some[min(at, len(some) - 1)],
                end=some[min(at + 1, len(some) - 1)],
                line=at * lines,
                name=name,
            )
            for (path, name), some in zip(files, cuts, strict=True)
        ]


def _cuts(path: Path, lines: int) -> list[int]:
    """Where every ``lines``-th line begins, and where the file ends."""
    found, seen, at = [0], 0, 0
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            ends = np.flatnonzero(np.frombuffer(chunk, np.uint8) == ord("\n"))
            first = lines - 1 - seen % lines  # the line end after which the next part begins
            found += (at + 1 + ends[first::lines]).tolist()
            seen += len(ends)
            at += len(chunk)
    return found if found[-1] == at else [*found, at]
