"""``isogloss translate``: from standard input to standard output."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from isogloss.cli import console
from isogloss.errors import ConfigError

if TYPE_CHECKING:
    from isogloss.search import Lattice, System

__all__ = ["translate"]

_CHUNK = 1 << 16
_BATCH = 50  # inputs per thread


class _Input(StrEnum):
    text = "text"
    plf = "plf"


class _Format(StrEnum):
    text = "text"
    moses = "moses"
    jsonl = "jsonl"


def translate(
    system: Annotated[
        str, typer.Argument(metavar="DIR", help="Stored system, as 'isogloss system create' makes it.")
    ],
    nbest: Annotated[
        int, typer.Option(metavar="N", help="Translations of each sentence, all different.")
    ] = 1,
    format: Annotated[
        _Format,
        typer.Option(
            help="text: the best translation, a line per sentence; moses: n-best list; jsonl: n-best list, a "
            "JSON object per translation."
        ),
    ] = _Format.text,
    input: Annotated[
        _Input, typer.Option(help="text: tokenised sentences; plf: word lattices; one per line.")
    ] = _Input.text,
    weights: Annotated[
        str | None, typer.Option(metavar="FILE", help="Weights to use instead of the system's own.")
    ] = None,
    threads: Annotated[
        int,
        typer.Option(metavar="N", help="Threads; 0 uses all processors. Results do not depend on it."),
    ] = 1,
    max_words: Annotated[
        int,
        typer.Option(metavar="WORDS", help="Longer sentences are translated in windows of at most so many."),
    ] = 100,
    beam_size: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Hypotheses kept per number of covered words; 0 keeps all.",
            show_default="the system's",
        ),
    ] = None,
    pop_limit: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Extensions tried per number of covered words; 0 tries all.",
            show_default="the system's",
        ),
    ] = None,
    replace_invalid: Annotated[
        bool, typer.Option("--replace-invalid", help="Replace bytes that are not UTF-8 instead of stopping.")
    ] = False,
) -> None:
    """Translate tokenised sentences or word lattices, one per line, from standard input to standard output.

    Lines are translated as they arrive, in order; an empty line stays empty.
    """
    from isogloss.search import SearchOptions, load
    from isogloss.search.stream import arriving_batches

    if nbest < 1:
        raise ConfigError(f"--nbest must be at least 1, got {nbest}")
    if nbest > 1 and format is _Format.text:
        raise ConfigError("--nbest above 1 needs --format moses or jsonl")
    if threads < 0:
        raise ConfigError(f"--threads must be at least 0, got {threads}")
    threads = threads or os.cpu_count() or 1
    loaded = load(system, weights=weights)
    changes = {"beam_size": beam_size, "pop_limit": pop_limit}
    given = {name: value for name, value in changes.items() if value is not None}
    if given:
        options = SearchOptions.from_mapping({**asdict(loaded.options), **given})
        loaded = load(system, weights=weights, options=options)
    batches = arriving_batches(
        _arriving(sys.stdin.buffer),
        "standard input",
        size=_BATCH * threads,
        plf=input is _Input.plf,
        replace_invalid=replace_invalid,
    )
    for text in _translated(loaded, batches, nbest, format, threads, max_words):
        sys.stdout.write(text)
        sys.stdout.flush()


def _arriving(stream: BinaryIO) -> Iterator[bytes]:
    """What there is to read, without waiting for more: somebody may wait for an answer."""
    read = getattr(stream, "read1", stream.read)
    while chunk := read(_CHUNK):
        yield chunk


def _translated(
    system: System,
    batches: Iterable[list[str | Lattice]],
    nbest: int,
    format: _Format,
    threads: int,
    max_words: int,
) -> Iterator[str]:
    from isogloss.nbest.formats import FORMATS
    from isogloss.search import best_lines

    first = 0
    for batch in console.track(batches, "batches"):
        store = system.nbest(batch, nbest=nbest, threads=threads, max_words=max_words)
        if format is _Format.text:
            yield "".join(line + "\n" for line in best_lines(store, batch))
        else:
            numbered = replace(store, sentence_ids=store.sentence_ids + first)
            yield "".join(FORMATS[format].write(numbered))
        first += len(batch)
