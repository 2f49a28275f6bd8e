"""``isogloss translate``: from standard input to standard output."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import IO, Annotated, Any

from cyclopts import Parameter

from isogloss.adapt import LocalOptions, RetrievalOptions
from isogloss.cli import console
from isogloss.cli.adapted import LocalDev, LocalMethod, LocalReport, MemoryFolder, adapted
from isogloss.cli.declared import Changes, declares, heading
from isogloss.cli.machines import executor_of
from isogloss.cli.parameters import UseMatches
from isogloss.decoder import (
    InputOptions,
    OutputOptions,
    SearchOptions,
    arriving_batches,
    line_reader,
    load,
    written,
)
from isogloss.io.config import Settings
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.resources import LOCAL, Cluster, Threads
from isogloss.io.streams import limit_lines, standard_input
from isogloss.learn import MbrOptions

__all__ = ["Reported", "translate"]

_CHUNK = 1 << 16
_REPORTED_LINES = 10
_STDIN = "standard input"
_GROUPS = {
    "Input": ("input", "tokenized", "markup", "terms", "terms_ignore_case"),
    "Output": ("nbest", "format"),
    "Search": ("beam_size", "unknown", "max_words", "time_limit"),
    "Choice": ("mbr.utility",),
    "Resources": ("threads",),
}


@declares(
    _GROUPS,
    lines=InputOptions,
    output=OutputOptions,
    search=Changes(SearchOptions, "the system's"),
    mbr=Changes(MbrOptions, "the one with the highest score", prefix="mbr"),
    retrieval=Changes(RetrievalOptions, "the memory's", prefix="local"),
    update=Changes(LocalOptions, "the memory's", prefix="local"),
    resources=Threads,
    machines=Cluster,
    names={"mbr.utility": "--mbr"},
)
def translate(
    engine: Annotated[str, Parameter(help="Folder of the engine, as written by 'isogloss train'.")],
    /,
    *,
    lines: InputOptions,
    output: OutputOptions,
    search: Settings,
    mbr: Settings,
    retrieval: Settings,
    update: Settings,
    resources: Threads,
    machines: Cluster,
    weights: Annotated[
        str | None,
        Parameter(
            metavar="FILE", group=heading("Search"), help="Weights to use instead of the engine's own."
        ),
    ] = None,
    matches: UseMatches = True,
    local: LocalMethod = None,
    memory: MemoryFolder = None,
    local_dev: LocalDev = None,
    local_report: LocalReport = None,
) -> None:
    """Translate sentences from standard input to standard output.

    Reads one sentence per line: plain text if the engine was trained with a tokenizer, otherwise tokens.
    Lines are translated as they arrive, in order; an empty line stays empty. For PO, XLIFF and TMX files, use
    'isogloss catalog fill'.
    """
    if mbr and (output.nbest > 1 or output.format != "text"):
        raise ConfigError("--mbr writes one translation per sentence; remove --nbest and --format")
    if local is not None and lines.input == "plf":
        raise ConfigError("--local translates sentences, not lattices; remove --local or --input plf")
    threads = resources.count
    if machines.cluster != LOCAL:
        if local is not None:
            raise ConfigError("--local translates on this machine; remove --cluster or --local")
        given: dict[str, Any] = {"engine": engine, "weights": weights, "search": search, "matches": matches}
        given |= {"lines": lines, "output": output, "mbr": mbr}
        _translate_in_bulk(given, machines, threads)
        return
    with ExitStack() as open_files:
        system = load(engine, weights=weights, changes=search, corrections=True, matches=matches)
        text = None if lines.tokenized else system.text
        read = line_reader(_STDIN, lines, text)
        system = adapted(system, local, memory, {**retrieval, **update}, local_dev, local_report, open_files)
        reported = Reported(_STDIN)
        batches = arriving_batches(
            limit_lines(_arriving(standard_input()), _STDIN),
            _STDIN,
            read,
            threads=threads,
            replace_invalid=lines.replace_invalid,
            bad_line=reported if lines.bad_lines == "report" else None,
        )
        choose = MbrOptions(**mbr).chooser(threads) if mbr else None
        first = 0
        for batch in console.track(batches, "batches"):
            pieces = written(
                system,
                batch,
                output,
                first=first,
                text=text,
                choose=choose,
                nbest=MbrOptions(**mbr).size if mbr else None,
                threads=threads,
            )
            for piece in pieces:
                sys.stdout.write(piece)
            sys.stdout.flush()
            first += len(batch)
    reported.finish()


def _translate_in_bulk(given: dict[str, Any], machines: Cluster, threads: int) -> None:
    from isogloss.pipeline.bulk_translation import BulkTranslation, translate_lines  # takes a second

    task, reported = BulkTranslation(**given, name=_STDIN), Reported(_STDIN)
    with executor_of(machines, threads) as executor:
        chunks = limit_lines(_arriving(standard_input()), _STDIN)
        for shard in console.track(translate_lines(executor, task, chunks), "shards"):
            sys.stdout.write(shard.text)
            sys.stdout.flush()
            for error in shard.errors:
                if task.lines.bad_lines == "stop":
                    raise error
                reported(error)
    reported.finish()


class Reported:
    """Reports lines that could not be read: the first few one by one, then their number."""

    def __init__(self, path: str) -> None:
        self._path, self._count = path, 0

    def __call__(self, error: DataFormatError) -> None:
        """Report a line, or only count it."""
        self._count += 1
        if self._count <= _REPORTED_LINES:
            console.warn(str(error))

    def finish(self) -> None:
        """Fail if there was a bad line."""
        if self._count:
            lines = "1 line" if self._count == 1 else f"{self._count:,} lines"
            raise DataFormatError(f"{lines} could not be read; the output is empty there", self._path)


def _arriving(stream: IO[bytes]) -> Iterator[bytes]:
    """Return the input available now without waiting for more: the other side may be waiting for an
    answer."""
    read = getattr(stream, "read1", stream.read)
    while chunk := read(_CHUNK):
        yield chunk
