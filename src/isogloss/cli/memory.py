"""``isogloss memory``: the examples that local training draws from."""

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

app = App(name="memory", help="Keep sets of examples, and adapt to them sentence by sentence.")

_DATA = heading("Data")
Folder = Annotated[str, Parameter(help="Folder of the memory.")]
SystemFolder = Annotated[
    str,
    Parameter(name="--system", metavar="FOLDER", group=_DATA, help="Engine that decodes the examples."),
]
Document = Annotated[
    str | None, Parameter(metavar="NAME", group=_DATA, help="Document that the examples are from.")
]
References = Annotated[
    list[str],
    Parameter(metavar="FILE...", group=_DATA, help="Translations of --source: a file per translator."),
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
            help="Alignment model of 'isogloss align --model-output', copied: pairs added later then "
            "give the search new phrases.",
        ),
    ] = None,
    alignment: Annotated[
        str | None,
        Parameter(
            metavar="FILE",
            group=_DATA,
            help="Word alignment of the examples, as the rules were extracted with; for --leave-one-out.",
        ),
    ] = None,
    document: Document = None,
    json: Json = False,
) -> None:
    """Decode examples and store them with their n-best lists and an index.

    An interrupted build resumes if you repeat the command. Pairs with an empty side are left out.
    """
    if alignment is not None and not options.leave_one_out:
        raise ConfigError("--alignment is for --leave-one-out")
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
            metavar="SOURCE TRANSLATION", group=_DATA, help="A sentence and its right translation, as tokens."
        ),
    ] = None,
    source: Annotated[
        str | None,
        Parameter(metavar="FILE", group=_DATA, help="Tokenized source sentences, if you add many."),
    ] = None,
    reference: References | None = None,
    document: Document = None,
    overlay: Annotated[
        bool,
        Parameter(
            negative="--no-overlay",
            show_default="yes",
            group=_DATA,
            help="Let the search use the phrases of the pair too, if the memory has an aligner.",
        ),
    ] = True,
    json: Json = False,
) -> None:
    """Add examples; they count from the next sentence on. For corrections: isogloss correct."""
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
    numbers: Annotated[list[str], Parameter(help="Numbers of examples, as 'isogloss memory query' shows.")],
    /,
    *,
    json: Json = False,
) -> None:
    """Remove examples, so that no sentence finds them; 'isogloss memory compact' frees their space."""
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
    """Show how many examples a memory has, and how they were made."""
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
    """Write a memory anew: in one piece, without what was removed, with word frequencies counted again."""
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
            metavar="FILE", group=_DATA, help="Tokenized held-out sentences that the memory does not have."
        ),
    ],
    reference: References,
    options: MemoryTuneOptions,
    resources: Threads,
    json: Json = False,
) -> None:
    """Choose the strength of local training on a held-out set, and keep it in the memory.

    Translates the set with every setting and compares each with the engine's own weights. If none is better,
    strength 0 is kept: local training then changes nothing.
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
    """Cyclopts would take 1.5 for a whole number, and another example would go."""
    try:
        return int(word)
    except ValueError:
        raise ConfigError(f"the number of an example is a whole number, got '{word}'") from None
