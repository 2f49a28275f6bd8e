"""``isogloss sample``: the training pairs that are like a text to be translated."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from isogloss.cli import console
from isogloss.cli.corpus import (
    Columns,
    Format,
    InputsAndOutputs,
    Json,
    SourceLanguage,
    TargetLanguage,
    To,
    _note_written,
    _read_options,
    _refuse_json_beside,
)
from isogloss.cli.decoding import thread_count

if TYPE_CHECKING:
    from isogloss.selection import Sampled

__all__ = ["sample"]


class _Method(StrEnum):
    ngrams = "ngrams"
    cross_entropy = "cross-entropy"
    random = "random"


def sample(
    files: InputsAndOutputs,
    text: Annotated[
        list[str],
        typer.Option(
            "--for",
            metavar="FILE",
            help="Text to be translated, tokenised as the corpus is; a development or test set. Repeatable.",
        ),
    ],
    method: Annotated[
        _Method,
        typer.Option(
            help="ngrams: for every sentence of the text the pairs of highest n-gram precision, until "
            "each of its n-grams is covered; cross-entropy: pairs that a language model of the text prefers "
            "to one of the corpus (Moore and Lewis); random: any, for comparison."
        ),
    ] = _Method.ngrams,
    order: Annotated[int, typer.Option(metavar="N", help="Words in the longest n-grams.")] = 3,
    coverage: Annotated[
        int,
        typer.Option(metavar="C", help="How often 'ngrams' covers each n-gram of each sentence of the text."),
    ] = 10,
    size: Annotated[
        int, typer.Option(metavar="N", help="Pairs to choose.", show_default="as many as 'ngrams' needs")
    ] = 0,
    share: Annotated[
        float, typer.Option(metavar="X", help="The same as a share of the corpus, such as 0.5.")
    ] = 0.0,
    perplexity: Annotated[
        bool, typer.Option(help="Ask 3-gram models of the corpus and of the sample about the text.")
    ] = True,
    random_draws: Annotated[
        int,
        typer.Option(metavar="N", help="Ask also models of so many random samples of the same size.", min=0),
    ] = 0,
    list_all: Annotated[
        str | None,
        typer.Option("--list", metavar="FILE", help="Write a table of the chosen pairs: line and score."),
    ] = None,
    format: Format = None,
    to: To = None,
    source_language: SourceLanguage = "",
    target_language: TargetLanguage = "",
    columns: Columns = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Of random draws.")] = 1,
    threads: Annotated[
        int, typer.Option(metavar="N", help="Threads; 0 uses all processors. Results do not depend on it.")
    ] = 1,
    json: Json = False,
) -> None:
    """Choose the pairs of a corpus whose source side is like a text.

    The corpus is read several times and may be larger than memory. Words are what spaces separate.
    """
    from isogloss.corpus.formats import plan_conversion
    from isogloss.selection import SampleOptions, read_text, sample_corpus

    threads = thread_count(threads)
    options = SampleOptions(
        method=method.value, order=order, coverage=coverage, size=size, share=share, seed=seed
    )
    conversion = plan_conversion(
        files,
        from_format=format,
        to_format=to,
        options=_read_options(source_language, target_language, columns),
    )
    _refuse_json_beside(conversion, json)
    sampled = sample_corpus(
        conversion,
        read_text(text),
        options,
        beside=list_all,
        measure=perplexity,
        random_draws=random_draws,
        threads=threads,
        track=console.track,
    )
    if json:
        console.print_json(sampled.as_dict())
        return
    _print(sampled)
    _note_written(conversion, len(sampled.chosen.numbers))


def _print(sampled: Sampled) -> None:
    chosen = sampled.chosen
    if chosen.ngrams:
        table = Table("n-grams of the text", "different", "in the corpus", box=None)
        for length, (different, there) in enumerate(chosen.ngrams, start=1):
            table.add_row(str(length), f"{different:,}", f"{there:,}")
        console.print_table(table)
    if not sampled.perplexities:
        return
    table = Table("3-gram model of", box=None)
    for heading in ("pairs", "source words", "perplexity of the text", "unknown words"):
        table.add_column(heading, justify="right")
    for name, found in sampled.perplexities.items():
        table.add_row(
            name, f"{found.sentences:,}", f"{found.words:,}", f"{found.perplexity:.1f}", f"{found.unknown:,}"
        )
    console.print_table(table)
