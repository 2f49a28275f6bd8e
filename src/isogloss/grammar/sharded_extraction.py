"""Extract rules in shards of the corpus: every shard becomes a sorted run of its rules in a file.

Two maps, as for n-gram counts. The first collects the words of every shard, so that all shards number words
as a single reader would. The second extracts and sorts; rules with equal sides are already added up within a
shard. Counts are whole numbers, so their sums do not depend on the order, and the table is the same to the
byte.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

import numpy as np

from isogloss import _engine
from isogloss.corpus.plain import unequal_lines
from isogloss.grammar.counting import add_lines, new_extraction
from isogloss.grammar.options import ExtractOptions
from isogloss.io.executor import Executor, ShardFile, absolute
from isogloss.io.scratch import temporary_folder
from isogloss.io.shared_words import read_words, write_words
from isogloss.io.streams import StrPath
from isogloss.io.text_shards import TextShard, plain_files, text_shards

__all__ = ["ExtractShard", "ShardRun", "extract_shard", "extract_shards", "shard_vocabularies"]

_SHARD_LINES = 20_000  # some ten seconds of work

Words = tuple[list[str], list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractShard:
    """A part of the corpus, and what to extract from it."""

    texts: tuple[TextShard, ...]
    """Source, target and links."""
    options: ExtractOptions
    memory: int
    words: ShardFile | None = None
    """The words of the whole corpus."""
    output: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardRun:
    """What a shard has written, and its statistics."""

    rules: ShardFile
    links: ShardFile
    pairs: int
    skipped: int
    occurrences: int


def extract_shards(
    extraction: _engine.RuleExtraction,
    files: Sequence[StrPath],
    folder: Path,
    executor: Executor,
    options: ExtractOptions,
    memory: int,
) -> None:
    """Extract the rules of a corpus on all workers, and add their runs to ``extraction``.

    ``folder`` must be shared, and stay until the runs are merged.
    """
    shards = [
        ExtractShard(texts=tuple(parts), options=options, memory=memory)
        for parts in text_shards(plain_files(files, folder), _SHARD_LINES)
    ]
    for source, target in executor.map(shard_vocabularies, shards, "words of the corpus"):
        extraction.source_words.encode([source])
        extraction.target_words.encode([target])
    known = write_words(folder, extraction.source_words, extraction.target_words)
    parts = (
        replace(shard, words=known, output=absolute(folder / f"shard-{number}"))
        for number, shard in enumerate(shards)
    )
    for run in executor.map(extract_shard, parts, "rules"):
        with np.load(run.links.checked()) as counts:
            extraction.add_link_counts(counts["sources"], counts["targets"], counts["counts"])
        extraction.add_run(
            str(run.rules.checked()), pairs=run.pairs, skipped=run.skipped, occurrences=run.occurrences
        )


def shard_vocabularies(shard: ExtractShard, threads: int) -> Words:
    """The words of both sides, in the order of their first appearance; of pairs that are not too long."""
    with temporary_folder(None, "isogloss-words-") as folder:
        extraction = new_extraction(folder, shard.options, shard.memory, threads)
        lines = ((source, target, "") for source, target, _ in _lines(shard.texts))
        add_lines(extraction, lines, shard.texts[2].name, shard.texts[0].line)
        return extraction.source_words.words(), extraction.target_words.words()


def extract_shard(shard: ExtractShard, threads: int) -> ShardRun:
    """Write the sorted rules of a part of the corpus, and the counts of its links."""
    assert shard.words is not None
    with temporary_folder(None, "isogloss-rules-") as folder:
        extraction = new_extraction(folder, shard.options, shard.memory, threads)
        for vocabulary, words in zip(
            (extraction.source_words, extraction.target_words), read_words(shard.words), strict=True
        ):
            vocabulary.encode([words.words()])
        add_lines(extraction, _lines(shard.texts), shard.texts[2].name, shard.texts[0].line)
        place = Path(shard.output)
        part = place.with_name(f"{place.name}.{secrets.token_hex(8)}")  # a lost worker may still be writing
        sources, targets, counts = extraction.link_counts()
        links = part.with_suffix(".npz")
        np.savez(links, sources=sources, targets=targets, counts=counts)
        extraction.write_run(str(part))
        return ShardRun(
            rules=ShardFile.of(part.replace(place)),
            links=ShardFile.of(links.replace(place.with_suffix(".npz"))),
            pairs=extraction.pairs,
            skipped=extraction.skipped,
            occurrences=extraction.occurrences,
        )


def _lines(texts: Sequence[TextShard]) -> Iterator[tuple[str, ...]]:
    """The lines of parallel files; files of different length are an error."""
    for number, lines in enumerate(zip_longest(*(text.lines() for text in texts)), start=texts[0].line + 1):
        if None in lines:
            ended = [line is None for line in lines]
            raise unequal_lines(texts[ended.index(True)].name, texts[ended.index(False)].name, number)
        yield lines
