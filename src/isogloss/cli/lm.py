"""``isogloss lm``: estimate, ask and store n-gram language models."""

from __future__ import annotations

import math
from collections.abc import Iterator
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from isogloss.cli import console

if TYPE_CHECKING:
    from isogloss.lm import BuildReport, LanguageModel, Perplexity, SentenceScores

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Estimate, ask and store n-gram language models.")

_BATCH = 10_000  # sentences scored at once


class SpecialWords(StrEnum):
    """What is done with the model's own words in a text."""

    error = "error"
    unknown = "unknown"


class Level(StrEnum):
    """What scores are printed for."""

    words = "words"
    sentences = "sentences"
    text = "text"


Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Threads = Annotated[int, typer.Option(min=0, help="Threads to use; 0 uses all processors.")]


@app.command()
def build(
    corpus: Annotated[
        list[str],
        typer.Argument(metavar="CORPUS...", help="Tokenised text, one sentence per line; - is stdin."),
    ],
    arpa: Annotated[
        str | None, typer.Option(help="ARPA file to write; .gz and .zst are packed, - is stdout.")
    ] = None,
    binary: Annotated[
        str | None, typer.Option(metavar="DIR", help="Folder to write the binary form to.")
    ] = None,
    order: Annotated[int, typer.Option(help="Words in the longest n-grams, 1 to 7.")] = 5,
    prune: Annotated[
        str,
        typer.Option(
            help="Leave out n-grams seen that often or less: one number per order, separated by commas, the "
            "last for all further orders. 0,0,1 drops trigrams and longer ones that were seen once."
        ),
    ] = "0",
    memory: Annotated[
        str, typer.Option(help="Working memory, such as 512M or 4G; more than that goes to disk.")
    ] = "4G",
    scratch: Annotated[
        str | None, typer.Option(metavar="DIR", help="Folder for temporary files; the system's if not given.")
    ] = None,
    special_words: Annotated[
        SpecialWords, typer.Option(help="<s>, </s> and <unk> in the text: an error, or unknown words.")
    ] = SpecialWords.error,
    threads: Threads = 0,
    json: Json = False,
) -> None:
    """Estimate a model with interpolated modified Kneser-Ney smoothing."""
    from isogloss.io.sizes import parse_size
    from isogloss.lm import LmOptions
    from isogloss.lm import build as build_model

    options = LmOptions(
        order=order,
        prune=_thresholds(prune),
        memory=parse_size(memory),
        scratch=scratch,
        special_words=special_words.value,
        threads=threads,
    )
    report = build_model(corpus, options=options, arpa=arpa, binary=binary, track=console.track)
    for k, discounts in enumerate(report.discounts, start=1):
        if discounts.fallback is not None:
            amounts = ", ".join(f"{amount:g}" for amount in discounts.amounts)
            console.warn(
                f"discounts of {k}-grams cannot be estimated ({discounts.fallback}): {amounts} are used. "
                "Is the text small or artificial?"
            )
    if report.spilled_bytes:
        console.note(f"{report.spilled_bytes / 2**20:,.0f} MB went through temporary files")
    if json:
        console.print_json(_report_as_json(report))
    elif arpa != "-":
        _print_report(report)


def _thresholds(text: str) -> tuple[int, ...]:
    from isogloss.io.errors import ConfigError

    try:
        return tuple(int(field) for field in text.replace(",", " ").split())
    except ValueError:
        raise ConfigError(f"--prune must be numbers separated by commas, got '{text}'") from None


def _report_as_json(report: BuildReport) -> dict[str, Any]:
    return {
        "sentences": report.sentences,
        "words": report.words,
        "counts": list(report.counts),
        "discounts": [
            {"amounts": list(discounts.amounts), "fallback": discounts.fallback}
            for discounts in report.discounts
        ],
        "spilled_bytes": report.spilled_bytes,
    }


def _print_report(report: BuildReport) -> None:
    console.note(f"{report.sentences:,} sentences, {report.words:,} words")
    table = Table("order", "n-grams", "D1", "D2", "D3+", box=None)
    for k, (count, discounts) in enumerate(zip(report.counts, report.discounts, strict=True), start=1):
        table.add_row(str(k), f"{count:,}", *(f"{amount:.4f}" for amount in discounts.amounts))
    console.print_table(table)


