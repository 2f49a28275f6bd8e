"""``isogloss classes``: word classes from a tokenized corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from isogloss.classes import ClassOptions, Clustering, Pass, count_in_shards, induce_classes
from isogloss.cli import console
from isogloss.cli.declared import Json, declares
from isogloss.cli.machines import executor_of
from isogloss.cli.parameters import TokenizedText, output_to
from isogloss.corpus import read_tokens
from isogloss.io.executor import shared_scratch
from isogloss.io.resources import Cluster, Threads

__all__ = ["classes"]

_GROUPS = {
    "Classes": ("classes", "iterations", "restarts", "min_count", "seed"),
    "Resources": ("threads", "cluster"),
}


@declares(_GROUPS, options=ClassOptions, resources=Threads, machines=Cluster)
def classes(
    text: TokenizedText,
    /,
    *,
    output: Annotated[Path, output_to("File to write, one 'word TAB class' per line.")],
    options: ClassOptions,
    resources: Threads,
    machines: Cluster,
    json: Json = False,
) -> None:
    """Induce word classes from tokenized text."""

    def say(step: Pass) -> None:
        over = step.moved == 0 or step.number == options.iterations
        if step.descent == 0:
            console.note(f"pass {step.number}: perplexity {step.perplexity:.3f}, {step.moved:,} words moved")
        elif over:
            console.note(f"restart {step.descent}: perplexity {step.perplexity:.3f}")

    with executor_of(machines, resources.count) as executor:
        counted = (
            count_in_shards(text, executor, shared_scratch(executor, None, output))
            if executor.distributed
            else read_tokens(text, console.track)
        )
    result = induce_classes(counted, options, threads=resources.count, progress=say, origin=text)
    result.classes.save(output)
    if result.types < options.classes:
        console.note(
            f"the text has only {result.types} different words, so there cannot be more classes than that"
        )
    if json:
        console.print_json({"corpus": str(text), "output": str(output), **result.to_dict()})
    else:
        _print(result)


def _print(result: Clustering) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table("class", "words", "tokens", "most frequent", box=None)
    for row in result.summary():
        table.add_row(
            str(row["class"]), f"{row['words']:,}", f"{row['tokens']:,}", Text(" ".join(row["most_frequent"]))
        )
    console.print_table(table)
    console.note(
        f"{result.types:,} words of {result.sentences:,} sentences, perplexity {result.perplexity:.3f}"
    )
