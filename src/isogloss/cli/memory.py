"""``isogloss memory``: the examples for local training."""

from __future__ import annotations

import time
from typing import Annotated

from cyclopts import App, Parameter
from rich.table import Table

from isogloss.adapt import (
    Example,
    LocalTuning,
    Memory,
    MemoryOptions,
    MemoryTuneOptions,
    QueryOptions,
    add_examples,
    build_memory,
    compact_memory,
    read_examples,
    remove_examples,
    tune_memory,
)
from isogloss.align import AlignmentModel
from isogloss.cli import console
from isogloss.cli.declared import Json, declares, heading
from isogloss.decoder import load
from isogloss.io.errors import ConfigError
from isogloss.io.resources import Threads
from isogloss.io.streams import read_lines

__all__ = ["app"]

app = App(name="memory", help="Store sets of examples, and adapt to them sentence by sentence.")

_DATA = heading("Data")
Folder = Annotated[str, Parameter(help="Folder of the memory.")]
SystemFolder = Annotated[
    str,
    Parameter(name="--system", metavar="FOLDER", group=_DATA, help="Engine that decodes the examples."),
]
Document = Annotated[
    str | None, Parameter(metavar="NAME", group=_DATA, help="Document that the examples come from.")
]
References = Annotated[
    list[str],
    Parameter(metavar="FILE...", group=_DATA, help="Translations of --source, one file per translator."),
]


@app.command
@declares(
    {"Examples": ("nbest", "sparse", "leave_one_out"), "Resources": ("threads",)},
    options=MemoryOptions,
    resources=Threads,
)
def build(
    memory: Folder,
    /,
    *,
    system: SystemFolder,
    source: Annotated[
        str, Parameter(metavar="FILE", group=_DATA, help="Tokenized source sentences, one per line.")
    ],
    reference: References,
    options: MemoryOptions,
    resources: Threads,
    aligner: Annotated[
        str | None,
        Parameter(
            metavar="FOLDER",
            group=_DATA,
            help="Alignment model written by 'isogloss align --model-output'; it is copied. With it, pairs "
            "added later give the search new phrases.",
        ),
    ] = None,
    alignment: Annotated[
        str | None,
        Parameter(
            metavar="FILE",
            group=_DATA,
            help="Word alignment that the rules were extracted with; for --leave-one-out.",
        ),
    ] = None,
    document: Document = None,
    json: Json = False,
) -> None:
    """Decode examples and store them with their n-best lists and an index.

    An interrupted build resumes if you repeat the command. Pairs with an empty side are left out.
    """
    if alignment is not None and not options.leave_one_out:
        raise ConfigError("--alignment needs --leave-one-out")
    loaded = load(system)
    examples, skipped = read_examples(source, reference, document=document)
    made = build_memory(
        memory,
        loaded,
        examples,
        options,
        aligner=None if aligner is None else AlignmentModel.load(aligner),
        links=None if alignment is None else list(read_lines(alignment)),
        threads=resources.count,
        track=console.track,
    )
    if json:
        console.print_json({"examples": len(made), "skipped": skipped, "bytes": made.nbytes})
        return
    left_out = f"; {skipped:,} pairs with an empty side were left out" if skipped else ""
    console.note(f"{memory}: {_size(made)}{left_out}")


@app.command
@declares({"Resources": ("threads",)}, resources=Threads, config=False)
def add(
    memory: Folder,
    /,
    *,
    system: SystemFolder,
    resources: Threads,
    pair: Annotated[
        tuple[str, str] | None,
        Parameter(
            metavar="SOURCE TRANSLATION",
            group=_DATA,
            help="A sentence and its correct translation, as tokens.",
        ),
    ] = None,
    source: Annotated[
        str | None,
        Parameter(
            metavar="FILE", group=_DATA, help="Tokenized source sentences, one per line, to add many pairs."
        ),
    ] = None,
    reference: References | None = None,
    document: Document = None,
    overlay: Annotated[
        bool,
        Parameter(
            negative="--no-overlay",
            show_default="yes",
            group=_DATA,
            help="Let the search use the phrases of the new pairs too, if the memory has an alignment model.",
        ),
    ] = True,
    json: Json = False,
) -> None:
    """Add examples. They are used from the next sentence on. For corrections, see isogloss correct."""
    if (pair is None) == (source is None) or bool(reference) != bool(source):
        raise ConfigError("give either --pair, or --source and --reference")
    now = int(time.time())
    if pair is not None:
        examples = [Example(source=pair[0], references=pair[1:], document=document, date=now)]
    else:
        examples, _ = read_examples(source or "", reference or [], document=document, date=now)
    numbers = add_examples(memory, load(system), examples, overlay=overlay, threads=resources.count)
    if json:
        console.print_json({"added": numbers})
    else:
        console.note(f"{memory}: {len(numbers):,} example{'s' * (len(numbers) != 1)} added")


