"""Sentence pairs as word ids."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.corpus.plain import unequal_lines
from isogloss.io.errors import DataFormatError
from isogloss.io.streams import StrPath, read_lines

__all__ = ["BitextEncoder", "EncodedPairs", "read_pairs", "read_sides"]

_LINES = 20_000

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class EncodedPairs:
    """Word ids of both sides, concatenated, and the offset of each sentence."""

    source: npt.NDArray[np.uint32]
    source_offsets: npt.NDArray[np.int64]
    target: npt.NDArray[np.uint32]
    target_offsets: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.source_offsets) - 1

    def __getitem__(self, part: slice) -> EncodedPairs:
        """A slice of the pairs, with step 1."""
        begin, end, _ = part.indices(len(self))
        sides = []
        for words, offsets in (
            (self.source, self.source_offsets),
            (self.target, self.target_offsets),
        ):
            some = offsets[begin : max(begin, end) + 1]
            sides += [words[some[0] : some[-1]], some - some[0]]
        return EncodedPairs(*sides)

    @property
    def source_lengths(self) -> npt.NDArray[np.int64]:
        """Words of each source sentence."""
        return np.diff(self.source_offsets)

    @property
    def target_lengths(self) -> npt.NDArray[np.int64]:
        """Words of each target sentence."""
        return np.diff(self.target_offsets)

    def bitext(self) -> _engine.Bitext:
        """The engine's view of the arrays."""
        return _engine.Bitext(self.source, self.source_offsets, self.target, self.target_offsets)


class BitextEncoder:
    """Maps the words of sentence pairs to ids."""

    def __init__(
        self,
        source: _engine.Vocabulary | None = None,
        target: _engine.Vocabulary | None = None,
        *,
        lowercase: bool = True,
    ) -> None:
        self.source = _engine.Vocabulary() if source is None else source
        self.target = _engine.Vocabulary() if target is None else target
        self.lowercase = lowercase

    def words(self, line: str) -> list[str]:
        """The words of a line for the model, separated by ASCII whitespace only."""
        return [word.decode() for word in self._folded(line).split()]

    def twins(self) -> npt.NDArray[np.uint32]:
        """For each source word, the id of the identical target word, or ``NO_WORD``."""
        return np.array([self.target.find(word) for word in self.source.words()], np.uint32)

    def learn(self, pairs: Iterable[Pair]) -> EncodedPairs:
        """Map all words to ids, adding new words."""
        return self._encode(pairs, grow=True)

    def apply(self, pairs: Iterable[Pair]) -> EncodedPairs:
        """Map words to ids; unknown words get ids from ``UNKNOWN_WORDS`` up, the same for the same string."""
        return self._encode(pairs, grow=False)

    def _folded(self, text: str) -> bytes:
        return (text.lower() if self.lowercase else text).encode()

    def _encode(self, pairs: Iterable[Pair], *, grow: bool) -> EncodedPairs:
        sides: tuple[list[_Side], list[_Side]] = ([], [])
        strangers: dict[bytes, int] = {}
        for batch in _batches(pairs):
            for side, vocabulary, lines in zip(
                sides, (self.source, self.target), zip(*batch, strict=True), strict=True
            ):
                text = self._folded("\n".join(map(_one_line, lines)))
                ids, offsets = _engine.encode_lines(vocabulary, text, grow=grow)
                if not grow:
                    _number_strangers(ids, text, strangers)
                side.append((ids, offsets))
        return EncodedPairs(*_join(sides[0]), *_join(sides[1]))


_Side = tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]


def _one_line(text: str) -> str:
    return text.replace("\n", " ")


def _number_strangers(ids: npt.NDArray[np.uint32], text: bytes, strangers: dict[bytes, int]) -> None:
    unknown = np.flatnonzero(ids == _engine.NO_WORD)
    if len(unknown):
        words = text.split()
        for position in unknown.tolist():
            number = strangers.setdefault(words[position], len(strangers))
            ids[position] = _engine.UNKNOWN_WORDS + number


def _join(parts: list[_Side]) -> _Side:
    ids = np.concatenate([np.zeros(0, np.uint32), *(part for part, _ in parts)])
    offsets = [np.zeros(1, np.int64)]
    total = 0
    for part, ends in parts:
        offsets.append(ends[1:] + total)
        total += len(part)
    return ids, np.concatenate(offsets)


def _batches(pairs: Iterable[Pair]) -> Iterator[list[Pair]]:
    stream = iter(pairs)
    while batch := list(itertools.islice(stream, _LINES)):
        yield batch


def read_sides(source: StrPath, target: StrPath) -> Iterator[Pair]:
    """Yield the sentence pairs of two files with the same number of lines."""
    lines = itertools.zip_longest(read_lines(source), read_lines(target))
    for number, (left, right) in enumerate(lines, start=1):
        if left is None or right is None:
            raise unequal_lines(*((source, target) if left is None else (target, source)), number)
        yield left, right


def read_pairs(path: StrPath) -> Iterator[Pair]:
    """Yield the sentence pairs of one file: source and target separated by a tab or by `` ||| ``."""
    for number, line in enumerate(read_lines(path), start=1):
        fields = line.split("\t") if "\t" in line else f" {line} ".split(" ||| ")
        if len(fields) != 2:
            raise DataFormatError(
                f"{len(fields)} fields, 2 expected",
                path,
                number,
                "separate source and target by a tab or ' ||| '",
            )
        yield fields[0], fields[1]
