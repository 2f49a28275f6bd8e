"""Translate many lines on many machines: shards of lines, translated one by one and written in order."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from isogloss.decoder import InputOptions, OutputOptions, System, arriving_batches, line_reader, load, written
from isogloss.io.errors import DataFormatError
from isogloss.io.executor import Executor, absolute, line_ranges
from isogloss.io.streams import split_chunks
from isogloss.learn import MbrOptions

__all__ = ["BulkTranslation", "TranslatedShard", "translate_lines", "translate_shard"]

_LINES = 100  # of a shard: some seconds of work, and a few kilobytes


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkTranslation:
    """What to translate with, and how."""

    engine: str
    weights: str | None = None
    search: Mapping[str, Any] = field(default_factory=dict)
    matches: bool = True
    lines: InputOptions = field(default_factory=InputOptions)
    output: OutputOptions = field(default_factory=OutputOptions)
    mbr: Mapping[str, Any] = field(default_factory=dict)
    name: str = "standard input"
    """Of the text, for messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslatedShard:
    """The output of a shard, and its lines that could not be read."""

    text: str
    errors: tuple[DataFormatError, ...] = ()


def translate_lines(
    executor: Executor, task: BulkTranslation, chunks: Iterable[bytes]
) -> Iterator[TranslatedShard]:
    """Translate a text, given as pieces of its bytes; the shards' outputs are yielded in order.

    If unreadable lines stop the translation, the last shard ends before the line, and its error is the last.
    """
    terms = None if task.lines.terms is None else absolute(task.lines.terms)
    task = replace(
        task,
        engine=absolute(task.engine),
        weights=None if task.weights is None else absolute(task.weights),
        lines=replace(task.lines, terms=terms),
    )
    lines = (line for some in split_chunks(chunks, task.name, allow_zero=True) for line in some)
    shards = ((task, first, part) for first, part in line_ranges(lines, _LINES))
    for done in executor.map(translate_shard, shards, "translating"):
        yield done
        if done.errors and task.lines.bad_lines == "stop":
            return


def translate_shard(shard: tuple[BulkTranslation, int, list[bytes]], threads: int) -> TranslatedShard:
    """Translate some lines; the second item is how many come before them."""
    task, first, lines = shard
    system = _opened(task.engine, task.weights, tuple(task.search.items()), task.matches)
    text = None if task.lines.tokenized else system.text
    errors: list[DataFormatError] = []
    batches = arriving_batches(
        [b"\n".join(lines) + b"\n"],
        task.name,
        line_reader(task.name, task.lines, text),
        threads=threads,
        replace_invalid=task.lines.replace_invalid,
        bad_line=errors.append if task.lines.bad_lines == "report" else None,
        first=first,
    )
    chosen = MbrOptions(**task.mbr) if task.mbr else None
    output = io.StringIO()
    try:
        for batch in batches:
            pieces = written(
                system,
                batch,
                task.output,
                first=first,
                text=text,
                choose=chosen.chooser(threads) if chosen else None,
                nbest=chosen.size if chosen else None,
                threads=threads,
            )
            output.writelines(pieces)
            first += len(batch)
    except DataFormatError as error:
        errors.append(error)
    return TranslatedShard(text=output.getvalue(), errors=tuple(errors))


@lru_cache(maxsize=2)  # a worker translates many shards; the models are mapped, so nodes share them
def _opened(engine: str, weights: str | None, search: tuple[tuple[str, Any], ...], matches: bool) -> System:
    return load(engine, weights=weights, changes=dict(search), corrections=True, matches=matches)
