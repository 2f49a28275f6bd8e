"""Count n-grams in shards of the text: every shard becomes a sorted run of records in a file.

Two maps. The first collects the words of every shard in the order of their first appearance; joined in shard
order, they get the ids that a single reader would give them. The second counts and sorts. Runs are merged
like those of a reader with little memory, so the model is the same to the byte.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from isogloss._engine import LmCounter, Vocabulary
from isogloss.io.errors import DataFormatError
from isogloss.io.executor import Executor, ShardFile, absolute
from isogloss.io.shared_words import read_words, write_words
from isogloss.io.streams import StrPath, naming_file, not_text
from isogloss.io.text_shards import TextShard, plain_files, text_shards

__all__ = ["SPECIAL", "CountShard", "ShardedRuns", "count_shard", "count_shards", "shard_words"]

SPECIAL = ("<unk>", "<s>", "</s>")
"""The words with special meanings, in the order of their ids."""
_SHARD_LINES = 200_000
_STEP = 1 << 19  # n-grams per engine call


@dataclass(frozen=True, slots=True, kw_only=True)
class CountShard:
    """A part of the text, and what to count in it."""

    text: TextShard
    order: int
    special_as_unknown: bool
    words: ShardFile | None = None
    """The words of the whole text."""
    output: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardedRuns:
    """The sorted runs of all shards, and the size of the text."""

    runs: list[ShardFile]
    sentences: int
    words: int

    def read(self, run: int, begin: int, end: int) -> npt.NDArray[np.uint32]:
        """The records of a run between two byte positions."""
        return np.fromfile(self.runs[run].path, np.uint32, (end - begin) // 4, offset=begin)


def count_shards(
    corpus: Sequence[StrPath],
    vocabulary: Vocabulary,
    folder: Path,
    executor: Executor,
    *,
    order: int,
    special_as_unknown: bool,
) -> ShardedRuns:
    """Count the n-grams of text files into runs in ``folder``, and add their words to the vocabulary."""
    shards = [
        CountShard(text=text, order=order, special_as_unknown=special_as_unknown)
        for file in plain_files(corpus, folder)
        for (text,) in text_shards([file], _SHARD_LINES)
    ]
    for block, offsets in executor.map(shard_words, shards, "words"):
        vocabulary.encode([Vocabulary.from_arrays(block, offsets).words()])
    known = write_words(folder, vocabulary)
    parts = [
        replace(shard, words=known, output=absolute(folder / f"run-{number}"))
        for number, shard in enumerate(shards)
    ]
    counted = list(executor.map(count_shard, parts, "n-grams"))
    for run, _, _ in counted:
        run.checked()
    return ShardedRuns(
        runs=[run for run, _, _ in counted if run.size],
        sentences=sum(sentences for _, sentences, _ in counted),
        words=sum(count for _, _, count in counted),
    )


def shard_words(shard: CountShard, threads: int) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint64]]:
    """The words of a part of the text, in the order of their first appearance."""
    words = Vocabulary()
    for _ in _counted(shard, words):
        pass
    return words.arrays()


def count_shard(shard: CountShard, threads: int) -> tuple[ShardFile, int, int]:
    """Write the sorted n-grams of a part of the text; returns the file and the numbers of sentences and
    words."""
    assert shard.words is not None
    (words,) = read_words(shard.words)
    (counter,) = _counted(shard, words)
    output = Path(shard.output)
    part = output.with_name(f"{output.name}.{secrets.token_hex(8)}")  # a lost worker may still be writing
    with part.open("wb") as stream:
        if counter.tokens:
            counter.begin_sort()
            while not counter.sort_some(_STEP, threads):
                pass
            done = False
            while not done:
                done, records = counter.emit_records(_STEP)
                stream.write(records.view(np.uint8).data)
    part.replace(output)
    return ShardFile.of(output), counter.sentences, counter.words


def _counted(shard: CountShard, words: Vocabulary) -> Iterator[LmCounter]:
    """Read a part of the text, and yield what has read it."""
    unknown, begin, end = (words.add(word) for word in SPECIAL)
    counter = LmCounter(
        words, shard.order, (begin, end, unknown), special_as_unknown=shard.special_as_unknown
    )
    with _numbering_lines(shard.text.line), naming_file(shard.text.name):
        for chunk in shard.text.chunks():
            if b"\0" in chunk:
                raise not_text(shard.text.name)
            counter.feed(chunk)
        counter.end_file()
    yield counter


@contextlib.contextmanager
def _numbering_lines(before: int) -> Iterator[None]:
    """Number the lines of an error in the whole file."""
    try:
        yield
    except DataFormatError as error:
        if error.line is None:
            raise
        raise DataFormatError(error.problem, error.path, before + error.line, error.hint) from None
