"""``isogloss select``: training pairs that are similar to a given text."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from isogloss.cli import console
from isogloss.cli.bilingual import Format, InputsAndOutputs, To, note_written, refuse_json_beside
from isogloss.cli.declared import Json, declares, heading
from isogloss.corpus import ReadOptions, plan_conversion
from isogloss.io.resources import Threads
from isogloss.selection import Sampled, SampleOptions, read_text, sample_corpus

__all__ = ["select"]

_GROUPS = {
    "Input": ("source_language", "target_language", "columns"),
    "Selection": ("method", "order", "coverage", "size", "share", "seed"),
    "Resources": ("threads",),
}
_OUTPUT, _QUALITY = heading("Output"), heading("Quality")


@declares(_GROUPS, read=ReadOptions, options=SampleOptions, resources=Threads)
def select(
    *files: InputsAndOutputs,
    text: Annotated[
        list[str],
        Parameter(
            name="--for",
            metavar="FILE...",
            group=heading("Input"),
            help="Text to select for, such as the source side of a development set, tokenized like the "
            "corpus.",
        ),
    ],
    read: ReadOptions,
    options: SampleOptions,
    resources: Threads,
    format: Format = None,
    to: To = None,
    list_all: Annotated[
        str | None,
        Parameter(
            name="--list",
            metavar="FILE",
            group=_OUTPUT,
            help="File for a table of the selected pairs: line and score.",
        ),
    ] = None,
    perplexity: Annotated[
        bool,
        Parameter(
            negative="--no-perplexity",
            group=_QUALITY,
            help="Compare 3-gram models of the corpus and of the selection by their perplexity on the text.",
        ),
    ] = True,
    random_draws: Annotated[
        int,
        Parameter(
            metavar="N",
            group=_QUALITY,
            help="Number of random selections of the same size to compare with.",
        ),
    ] = 0,
    json: Json = False,
) -> None:
    """Select sentence pairs of a corpus that are similar to a given text.

    Compares source sides; words must be separated by spaces. Reads the corpus several times; it may be larger
    than memory.
    """
    conversion = plan_conversion(files, from_format=format, to_format=to, options=read)
    refuse_json_beside(conversion, json)
    sampled = sample_corpus(
        conversion,
        read_text(text),
        options,
        beside=list_all,
        measure=perplexity,
        random_draws=random_draws,
        threads=resources.count,
        track=console.track,
    )
    if json:
        console.print_json(sampled.as_dict())
        return
    _print(sampled)
    note_written(conversion, len(sampled.chosen.numbers))


def _print(sampled: Sampled) -> None:
    from rich.table import Table

    chosen = sampled.chosen
    if chosen.ngrams:
        table = Table("n-grams of the text", "different", "in the corpus", box=None)
        for length, (different, there) in enumerate(chosen.ngrams, start=1):
            table.add_row(str(length), f"{different:,}", f"{there:,}")
        console.print_table(table)
    if not sampled.perplexities:
        return
    table = Table("3-gram model of", box=None)
    for title in ("pairs", "source words", "perplexity of the text", "unknown words"):
        table.add_column(title, justify="right")
    for name, found in sampled.perplexities.items():
        table.add_row(
            name, f"{found.sentences:,}", f"{found.words:,}", f"{found.perplexity:.1f}", f"{found.unknown:,}"
        )
    console.print_table(table)
