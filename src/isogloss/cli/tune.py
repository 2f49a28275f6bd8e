"""``isogloss tune``: better weights for a stored system."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from isogloss.cli import console

if TYPE_CHECKING:
    from isogloss.corpus.processing import TextProcessing
    from isogloss.decoder import Source
    from isogloss.metric import References
    from isogloss.tuning import TuneIteration

__all__ = ["tune"]

Files = list[str]


class _Input(StrEnum):
    text = "text"
    plf = "plf"


def tune(
    system: Annotated[str, typer.Argument(metavar="DIR", help="Stored system; its weights are replaced.")],
    dev_source: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="Source sentences to tune on, one per line: text if the system was trained with a "
            "tokenizer, else tokens.",
        ),
    ],
    dev_target: Annotated[
        Files, typer.Option(metavar="FILE", help="Their references; give the option once per file.")
    ],
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="online-mira (dense and sparse features), relevant-set (sparse features), mert, batch-mira, "
            "pro or other learners of n-best lists (dense features); options may follow the name: "
            "NAME:KEY=VALUE,...",
        ),
    ] = "online-mira",
    held_out_source: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Other sentences, which decide which iteration is the best."),
    ] = None,
    held_out_target: Annotated[
        Files | None, typer.Option(metavar="FILE", help="Their references; once per file.")
    ] = None,
    iterations: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Passes over the sentences.",
            show_default="8 for online-mira, 30 for relevant-set, else 10",
        ),
    ] = 0,
    nbest: Annotated[
        int,
        typer.Option(metavar="N", help="Candidates per sentence.", show_default="100"),
    ] = 100,
    aggressiveness: Annotated[
        float, typer.Option(metavar="C", help="How far online-mira goes in a step.")
    ] = 0.001,
    candidates: Annotated[
        int, typer.Option(metavar="K", help="Candidates that online-mira wants outscored.")
    ] = 1,
    oracles: Annotated[
        int, typer.Option(metavar="M", help="Good translations per sentence that online-mira wants to win.")
    ] = 1,
    loss_scale: Annotated[
        float,
        typer.Option(
            metavar="X", help="Weight of differences in quality against those in score; online-mira."
        ),
    ] = 10.0,
    sparse_scale: Annotated[
        float,
        typer.Option(metavar="X", help="How far sparse weights move compared with dense ones; online-mira."),
    ] = 3.0,
    selection: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="oracles: the best translations seen so far; hope-fear: good ones that the model likes.",
        ),
    ] = "hope-fear",
    patience: Annotated[
        int,
        typer.Option(metavar="N", help="Stop after so many passes without a gain on held-out; 0: never."),
    ] = 0,
    restarts: Annotated[int, typer.Option(metavar="N", help="Random restarts of mert.")] = 20,
    initial_weights: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Dense weights to start from.", show_default="the system's own"),
    ] = None,
    work: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Folder for the state of the run; with the same command a killed run goes on from there.",
        ),
    ] = None,
    input: Annotated[
        _Input,
        typer.Option(
            help="text: sentences; plf: word lattices, whose scores then get a weight; one per line."
        ),
    ] = _Input.text,
    tokenized: Annotated[
        bool, typer.Option("--tokenized", help="All sentences are tokens, whatever the system takes.")
    ] = False,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of all random draws.")] = 1,
    threads: Annotated[int, typer.Option(metavar="N", help="Threads; the result does not depend on it.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Learn the weights of a system from sentences and their translations.

    The system is changed only if tuning completes. Sparse features are learned by online-mira, if the system
    has any (see 'isogloss system create --templates'); the other methods leave it with dense weights only.
    """
    from isogloss.decoder import load
    from isogloss.decoder.weights import read_weights
    from isogloss.io.errors import ConfigError
    from isogloss.learn.registry import canonical_method
    from isogloss.pipeline.report import REPORT, history_of, tuning_section
    from isogloss.report import Page
    from isogloss.tuning import OnlineOptions, TuneOptions
    from isogloss.tuning import tune as run

    if (held_out_source is None) != (held_out_target is None):
        raise ConfigError("--held-out-source and --held-out-target belong together")
    options = TuneOptions(
        method=canonical_method(method, decoder=True, warn=console.note),
        iterations=iterations,
        nbest=nbest,
        restarts=restarts,
        seed=seed,
        online=OnlineOptions(
            nbest=nbest,
            aggressiveness=aggressiveness,
            candidates=candidates,
            oracles=oracles,
            selection=selection,
            loss_scale=loss_scale,
            sparse_scale=sparse_scale,
            patience=patience,
        ),
    )
    opened = load(system)
    text = None if tokenized else opened.text
    plf = input is _Input.plf
    sources, references = _read(dev_source, dev_target, text, plf)
    held_out = None
    if held_out_source is not None and held_out_target is not None:
        held_out = _read(held_out_source, held_out_target, text, plf)
    result = run(
        opened,
        sources,
        references,
        options,
        held_out=held_out,
        start=None if initial_weights is None else read_weights(initial_weights, opened.decoder.names),
        threads=threads,
        track=console.track,
        report=_note,
        work=None if work is None else Path(work),
    )
    opened.save_weights(result.dense, result.sparse)
    if (Path(system) / REPORT).exists():
        page = Page(f"Tuned again on {dev_source}")
        tuning_section(page, history_of(result, options.method))
        page.append_to(Path(system) / REPORT)
    if json:
        console.print_json(result.to_dict())
        return
    table = Table("feature", "weight", box=None)
    for name, weight in result.dense.items():
        table.add_row(name, f"{weight:.4f}")
    console.print_table(table)
    sparse = "" if result.sparse is None else f", {len(result.sparse):,} sparse features"
    console.note(f"{system}: weights of iteration {result.best.iteration}{sparse}")


def _read(
    source: str, target: Files, text: TextProcessing | None, plf: bool
) -> tuple[list[Source], References]:
    from isogloss.decoder import parse_plf
    from isogloss.io.errors import DataFormatError
    from isogloss.io.streams import read_lines
    from isogloss.metric import References

    lines, references = list(read_lines(source)), References.read(target)
    if len(lines) != len(references):
        raise DataFormatError(
            f"{len(lines):,} lines, but {target[0]} has {len(references):,}",
            source,
            hint="line i of both must belong together",
        )
    if text is not None:
        sources = lines if not plf else [""] * len(lines)
        streams = [
            [line and text.tokenize_target(line, of) for line, of in zip(stream, sources, strict=True)]
            for stream in references.streams
        ]
        references = References(streams, references.names)
    if plf:
        return [parse_plf(line, source, number) for number, line in enumerate(lines, start=1)], references
    return [line if text is None else text.tokenize(line) for line in lines], references


def _note(step: TuneIteration) -> None:
    held_out = "" if step.held_out_score is None else f", held-out BLEU {step.held_out_score:.2f}"
    active = f", {step.active_features:,} sparse features" if step.active_features else ""
    seconds = sum(step.seconds.values())
    console.note(
        f"iteration {step.iteration}: dev BLEU {step.dev_score:.2f}{held_out}{active}, {seconds:.1f} s"
    )
    for collision in step.collisions:
        console.warn(collision)
