"""``isogloss memory``: the examples that local training draws from."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from rich.table import Table

from isogloss.cli import console
from isogloss.cli.decoding import thread_count
from isogloss.io.errors import ConfigError

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Examples of translations that local training draws from.")

Directory = Annotated[str, typer.Argument(metavar="DIR", help="The memory, a folder.")]
SystemOption = Annotated[
    str, typer.Option("--system", metavar="DIR", help="Stored system that the examples are decoded with.")
]
Document = Annotated[
    str | None, typer.Option(metavar="NAME", help="Name of the document that the examples are from.")
]
Threads = Annotated[int, typer.Option(metavar="N", help="Threads; 0 uses all processors.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def build(
    memory: Directory,
    system: SystemOption,
    source: Annotated[str, typer.Option(metavar="FILE", help="Tokenised source sentences, one per line.")],
    reference: Annotated[
        list[str], typer.Option(metavar="FILE", help="Their translations; give it again for further ones.")
    ],
    nbest: Annotated[int, typer.Option(metavar="N", help="Candidates stored per example, at most.")] = 100,
    aligner: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Alignment model, as 'isogloss align --model-output' stores it: pairs added later then give "
            "the search new phrases. It is copied.",
        ),
    ] = None,
    sparse: Annotated[
        bool,
        typer.Option(
            "--sparse", help="Keep sparse features, so that local training moves their weights too."
        ),
    ] = False,
    leave_one_out: Annotated[
        bool,
        typer.Option(
            "--leave-one-out",
            help="The examples are what the system was trained on: decode each without the rules that come "
            "from it. Needs --alignment or --aligner.",
        ),
    ] = False,
    alignment: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Links of the examples, as the rules were extracted with."),
    ] = None,
    document: Document = None,
    threads: Threads = 1,
    json: Json = False,
) -> None:
    """Decode examples and store them with their n-best lists and an index.

    A build that was interrupted goes on where it stopped when it is called again with the same files. Pairs
    with an empty side are left out.
    """
    from isogloss.adapt import MemoryOptions, build_memory, read_examples
    from isogloss.align import AlignmentModel
    from isogloss.decoder import load
    from isogloss.io.streams import read_lines

    if alignment is not None and not leave_one_out:
        raise ConfigError("--alignment is for --leave-one-out")
    loaded = load(system)
    examples, skipped = read_examples(source, reference, document=document)
    links = None if alignment is None else list(read_lines(alignment))
    made = build_memory(
        memory,
        loaded,
        examples,
        MemoryOptions(nbest=nbest, sparse=sparse, leave_one_out=leave_one_out),
        aligner=None if aligner is None else AlignmentModel.load(aligner),
        links=links,
        threads=thread_count(threads),
        track=console.track,
    )
    if json:
        console.print_json({"examples": len(made), "skipped": skipped, "bytes": made.nbytes})
    else:
        left_out = f", {skipped:,} pairs with an empty side left out" if skipped else ""
        console.note(f"{memory}: {len(made):,} examples, {made.nbytes / 1e6:,.1f} MB{left_out}")


@app.command()
def add(
    memory: Directory,
    system: SystemOption,
    pair: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="SOURCE TRANSLATION", help="A sentence and how it should be translated."),
    ] = None,
    source: Annotated[
        str | None, typer.Option(metavar="FILE", help="Or many: source sentences, one per line.")
    ] = None,
    reference: Annotated[
        list[str] | None, typer.Option(metavar="FILE", help="Their translations; may be given again.")
    ] = None,
    overlay: Annotated[
        bool,
        typer.Option(help="Let the search use the phrases of the pair, if the memory has an aligner."),
    ] = True,
    document: Document = None,
    threads: Threads = 1,
    json: Json = False,
) -> None:
    """Add examples, such as a user's correction; the next query finds them."""
    from isogloss.adapt import Example, add_examples, read_examples
    from isogloss.decoder import load

    now = int(time.time())
    if (pair is None) == (source is None) or bool(reference) != bool(source):
        raise ConfigError("give either --pair, or --source and --reference")
    if pair is not None:
        examples = [Example(source=pair[0], references=(pair[1],), document=document, date=now)]
    else:
        assert source is not None
        examples, _ = read_examples(source, reference or [], document=document, date=now)
    numbers = add_examples(memory, load(system), examples, overlay=overlay, threads=thread_count(threads))
    if json:
        console.print_json({"added": numbers})
    else:
        console.note(f"{memory}: {len(numbers):,} example{'s' * (len(numbers) != 1)} added")


