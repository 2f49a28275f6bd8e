"""``isogloss classes``: word classes from a tokenised corpus."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isogloss.cli import console

if TYPE_CHECKING:
    from isogloss.classes import Clustering, Pass

__all__ = ["classes"]

_SHOWN = 8  # members of a class in the table


def classes(
    corpus: Annotated[Path, typer.Argument(help="Tokenised text, a sentence per line; - is standard input.")],
    output: Annotated[Path, typer.Option(help="Where the classes go: one 'word<TAB>class' per line.")],
    classes: Annotated[int, typer.Option(help="Number of classes.")] = 50,
    iterations: Annotated[int, typer.Option(help="Most passes over the vocabulary in one descent.")] = 50,
    restarts: Annotated[
        int, typer.Option(help="Descents from a disturbed copy of the best clustering; 0 is the fastest.")
    ] = 8,
    min_count: Annotated[
        int, typer.Option(help="Words seen less often than this share one class, that of '<unk>'.")
    ] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the restarts.")] = 1,
    threads: Annotated[
        int | None, typer.Option(help="Threads for the restarts; all processors if not given.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Group the words of a corpus into classes of words used alike."""
    from isogloss.classes import ClassOptions, induce_classes
    from isogloss.io.streams import read_lines

    options = ClassOptions(
        classes=classes, iterations=iterations, restarts=restarts, min_count=min_count, seed=seed
    )
    sentences = (line.split() for line in console.track(read_lines(corpus), "reading"))

    def say(step: Pass) -> None:
        over = step.moved == 0 or step.number == iterations
        if step.descent == 0 or over:
            name = f"pass {step.number}" if step.descent == 0 else f"restart {step.descent}"
            moved = f", {step.moved:,} words moved" if step.descent == 0 else ""
            console.note(f"{name}: perplexity {step.perplexity:.3f}{moved}")

    if threads is None:
        threads = os.cpu_count() or 1
    result = induce_classes(sentences, options, threads=threads, progress=say, origin=corpus)
    result.classes.save(output)
    if result.types < classes:
        console.note(f"only {result.types} different words: no more than that many classes are used")
    if json:
        console.print_json(_as_json(result, corpus, output))
    else:
        _print(result)


def _rows(result: Clustering) -> list[dict[str, Any]]:
    counts = dict(zip(result.classes, result.counts, strict=True))
    return [
        {
            "class": number,
            "words": len(words),
            "tokens": sum(counts[word] for word in words),
            "most_frequent": words[:_SHOWN],
        }
        for number, words in result.classes.members().items()
    ]


def _as_json(result: Clustering, corpus: Path, output: Path) -> dict[str, Any]:
    return {
        "corpus": str(corpus),
        "output": str(output),
        "sentences": result.sentences,
        "tokens": result.tokens,
        "types": result.types,
        "log_likelihood_bits": result.log_likelihood,
        "perplexity": result.perplexity,
        "best_descent": result.best_descent,
        "passes": [asdict(step) for step in result.passes],
        "classes": _rows(result),
    }


def _print(result: Clustering) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table("class", "words", "tokens", "most frequent", box=None)
    for row in _rows(result):
        table.add_row(
            str(row["class"]), f"{row['words']:,}", f"{row['tokens']:,}", Text(" ".join(row["most_frequent"]))
        )
    console.print_table(table)
    console.note(
        f"{result.types:,} words of {result.sentences:,} sentences, perplexity {result.perplexity:.3f}"
    )
