"""From text to all n-grams with their adjusted counts, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from isogloss._engine import LmCounter, LmRunMerger, LmTrie, LmTrieBuilder, Vocabulary
from isogloss.io.errors import DataFormatError
from isogloss.io.executor import Executor
from isogloss.io.progress import Track, no_track
from isogloss.io.scratch import temporary_folder
from isogloss.io.streams import StrPath, naming_file, not_text, read_chunks
from isogloss.lm.scratch import Scratch, SpillFile
from isogloss.lm.sharded_counts import SPECIAL, count_shards

__all__ = ["Counts", "Special", "count_ngrams"]

T = TypeVar("T")


Special = tuple[int, int, int]
"""Word ids of <s>, </s> and <unk>."""

_Column = npt.NDArray[np.uint32]

_STEP = 1 << 19  # n-grams per engine call: a fraction of a second
_TOKEN_BYTES = 8
_BLOCK_SHARE = 0.4  # share of the memory for a block of text; the rest is for its n-grams
_LEAST_BLOCK = 1 << 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """All n-grams of a corpus, as columns per order; see ``engine/lm/trie.hpp``."""

    vocabulary: Vocabulary
    special: Special
    columns: tuple[tuple[_Column, _Column, _Column], ...]
    """For each order: first words, adjusted counts, offsets of children."""
    kept: tuple[int, ...]
    """For each order: n-grams that were not pruned."""
    with_count: tuple[tuple[int, ...], ...]
    """For each order: n-grams with adjusted count 0 to 4, pruned ones included."""
    sentences: int
    words: int

    @property
    def order(self) -> int:
        """Words in the longest n-grams."""
        return len(self.columns)

    def trie(self) -> LmTrie:
        """The engine's view of the columns."""
        return LmTrie(list(self.columns))


