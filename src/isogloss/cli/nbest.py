"""``isogloss nbest``: look at, convert and edit n-best lists of any system."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from rich.table import Table

from isogloss.cli import console
from isogloss.cli.declared import Json, declares, heading
from isogloss.cli.lists import ListFile, ListFormat, ListOutput, ListTo, Source, opened, write_list
from isogloss.cli.parameters import Reference, output_to
from isogloss.io.resources import Threads
from isogloss.io.streams import atomic_output
from isogloss.metric import ScoringOptions
from isogloss.nbest import (
    NbestList,
    NbestSummary,
    SyntheticListOptions,
    TokenizeListOptions,
    nbest_oracle,
    summarize,
    synthetic_nbest,
)
from isogloss.nbest import add_column as with_column
from isogloss.nbest import distinct as distinct_candidates
from isogloss.nbest import merge as merged_lists
from isogloss.rerank import as_functions, assemble, context_of
from isogloss.speech import LatticeStringOptions, lattice_nbest

__all__ = ["app"]

app = App(name="nbest", help="Look at, convert and edit n-best lists of any system.")

_COLUMN = heading("Column")
Files = list[str]  # by another name, because `list` is what the commands call their argument


@app.command
@declares()
def info(list: ListFile, /, *, format: ListFormat = None, json: Json = False) -> None:
    """Print how many sentences and candidates a list has, its features and their ranges."""
    summary = summarize(opened(list, format).store)
    if json:
        console.print_json(summary.to_dict())
    else:
        _print(summary)


@app.command
@declares()
def convert(
    list: ListFile,
    /,
    *,
    source: Source = None,
    output: ListOutput = "-",
    to: ListTo = "moses",
    format: ListFormat = None,
) -> None:
    """Write a list in another format. What the format cannot carry is named first."""
    write_list(opened(list, format, source=source).store, output, to)


@app.command
@declares({"Text": ("tokenizer", "language")}, options=TokenizeListOptions, config=False)
def tokenize(
    list: ListFile,
    /,
    *,
    options: TokenizeListOptions,
    source: Source = None,
    output: ListOutput = "-",
    to: ListTo = "moses",
    format: ListFormat = None,
) -> None:
    """Split the candidates into words, as language models and word features need it.

    Tokenize source and references the same way (isogloss corpus tokenize).
    """
    listed = opened(list, format, source=source)
    write_list(NbestList.from_store(listed.store, tokenizer=options.function()).store, output, to)


@app.command
@declares()
def merge(
    lists: Annotated[Files, Parameter(help="N-best lists: files, stored folders, or - for standard input.")],
    /,
    *,
    output: ListOutput = "-",
    to: ListTo = "moses",
    format: ListFormat = None,
) -> None:
    """Join lists sentence by sentence; candidates with the same words and features are kept once."""
    stores = [opened(path, format).store for path in lists]
    write_list(merged_lists(stores, lists, console.warn), output, to)


@app.command
@declares()
def distinct(
    list: ListFile, /, *, output: ListOutput = "-", to: ListTo = "moses", format: ListFormat = None
) -> None:
    """Keep one candidate, the best by score, of those with the same words."""
    write_list(distinct_candidates(opened(list, format).store), output, to)


@app.command(name="add-column")
@declares()
def add_column(
    list: ListFile,
    /,
    *,
    name: Annotated[str, Parameter(metavar="NAME", group=_COLUMN, help="Name of the new dense feature.")],
    values: Annotated[
        Path,
        Parameter(metavar="FILE", group=_COLUMN, help="One number per candidate, in the order of the list."),
    ],
    output: ListOutput = "-",
    to: ListTo = "moses",
    format: ListFormat = None,
) -> None:
    """Add a dense feature that was computed elsewhere, such as a quality estimate."""
    listed = opened(list, format)
    write_list(with_column(listed.store, name, listed.column(values, name)), output, to)


@app.command(name="features")
@declares({"Resources": ("threads",)}, resources=Threads, config=False)
def computed_features(
    list: ListFile,
    /,
    *,
    features: Annotated[
        Files,
        Parameter(
            name="--features",
            metavar="TEXT...",
            group=_COLUMN,
            help="Features of the reranker to compute, such as consensus or lm:english.arpa.",
        ),
    ],
    resources: Threads,
    source: Source = None,
    output: ListOutput = "-",
    to: ListTo = "moses",
    format: ListFormat = None,
) -> None:
    """Add features of the reranker to a list as columns, to look at them or to use them elsewhere."""
    listed = opened(list, format, source=source)
    context = context_of(listed, threads=resources.count, track=console.track)
    write_list(assemble(context, None, as_functions(" ".join(features))), output, to)


@app.command
@declares({"Metric": ("tokenize", "lowercase")}, options=ScoringOptions, config=False)
def oracle(
    list: ListFile,
    /,
    *,
    reference: Reference,
    options: ScoringOptions,
    output: Annotated[
        str | None, output_to("File for the translations of the oracle, one line per sentence.")
    ] = None,
    format: ListFormat = None,
    json: Json = False,
) -> None:
    """Print the BLEU that a perfect reranker could reach with a list, and what other choices reach."""
    found = nbest_oracle(opened(list, format, warn=False), reference, options)
    for warning in found.warnings:
        console.warn(warning)
    if output is not None:
        with atomic_output(output) as stream:
            stream.writelines(f"{line}\n" for line in found.translations)
    if json:
        console.print_json(found.to_dict())
        return
    table = Table("choice", "BLEU", box=None)
    for name, bleu in found.to_dict().items():
        table.add_row(name, f"{bleu:.2f}")
    console.print_table(table)


@app.command
@declares({"List": ("candidates", "seed")}, options=SyntheticListOptions, config=False)
def synthetic(
    reference: Annotated[Path, Parameter(help="Tokenized references, one per line.")],
    /,
    *,
    options: SyntheticListOptions,
    output: ListOutput = "-",
    to: ListTo = "moses",
) -> None:
    """Make a list by putting mistakes into references, to try things on."""
    write_list(synthetic_nbest(reference, options), output, to)


@app.command
@declares()
def best(
    list: ListFile,
    /,
    *,
    output: Annotated[str, output_to("Text file, one line per sentence; - is standard output.")] = "-",
    format: ListFormat = None,
) -> None:
    """Write the candidate with the highest score of every sentence as plain text.

    Sentences without candidates become empty lines, so that the lines match the source.
    """
    opened(list, format).write_best(output)


@app.command(name="from-lattice")
@declares({"List": ("nbest", "column")}, options=LatticeStringOptions, config=False)
def from_lattice(
    lattices: Annotated[str, Parameter(help="Word lattices (PLF), one per line; - is standard input.")],
    /,
    *,
    options: LatticeStringOptions,
    output: ListOutput = "-",
    to: ListTo = "moses",
) -> None:
    """Write the best strings of word lattices, all different, with the score of their best path.

    A lattice without words has one candidate without words, so that the sentences match the lines.
    """
    write_list(lattice_nbest(lattices, options, track=console.track), output, to)


def _print(summary: NbestSummary) -> None:
    facts = Table(show_header=False, box=None)
    for name, value in summary.facts():
        facts.add_row(name, value)
    console.print_table(facts)
    if not summary.columns:
        return
    table = Table("dense column", box=None)
    for title in ("least", "mean", "greatest"):
        table.add_column(title, justify="right")
    for column in summary.columns:
        table.add_row(column.name, f"{column.least:.6g}", f"{column.mean:.6g}", f"{column.greatest:.6g}")
    console.print_table(table)