@app.command
def remove(
    memory: Folder,
    numbers: Annotated[
        list[str], Parameter(help="Numbers of the examples, as shown by 'isogloss memory query'.")
    ],
    /,
    *,
    json: Json = False,
) -> None:
    """Remove examples from retrieval; 'isogloss memory compact' frees their disk space."""
    found = sorted(set(map(_whole_number, numbers)))
    remove_examples(memory, found)
    if json:
        console.print_json({"removed": found})


@app.command
@declares(options=QueryOptions)
def query(
    memory: Folder,
    sentence: Annotated[str, Parameter(help="A tokenized sentence, in quotes.")],
    /,
    *,
    options: QueryOptions,
    json: Json = False,
) -> None:
    """Show the examples most similar to a sentence."""
    found = [hit.to_dict() for hit in Memory.open(memory).search(sentence, options)]
    if json:
        console.print_json(found)
        return
    table = Table("number", "similarity", "source", "translation", box=None)
    for row in found:
        similarity, references = f"{row['similarity']:.4f}", " / ".join(row["references"])
        table.add_row(str(row["number"]), similarity, row["source"], references)
    console.print_table(table)


@app.command
def info(memory: Folder, /, *, json: Json = False) -> None:
    """Show how many examples a memory has and how it was built."""
    facts = Memory.open(memory).facts()
    if json:
        console.print_json(facts)
        return
    table = Table("", "", box=None, show_header=False)
    for name, value in facts.items():
        shown = f"{value:,}" if isinstance(value, int) else str(value)
        table.add_row(name, " ".join(map(str, value)) if isinstance(value, list) else shown)
    console.print_table(table)


@app.command
def compact(memory: Folder, /, *, json: Json = False) -> None:
    """Rewrite a memory in one piece, without removed examples and with new word frequencies."""
    made = compact_memory(memory)
    if json:
        console.print_json({"examples": len(made), "bytes": made.nbytes})
    else:
        console.note(f"{memory}: {_size(made)}")


@app.command
@declares(
    {
        "Tuning": ("method", "strength", "sharpness", "size", "skip_identical", "save"),
        "Resources": ("threads",),
    },
    options=MemoryTuneOptions,
    resources=Threads,
)
def tune(
    memory: Folder,
    /,
    *,
    system: SystemFolder,
    source: Annotated[
        str,
        Parameter(
            metavar="FILE", group=_DATA, help="Tokenized held-out sentences that are not in the memory."
        ),
    ],
    reference: References,
    options: MemoryTuneOptions,
    resources: Threads,
    json: Json = False,
) -> None:
    """Choose the strength of local training on a held-out set and store it in the memory.

    Translates the set with every setting and compares each result with the engine's own weights. If no
    setting is better, strength 0 is stored, which turns local training off.
    """
    loaded = load(system)
    tuned = tune_memory(
        memory, loaded, source, reference, options, threads=resources.count, track=console.track
    )
    if json:
        console.print_json(tuned.to_dict())
        return
    console.print_table(_trials(tuned))
    kept = f", kept in {memory}" if options.save else ""
    console.note(f"best: strength {tuned.best.strength:g}{kept}")


def _trials(tuned: LocalTuning) -> Table:
    table = Table("strength", "sharpness", "BLEU", "difference", "p", box=None)
    table.add_row("0", "", f"{tuned.baseline:.2f}", "", "")
    for trial in tuned.trials:
        table.add_row(
            f"{trial.options.strength:g}",
            f"{trial.options.sharpness:g}",
            f"{trial.bleu:.2f}",
            f"{trial.bleu - tuned.baseline:+.2f}",
            f"{trial.comparison.p_value:.3f}",
        )
    return table


def _size(memory: Memory) -> str:
    return f"{len(memory):,} examples, {memory.nbytes / 1e6:,.1f} MB"


def _whole_number(word: str) -> int:
    """Check for whole numbers: Cyclopts would read 1.5 as 1, and the wrong example would be removed."""
    try:
        return int(word)
    except ValueError:
        raise ConfigError(f"the number of an example must be a whole number, got '{word}'") from None
