"""Reference translations: one or several per sentence, some of which may be missing."""

from __future__ import annotations

from collections.abc import Sequence
from os import fspath

from isogloss.io.errors import DataFormatError
from isogloss.io.streams import StrPath, read_lines

__all__ = ["References"]


class References:
    """The references of a test set, as one stream of lines per translator.

    An empty line (or ``None``) is a missing reference; a sentence all of whose references are missing
    is an error. Not to be changed once made: metrics keep what they computed from it.

    >>> references = References([["a b", "c"], ["a", ""]])
    >>> references.of(0), references.of(1)
    (['a b', 'a'], ['c'])
    """

    def __init__(self, streams: Sequence[Sequence[str | None]], names: Sequence[str] = ()) -> None:
        self.names = tuple(names) or tuple(f"reference {i}" for i in range(1, len(streams) + 1))
        self.streams = [[line if line and line.strip() else None for line in stream] for stream in streams]
        if not self.streams:
            raise DataFormatError("no reference was given", "references", hint="give at least one")
        for name, stream in zip(self.names, self.streams, strict=True):
            check_length(name, len(stream), self.names[0], len(self.streams[0]))
        self._sentences = [
            [line for line in lines if line is not None] for lines in zip(*self.streams, strict=True)
        ]
        for number, present in enumerate(self._sentences, start=1):
            if not present:
                raise DataFormatError(
                    "the line is empty" + (" in all reference files" if len(self.streams) > 1 else ""),
                    self.names[0],
                    number,
                    "every sentence needs at least one reference",
                )

    @classmethod
    def read(cls, paths: Sequence[StrPath]) -> References:
        """Read one file per translator; line i of each translates the same sentence."""
        return cls([list(read_lines(path)) for path in paths], [fspath(path) for path in paths])

    def __len__(self) -> int:
        return len(self._sentences)

    def of(self, sentence: int) -> list[str]:
        """The references of one sentence that are not missing."""
        return self._sentences[sentence]

    @property
    def count(self) -> int | None:
        """How many references each sentence has, or None if that differs between sentences."""
        counts = {len(present) for present in self._sentences}
        return counts.pop() if len(counts) == 1 else None


def check_length(name: str, lines: int, other: str, expected: int) -> None:
    """Complain that two files that belong together have different numbers of lines, or none."""
    if expected == 0:
        raise DataFormatError("the file has no lines", other, hint="at least one sentence is expected")
    if lines != expected:
        raise DataFormatError(
            f"{lines:,} line{'s' * (lines != 1)} found, but {other} has {expected:,}",
            name,
            min(lines, expected) + 1,
            "line i of each file must belong to the same sentence",
        )