@app.command()
def remove(
    memory: Directory,
    numbers: Annotated[
        list[int], typer.Argument(metavar="NUMBER...", help="Numbers of examples, as 'query' prints them.")
    ],
    json: Json = False,
) -> None:
    """Let examples be found no more; 'compact' gives their space back."""
    from isogloss.adapt import remove_examples

    remove_examples(memory, numbers)
    if json:
        console.print_json({"removed": sorted(set(numbers))})


@app.command()
def query(
    memory: Directory,
    sentence: Annotated[str, typer.Argument(metavar="SENTENCE", help="A tokenised sentence.")],
    size: Annotated[int, typer.Option(metavar="N", help="Examples at most.")] = 10,
    edit_share: Annotated[
        float,
        typer.Option(metavar="SHARE", help="Of the edit distance in the similarity; the rest is tf-idf's."),
    ] = 0.1,
    min_similarity: Annotated[
        float, typer.Option(metavar="0..1", help="Leave out examples less similar than this.")
    ] = 0.0,
    skip_identical: Annotated[
        bool, typer.Option("--skip-identical", help="Leave out the sentence itself.")
    ] = False,
    skip_document: Annotated[
        str | None, typer.Option(metavar="NAME", help="Leave out the examples of this document.")
    ] = None,
    before: Annotated[
        str | None, typer.Option(metavar="DATE", help="Only examples added before this day, as 2026-01-31.")
    ] = None,
    json: Json = False,
) -> None:
    """The examples most similar to a sentence."""
    from isogloss.adapt import Memory, RetrievalOptions

    options = RetrievalOptions(
        size=size,
        edit_share=edit_share,
        min_similarity=min_similarity,
        skip_identical=skip_identical,
        skip_document=skip_document,
        before=None if before is None else _seconds(before),
    )
    hits = Memory.open(memory).search(sentence, options)
    found = [(hit, hit.example()) for hit in hits]
    if json:
        console.print_json(
            [
                {
                    "number": hit.number,
                    "similarity": hit.similarity,
                    "source": example.source,
                    "references": list(example.references),
                    "document": example.document,
                    "date": example.date,
                }
                for hit, example in found
            ]
        )
        return
    table = Table("number", "similarity", "source", "translation", box=None)
    for hit, example in found:
        row = (str(hit.number), f"{hit.similarity:.4f}", example.source, " / ".join(example.references))
        table.add_row(*row)
    console.print_table(table)


@app.command()
def info(memory: Directory, json: Json = False) -> None:
    """How many examples there are, and how they were made."""
    from isogloss.adapt import Memory

    opened = Memory.open(memory)
    facts: dict[str, Any] = {
        "examples": len(opened),
        "segments": [len(segment) for segment in opened.segments],
        "bytes": opened.nbytes,
        "words": len(opened.frequencies.words),
        "sentences_counted": opened.frequencies.sentences,
        "nbest": opened.attributes["options"]["nbest"],
        "features": opened.names,
        "tuned": opened.attributes.get("tuned", {}),
    }
    if json:
        console.print_json(facts)
        return
    table = Table("", "", box=None, show_header=False)
    for name, value in facts.items():
        shown = f"{value:,}" if isinstance(value, int) else str(value)
        if isinstance(value, list):
            shown = " ".join(map(str, value))
        table.add_row(name, shown)
    console.print_table(table)


@app.command()
def compact(memory: Directory, json: Json = False) -> None:
    """Write the memory anew: one segment, nothing removed left, word frequencies counted again."""
    from isogloss.adapt import compact_memory

    made = compact_memory(memory)
    if json:
        console.print_json({"examples": len(made), "bytes": made.nbytes})
    else:
        console.note(f"{memory}: {len(made):,} examples, {made.nbytes / 1e6:,.1f} MB")


def _seconds(day: str) -> int:
    try:
        return int(datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC).timestamp())
    except ValueError:
        raise ConfigError(f"--before must be a day such as 2026-01-31, got '{day}'") from None
