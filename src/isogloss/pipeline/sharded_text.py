"""Tokenize training text in shards of its lines, on many machines."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import starmap
from pathlib import Path
from typing import IO, Any

from isogloss.corpus.processing import SideOptions, TextProcessing, TextSide
from isogloss.io.executor import Executor, ShardFile, absolute
from isogloss.io.scratch import temporary_folder
from isogloss.io.text_shards import TextShard, plain_files, text_shards

__all__ = ["SplitShard", "split_in_shards", "split_pairs", "split_shard"]

_SHARD_LINES = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitShard:
    """Some training pairs, and how to split them into tokens."""

    texts: tuple[TextShard, ...]
    placeholders: tuple[str, ...]
    options: tuple[Mapping[str, Any], ...]
    """Of both sides."""
    output: str


def split_pairs(
    text: TextProcessing, sides: Iterable[TextSide], pairs: Iterable[tuple[str, str]], threads: int
) -> list[list[str]]:
    """The tokens of both sides, before case; in a pair, only text on both sides counts as a placeholder."""
    protected = list(starmap(text.protect_pair, pairs))
    return [
        side.split_lines([pair[at] for pair in protected], threads=threads) for at, side in enumerate(sides)
    ]


def split_in_shards(
    executor: Executor,
    inputs: tuple[Path, Path],
    streams: Iterable[IO[str]],
    placeholders: tuple[str, ...],
    options: tuple[Mapping[str, Any], ...],
    folder: Path,
) -> None:
    """Split training text on all workers; writes the tokens of each side in order. ``folder`` is shared."""
    with temporary_folder(folder, ".split-") as work:
        shards = (
            SplitShard(
                texts=tuple(texts),
                placeholders=placeholders,
                options=options,
                output=absolute(work / str(number)),
            )
            for number, texts in enumerate(text_shards(plain_files(inputs, work), _SHARD_LINES))
        )
        for files in executor.map(split_shard, shards, "tokenizing"):
            for file, stream in zip(files, streams, strict=True):
                path = file.checked()
                stream.write(path.read_text("utf-8"))
                path.unlink()


def split_shard(shard: SplitShard, threads: int) -> tuple[ShardFile, ...]:
    """Write the tokens of some pairs, a file for each side."""
    text = TextProcessing(placeholders=shard.placeholders)
    sides = [TextSide(SideOptions(**options)) for options in shard.options]
    source, target = (part.lines() for part in shard.texts)
    written = []
    for at, lines in enumerate(split_pairs(text, sides, zip(source, target, strict=True), threads)):
        path = Path(f"{shard.output}.{at}.{secrets.token_hex(8)}")  # a lost worker may still be writing
        path.write_text("".join(line + "\n" for line in lines), "utf-8", newline="\n")
        written.append(ShardFile.of(path))
    return tuple(written)