def count_ngrams(
    corpus: Sequence[StrPath],
    *,
    order: int,
    prune: Sequence[int],
    special_as_unknown: bool,
    vocabulary: Vocabulary | None,
    scratch: Scratch,
    threads: int,
    track: Track = no_track,
    executor: Executor | None = None,
) -> Counts:
    """Count the n-grams of text files, one sentence per line.

    A distributed ``executor`` counts shards of the text; the folder of ``scratch`` must then be shared.
    """
    words = Vocabulary() if vocabulary is None else vocabulary
    unknown, begin, end = (words.add(word) for word in SPECIAL)
    special = (begin, end, unknown)
    if executor is not None and executor.distributed:
        builder = LmTrieBuilder(order, list(prune), special)
        columns = _Columns(builder, order, scratch)
        with temporary_folder(scratch.folder, "isogloss-lm-") as folder:
            found = count_shards(
                corpus, words, folder, executor, order=order, special_as_unknown=special_as_unknown
            )
            if found.words == 0:
                raise _no_words(corpus)
            sizes = [(0, run.size) for run in found.runs]
            merger = LmRunMerger(order, len(sizes), begin)
            _merge(sizes, found.read, merger, builder, columns, order, scratch, track)
        return _finished(words, special, builder, columns, found.sentences, found.words)
    counter = LmCounter(words, order, special, special_as_unknown=special_as_unknown)
    builder = LmTrieBuilder(order, list(prune), special)
    block_tokens = max(_LEAST_BLOCK, int(scratch.memory * _BLOCK_SHARE) // _TOKEN_BYTES)
    runs: list[tuple[int, int]] = []
    spill: SpillFile | None = None
    for path in corpus:
        with naming_file(path):
            for chunk in track(read_chunks(path), f"reading {path} (MB)"):
                if b"\0" in chunk:
                    raise not_text(path)
                counter.feed(chunk)
                if counter.tokens >= block_tokens:
                    spill = spill or SpillFile(scratch)
                    runs.append(_spill_run(counter, spill, threads))
            counter.end_file()
    if counter.words == 0:
        raise _no_words(corpus)
    columns = _Columns(builder, order, scratch)
    if spill is None:
        _sort(counter, threads, track)
        while not counter.emit(builder, _STEP):
            columns.drain_if_large()
        counter.clear()
    else:
        if counter.tokens:
            runs.append(_spill_run(counter, spill, threads))
        file = spill
        merger = LmRunMerger(order, len(runs), begin)
        _merge(runs, lambda run, at, to: file.read(at, to), merger, builder, columns, order, scratch, track)
    return _finished(words, special, builder, columns, counter.sentences, counter.words)


def _no_words(corpus: Sequence[StrPath]) -> DataFormatError:
    return DataFormatError("the text has no words", corpus[0] if corpus else "-")


def _finished(
    words: Vocabulary,
    special: Special,
    builder: LmTrieBuilder,
    columns: _Columns,
    sentences: int,
    word_count: int,
) -> Counts:
    builder.finish(len(words))
    order = len(columns)
    statistics = [builder.statistics(k) for k in range(1, order + 1)]
    return Counts(
        vocabulary=words,
        special=special,
        columns=columns.finish(),
        kept=tuple(kept for kept, _ in statistics),
        with_count=tuple(tuple(with_count) for _, with_count in statistics),
        sentences=sentences,
        words=word_count,
    )


def _sort(counter: LmCounter, threads: int, track: Track) -> None:
    counter.begin_sort()
    steps = iter(lambda: counter.sort_some(_STEP, threads), True)
    for _ in track(steps, "sorting n-grams", -(-counter.tokens // _STEP)):
        pass


def _spill_run(counter: LmCounter, spill: SpillFile, threads: int) -> tuple[int, int]:
    begin = spill.size
    _sort(counter, threads, no_track)
    done = False
    while not done:
        done, records = counter.emit_records(_STEP)
        spill.append(records)
    counter.clear()
    return begin, spill.size


def _merge(
    runs: list[tuple[int, int]],
    read: Callable[[int, int, int], npt.NDArray[np.uint32]],
    merger: LmRunMerger,
    builder: LmTrieBuilder,
    columns: _Columns,
    order: int,
    scratch: Scratch,
    track: Track,
) -> None:
    width = 4 * (order + 1)
    piece = max(256, int(scratch.memory * _BLOCK_SHARE) // (2 * len(runs) * width)) * width
    at = [begin for begin, _ in runs]
    pieces = sum(-(-(end - begin) // piece) + 1 for begin, end in runs)
    for run in track(_hungry_runs(merger, builder), "merging runs", pieces):
        stop = min(runs[run][1], at[run] + piece)
        merger.feed(run, read(run, at[run], stop))
        at[run] = stop
        columns.drain_if_large()


def _hungry_runs(merger: LmRunMerger, builder: LmTrieBuilder) -> Iterator[int]:
    while (run := merger.advance(builder)) is not None:
        yield run


class _Columns:
    """The output of the trie builder: kept in memory, or written to disk when it grows too large."""

    def __init__(self, builder: LmTrieBuilder, order: int, scratch: Scratch) -> None:
        self._builder, self._order, self._scratch = builder, order, scratch
        self._limit = int(scratch.memory * (1 - _BLOCK_SHARE) / 2)
        self._files: list[tuple[SpillFile, ...]] = []

    def __len__(self) -> int:
        return self._order

    def drain_if_large(self) -> None:
        if self._builder.bytes > self._limit:
            self._drain()

    def finish(self) -> tuple[tuple[_Column, _Column, _Column], ...]:
        if not self._files:
            taken = [self._builder.take(order) for order in range(1, self._order + 1)]
            for column in (column for level in taken for column in level):
                self._scratch.hold(column)
            return tuple(taken)
        self._drain()
        return tuple((words.map(), counts.map(), children.map()) for words, counts, children in self._files)

    def _drain(self) -> None:
        if not self._files:
            self._files = [tuple(SpillFile(self._scratch) for _ in range(3)) for _ in range(self._order)]
        for order, files in enumerate(self._files, start=1):
            for file, column in zip(files, self._builder.take(order), strict=True):
                file.append(column)
