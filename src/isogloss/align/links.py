"""Alignment links of many sentence pairs, and the Pharaoh format: a line of ``i-j`` points per pair."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.align.options import LinkMethod, symmetrization
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.streams import StrPath, atomic_output, naming_file, read_chunks

__all__ = ["Alignments", "Link", "parse_links", "symmetrize"]

Link = tuple[int, int]
Lengths = npt.NDArray[np.int64]

_FORMAT_ROWS = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class Alignments(Sequence[list[Link]]):
    """The links of each sentence pair: positions in the source and in the target, counted from 0.

    >>> Alignments.from_links([[(0, 0), (1, 2)], []]).text()
    '0-0 1-2\\n\\n'
    """

    links: npt.NDArray[np.uint32]
    """All links, one row of source and target position each."""
    offsets: npt.NDArray[np.int64]
    """Offsets of each pair's links; one more than pairs."""

    @classmethod
    def from_links(cls, pairs: Iterable[Iterable[Link]]) -> Alignments:
        """Links given as Python pairs of numbers."""
        rows: list[Link] = []
        offsets = [0]
        for links in pairs:
            rows.extend(links)
            offsets.append(len(rows))
        if any(position < 0 for link in rows for position in link):
            raise ConfigError("link positions must not be negative")
        return cls(np.array(rows, np.uint32).reshape(-1, 2), np.array(offsets, np.int64))

    @classmethod
    def read(
        cls,
        path: StrPath,
        *,
        source_lengths: Lengths | None = None,
        target_lengths: Lengths | None = None,
    ) -> Alignments:
        """Read a Pharaoh file.

        With the lengths of the sentences in words, points outside a sentence and a wrong number of lines
        are errors.
        """
        if (source_lengths is None) != (target_lengths is None):
            raise ConfigError("give the lengths of both sides or of neither")
        links: list[npt.NDArray[np.uint32]] = [np.zeros((0, 2), np.uint32)]
        offsets: list[npt.NDArray[np.int64]] = [np.zeros(1, np.int64)]
        total = lines = 0
        with naming_file(path):
            for block in _whole_lines(path):
                some, ends = _engine.parse_pharaoh(
                    block,
                    first_line=lines + 1,
                    source_lengths=None if source_lengths is None else source_lengths[lines:],
                    target_lengths=None if target_lengths is None else target_lengths[lines:],
                )
                links.append(some)
                offsets.append(ends[1:] + total)
                total += len(some)
                lines += len(ends) - 1
        if source_lengths is not None and lines < len(source_lengths):
            raise DataFormatError(
                f"{lines} lines, {len(source_lengths)} expected",
                path,
                hint="give one line of links for each sentence pair",
            )
        return cls(np.concatenate(links), np.concatenate(offsets))

    def write(self, path: StrPath) -> None:
        """Write a Pharaoh file; compressed if the name ends in ``.gz`` or ``.zst``."""
        with atomic_output(path) as out:
            for begin in range(0, len(self), _FORMAT_ROWS):
                out.write(self[begin : begin + _FORMAT_ROWS].text())

    def text(self) -> str:
        """The Pharaoh format."""
        return _engine.format_pharaoh(self.links, self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> list[Link]: ...
    @overload
    def __getitem__(self, index: slice) -> Alignments: ...
    def __getitem__(self, index: int | slice) -> list[Link] | Alignments:
        """The links of one pair as Python tuples, or the alignments of a slice."""
        if isinstance(index, slice):
            begin, end, step = index.indices(len(self))
            if step != 1:
                raise ConfigError("alignments can only be sliced with step 1")
            offsets = self.offsets[begin : max(begin, end) + 1]
            return Alignments(self.links[offsets[0] : offsets[-1]], offsets - offsets[0])
        if not -len(self) <= index < len(self):
            raise IndexError(f"there is no sentence pair {index}")
        index %= len(self)
        rows = self.links[self.offsets[index] : self.offsets[index + 1]]
        return [(i, j) for i, j in rows.tolist()]

    def __iter__(self) -> Iterator[list[Link]]:
        for index in range(len(self)):
            yield self[index]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Alignments):
            return NotImplemented
        return np.array_equal(self.links, other.links) and np.array_equal(self.offsets, other.offsets)


def parse_links(line: str) -> tuple[Link, ...]:
    """The links of one sentence pair in the Pharaoh format.

    >>> parse_links("0-0 1-2")
    ((0, 0), (1, 2))
    """
    found = (link.split("-") for link in line.split())
    return tuple((int(source), int(target)) for source, target in found)


def symmetrize(
    forward: Alignments, backward: Alignments, method: LinkMethod = "grow-diag-final-and"
) -> Alignments:
    """Symmetrize the alignments of both directions; both have source positions first.

    Points are visited by source position, then by target position; the neighbors of a point are tried in the
    published order: first the four adjacent ones, then the four diagonal ones.
    """
    if len(forward) != len(backward):
        raise ConfigError(f"{len(forward)} forward alignments, but {len(backward)} backward ones")
    how = symmetrization(method)
    try:
        return Alignments(
            *_engine.symmetrize(forward.links, forward.offsets, backward.links, backward.offsets, how)
        )
    except ValueError as error:
        raise ConfigError(str(error)) from None


def _whole_lines(path: StrPath) -> Iterator[bytes]:
    rest = io.BytesIO()
    for chunk in read_chunks(path):
        cut = chunk.rfind(b"\n") + 1
        rest.write(chunk[:cut] if cut else chunk)
        if cut:
            yield rest.getvalue()
            rest = io.BytesIO()
            rest.write(chunk[cut:])
    if rest.tell():
        yield rest.getvalue()