@app.command()
def query(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Stored folder or ARPA file.")],
    text: Annotated[
        str, typer.Argument(metavar="[FILE]", help="Tokenised text, one sentence per line; - is stdin.")
    ] = "-",
    show: Annotated[
        Level, typer.Option(help="Print scores of words, of sentences, or of the whole text only.")
    ] = Level.sentences,
    fragments: Annotated[
        bool, typer.Option("--fragments", help="Lines are parts of sentences: no beginning, no end.")
    ] = False,
    threads: Threads = 1,
    json: Json = False,
) -> None:
    """Print log10 probabilities of a text, and its perplexity.

    A sentence is printed as its log10 probability, its words (the end of the sentence included), its
    unknown words and the sentence itself, separated by tabs; a word as its log10 probability, the length of
    the n-gram it was found in, and the word, which is marked with * if it is unknown.
    """
    from isogloss.io.streams import read_lines
    from isogloss.lm import LanguageModel, Perplexity

    loaded = LanguageModel.load(model, track=console.track)
    _report_model(loaded, model)
    total = Perplexity(sentences=0, words=0, unknown=0, log10=0.0, unknown_log10=0.0)
    rows: list[dict[str, Any]] = []
    whole = not fragments
    for batch in _batches(console.track(read_lines(text), "scoring")):
        scores = loaded.all_scores(batch, bos=whole, eos=whole, threads=_threads(threads))
        total = total + scores.total()
        if show is Level.text:
            continue
        found = _word_rows(loaded, batch, whole) if show is Level.words else _sentence_rows(scores, batch)
        if json:
            rows.extend(found)
        else:
            for row in found:
                typer.echo(_row_as_text(row))
    if json:
        console.print_json({"sentences": rows, **_total_as_json(total)} if rows else _total_as_json(total))
    else:
        _print_total(total, as_note=show is not Level.text)


def _batches(lines: Iterator[str]) -> Iterator[list[str]]:
    while batch := list(islice(lines, _BATCH)):
        yield batch


def _sentence_rows(scores: SentenceScores, batch: list[str]) -> Iterator[dict[str, Any]]:
    columns = (scores.log10.tolist(), scores.words.tolist(), scores.unknown.tolist())
    for sentence, log10, words, unknown in zip(batch, *columns, strict=True):
        yield {"log10": log10, "words": words, "unknown": unknown, "text": sentence}


def _word_rows(model: LanguageModel, batch: list[str], whole: bool) -> Iterator[dict[str, Any]]:
    for sentence in batch:
        scores = model.score_words(sentence, bos=whole, eos=whole)
        yield {
            "log10": sum(score.log10 for score in scores),
            "words": [
                {"word": s.word, "log10": s.log10, "matched": s.matched, "known": s.known} for s in scores
            ],
        }


def _row_as_text(row: dict[str, Any]) -> str:
    if "text" in row:
        return f"{row['log10']:.6f}\t{row['words']}\t{row['unknown']}\t{row['text']}"
    lines = [
        f"{word['log10']:.6f}\t{word['matched']}\t{word['word']}{'' if word['known'] else '*'}"
        for word in row["words"]
    ]
    return "\n".join(lines) + "\n"


def _total_as_json(total: Perplexity) -> dict[str, Any]:
    def finite(number: float) -> float | None:
        return number if math.isfinite(number) else None

    return {
        "sentence_count": total.sentences,
        "words": total.words,
        "unknown": total.unknown,
        "log10": total.log10,
        "perplexity": finite(total.including_unknown),
        "perplexity_without_unknown": finite(total.excluding_unknown),
    }


def _print_total(total: Perplexity, *, as_note: bool) -> None:
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


@app.command()
def binarize(
    arpa: Annotated[str, typer.Argument(metavar="ARPA", help="ARPA file, plain, gzip or zstd; - is stdin.")],
    binary: Annotated[str, typer.Argument(metavar="DIR", help="Folder to write.")],
    json: Json = False,
) -> None:
    """Turn an ARPA file into the binary form, which opens at once and is shared between processes."""
    from isogloss.lm import LanguageModel

    model = LanguageModel.load(arpa, track=console.track)
    _report_model(model, arpa)
    model.save(binary)
    if json:
        console.print_json({"order": model.order, "counts": list(model.counts)})
    else:
        console.note(f"{binary}: order {model.order}, {sum(model.counts):,} n-grams")


def _report_model(model: LanguageModel, path: str) -> None:
    if not model.has_unknown:
        console.warn(f"{path}: the model has no <unk>; unknown words get log10 probability -100")


def _threads(threads: int) -> int:
    import os

    return threads or os.cpu_count() or 1
