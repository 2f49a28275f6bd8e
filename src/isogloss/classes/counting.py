"""Count the words and pairs of adjacent words of a tokenized text, in one go or in shards of its lines.

Shards are counted apart and added in order. Words and pairs keep the order of their first appearance in the
whole text, so classes do not depend on shards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from isogloss._engine import NO_WORD, BigramCounter, Vocabulary
from isogloss.io.errors import DataFormatError
from isogloss.io.executor import Executor, absolute
from isogloss.io.scratch import temporary_folder
from isogloss.io.shared_arrays import SharedPart, write_parts
from isogloss.io.streams import StrPath
from isogloss.io.text_shards import TextShard, plain_files, text_shards

__all__ = ["CountedText", "WordPairShard", "count_in_shards", "count_sentences", "count_word_pairs"]

_BATCH = 10_000  # sentences per call of the engine
_SHARD_LINES = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class CountedText:
    """Words with their counts, and pairs of adjacent words."""

    words: list[str]
    counts: npt.NDArray[np.int64]
    bigrams: BigramCounter


@dataclass(frozen=True, slots=True, kw_only=True)
class WordPairShard:
    """Some lines of a text."""

    text: TextShard
    output: str


def count_sentences(sentences: Iterable[Sequence[str]], origin: StrPath) -> CountedText:
    """Count a text given as sentences; ``origin`` is its name in errors."""
    return _counted(*_count(sentences), origin)


def count_in_shards(path: StrPath, executor: Executor, scratch: StrPath | None) -> CountedText:
    """Count a text file on all workers, which share the folder ``scratch``."""
    vocabulary, counter = Vocabulary(), BigramCounter()
    with temporary_folder(scratch, ".isogloss-classes-") as folder:
        shards = (
            WordPairShard(text=text, output=absolute(folder / f"pairs-{number}"))
            for number, (text,) in enumerate(text_shards(plain_files([path], folder), _SHARD_LINES))
        )
        for parts in executor.map(count_word_pairs, shards, "pairs of words"):
            block, offsets, left, right, counts = (part.read() for part in parts)
            ids, _ = vocabulary.encode([Vocabulary.from_arrays(block, offsets).words()])
            numbers = np.append(ids, np.uint32(NO_WORD))  # NO_WORD is the sentence boundary
            left, right = (numbers[np.minimum(side, len(ids))] for side in (left, right))
            counter.add_pairs(left, right, counts)
    return _counted(vocabulary, counter, path)


def count_word_pairs(shard: WordPairShard, threads: int) -> list[SharedPart]:
    """Words, in the order of their first appearance, and pairs of a part of a text."""
    vocabulary, counter = _count(line.split() for line in shard.text.lines())
    return write_parts(shard.output, *vocabulary.arrays(), *counter.counted_pairs())


def _count(sentences: Iterable[Sequence[str]]) -> tuple[Vocabulary, BigramCounter]:
    vocabulary, counter = Vocabulary(), BigramCounter()
    stream = iter(sentences)
    while batch := list(islice(stream, _BATCH)):
        counter.add(*vocabulary.encode(batch))
    return vocabulary, counter


def _counted(vocabulary: Vocabulary, counter: BigramCounter, origin: StrPath) -> CountedText:
    if counter.sentences == 0:
        raise DataFormatError("no words found", origin, hint="give tokenized sentences, one per line")
    return CountedText(vocabulary.words(), counter.counts().astype(np.int64), counter)
