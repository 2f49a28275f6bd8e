"""``isogloss lm``: estimate, query and store n-gram language models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from isogloss.cli import console
from isogloss.cli.declared import Json, declares, heading
from isogloss.cli.machines import executor_of
from isogloss.cli.parameters import Scratch, TokenizedText, output_to
from isogloss.io.executor import shared_scratch
from isogloss.io.resources import Cluster, Resources, Threads
from isogloss.io.streams import read_lines
from isogloss.lm import BuildReport, LanguageModel, LmOptions, Perplexity, ScoredText, ScoreLevel
from isogloss.lm import build as build_model

__all__ = ["app"]

app = App(name="lm", help="Estimate, query and store n-gram language models.")

_OUTPUT = heading("Output")


@app.command
@declares(
    {"Model": ("order", "prune", "special_words"), "Resources": ("threads", "memory_limit", "cluster")},
    options=LmOptions,
    resources=Resources,
    machines=Cluster,
)
def build(
    *corpus: TokenizedText,
    options: LmOptions,
    resources: Resources,
    machines: Cluster,
    arpa: Annotated[
        str | None,
        Parameter(
            metavar="FILE",
            group=_OUTPUT,
            help="ARPA file to write; compressed if it ends in .gz or .zst; - is standard output.",
        ),
    ] = None,
    binary: Annotated[
        Path | None, Parameter(metavar="FOLDER", group=_OUTPUT, help="Folder for the binary model.")
    ] = None,
    scratch: Scratch = None,
    json: Json = False,
) -> None:
    """Estimate a language model with interpolated modified Kneser-Ney smoothing."""
    with executor_of(machines, resources.count) as executor:
        report = build_model(
            corpus,
            options=options,
            arpa=arpa,
            binary=binary,
            threads=resources.count,
            memory_limit=resources.memory_limit,
            scratch=shared_scratch(executor, scratch, binary or arpa or "."),
            track=console.track,
            executor=executor,
        )
    for k, discounts in enumerate(report.discounts, start=1):
        if discounts.fallback is not None:
            amounts = ", ".join(f"{amount:g}" for amount in discounts.amounts)
            console.warn(
                f"discounts of {k}-grams cannot be estimated ({discounts.fallback}), so {amounts} are "
                "used. "
                "Is the text small or artificial?"
            )
    if report.spilled_bytes:
        console.note(f"{report.spilled_bytes / 2**20:,.0f} MB went through temporary files")
    if json:
        console.print_json(report.to_dict())
    elif arpa != "-":
        _print_report(report)


def _print_report(report: BuildReport) -> None:
    from rich.table import Table

    console.note(f"{report.sentences:,} sentences, {report.words:,} words")
    table = Table("order", "n-grams", "D1", "D2", "D3+", box=None)
    for k, (count, discounts) in enumerate(zip(report.counts, report.discounts, strict=True), start=1):
        table.add_row(str(k), f"{count:,}", *(f"{amount:.4f}" for amount in discounts.amounts))
    console.print_table(table)


@app.command
@declares({"Resources": ("threads",)}, config=False, resources=Threads)
def query(
    model: Annotated[str, Parameter(help="Folder or ARPA file of the model.")],
    text: TokenizedText = Path("-"),
    /,
    *,
    resources: Threads,
    show: Annotated[
        ScoreLevel,
        Parameter(
            metavar="NAME",
            group=_OUTPUT,
            help="What to print: scores of words, of sentences, or of the whole text only.",
        ),
    ] = "sentences",
    fragments: Annotated[
        bool,
        Parameter(group=heading("Input"), help="Score lines as parts of sentences, without <s> and </s>."),
    ] = False,
    json: Json = False,
) -> None:
    """Print log10 probabilities and perplexity of a text.

    Columns for a sentence, separated by tabs: log10 probability, number of words (including the end of the
    sentence), number of unknown words, the sentence. For a word: log10 probability, length of the matching
    n-gram, and the word, marked with * if it is unknown.
    """
    loaded = LanguageModel.load(model, track=console.track)
    _warn_of_missing_unknown(loaded, model)
    lines = console.track(read_lines(text), "scoring")
    scored = ScoredText(loaded, lines, level=show, fragments=fragments, threads=resources.count)
    if json:
        rows = list(scored)
        console.print_json({**({"sentences": rows} if rows else {}), **scored.total.to_dict()})
        return
    for row in scored:
        console.print_line(_row_as_text(row))
    _print_total(scored.total, as_note=show != "text")


def _row_as_text(row: dict[str, Any]) -> str:
    if "text" in row:
        return f"{row['log10']:.6f}\t{row['words']}\t{row['unknown']}\t{row['text']}"
    lines = [
        f"{word['log10']:.6f}\t{word['matched']}\t{word['word']}{'' if word['known'] else '*'}"
        for word in row["words"]
    ]
    return "\n".join(lines) + "\n"


def _print_total(total: Perplexity, *, as_note: bool) -> None:
    from rich.table import Table

    facts = {
        "sentences": f"{total.sentences:,}",
        "words, ends of sentences included": f"{total.words:,}",
        "unknown words": f"{total.unknown:,}",
        "log10 probability": f"{total.log10:.4f}",
        "perplexity": f"{total.including_unknown:.4f}",
        "perplexity without unknown words": f"{total.excluding_unknown:.4f}",
    }
    if as_note:  # standard output holds the scores and nothing else
        for name, value in facts.items():
            console.note(f"{name}: {value}")
        return
    table = Table(show_header=False, box=None)
    for row in facts.items():
        table.add_row(*row)
    console.print_table(table)


@app.command
@declares()
def binarize(
    arpa: Annotated[str, Parameter(help="ARPA file: plain, gzip or zstd; - is standard input.")],
    /,
    output: Annotated[str, output_to("Folder for the binary model.", "FOLDER")],
    *,
    json: Json = False,
) -> None:
    """Convert an ARPA file to a binary model, which loads instantly and is shared between processes."""
    model = LanguageModel.load(arpa, track=console.track)
    _warn_of_missing_unknown(model, arpa)
    model.save(output)
    if json:
        console.print_json({"order": model.order, "counts": list(model.counts)})
    else:
        console.note(f"{output}: order {model.order}, {sum(model.counts):,} n-grams")


def _warn_of_missing_unknown(model: LanguageModel, path: str) -> None:
    if not model.has_unknown:
        console.warn(f"{path}: the model has no <unk>; unknown words get log10 probability -100")
