"""``isogloss rerank``: learn to choose from n-best lists of any system, and choose."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from isogloss.cli import console
from isogloss.cli.lists import file_names, open_list, split_columns
from isogloss.cli.nbest import Format, FormatName, List, Output, _write

if TYPE_CHECKING:
    from isogloss.rerank import RerankTraining, Sweep, SweepRow

app = typer.Typer(
    no_args_is_help=True, help="Learn to choose from the n-best lists of any system, and choose."
)

Texts = list[str]  # by another name, because `list` is what the commands call their argument


class MetricName(enum.StrEnum):
    """What is optimised."""

    BLEU = "bleu"
    CHRF = "chrf"
    TER = "ter"
    NIST = "nist"


class StartName(enum.StrEnum):
    """Where learning begins."""

    ZERO = "zero"
    DECODER = "decoder"


class LengthName(enum.StrEnum):
    """Whose length is right."""

    REFERENCES = "references"
    DECODER = "decoder"


class DecisionName(enum.StrEnum):
    """How a candidate is chosen."""

    SCORE = "score"
    VOTE = "vote"
    MBR = "mbr"


Source = Annotated[
    str | None, typer.Option("--source", metavar="FILE", help="Source text of the list, tokenised.")
]
Reference = Annotated[
    Texts, typer.Option("--reference", metavar="FILE", help="Reference; may be given several times.")
]
Quality = Annotated[
    str | None,
    typer.Option(
        "--quality",
        metavar="FILE",
        help="A number per candidate to optimise instead of a metric, the higher the better.",
    ),
]
Metric = Annotated[MetricName, typer.Option("--metric", help="What is optimised.")]
Tokenize = Annotated[
    str, typer.Option("--tokenize", help="sacreBLEU's tokenizer for BLEU and NIST; none for tokenised text.")
]
Features = Annotated[
    Texts,
    typer.Option(
        "--features",
        metavar="'NAME:FILE ...'",
        help="Features to compute, separated by spaces; may be given several times.",
    ),
]
Columns = Annotated[
    str | None,
    typer.Option("--columns", metavar="A,B", help="Dense columns of the list to use; all if not given."),
]
Start = Annotated[
    StartName,
    typer.Option("--start", help="First weights: zero, or what explains the decoder's scores best."),
]
Length = Annotated[
    LengthName,
    typer.Option(
        "--length",
        help="How long translations should be: as the references, or as what the decoder chose.",
    ),
]
Scale = Annotated[
    bool,
    typer.Option("--scale/--no-scale", help="Divide dense features by their deviation within sentences."),
]
Threads = Annotated[int, typer.Option("--threads", min=1, help="Threads for computing features.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def train(
    list: List,
    output: Annotated[str, typer.Option("--output", metavar="MODEL", help="Folder to store the model in.")],
    reference: Reference = [],  # noqa: B006  # Typer copies it
    quality: Quality = None,
    source: Source = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="NAME[:KEY=VALUE,...]",
            help="How to learn: expected-bleu, splitting, ordinal, voted-perceptron, perceptron, mbr, mert, "
            "batch-mira or pro.",
        ),
    ] = "expected-bleu",
    features: Features = [],  # noqa: B006
    columns: Columns = None,
    metric: Metric = MetricName.BLEU,
    tokenize: Tokenize = "none",
    start: Start = StartName.ZERO,
    length: Length = LengthName.REFERENCES,
    decision: Annotated[
        DecisionName | None,
        typer.Option("--decision", help="How a candidate is chosen; what fits the method if not given."),
    ] = None,
    held_out_share: Annotated[
        float, typer.Option("--held-out-share", help="Share of the sentences that decides when to stop.")
    ] = 0.0,
    scale: Scale = True,
    seed: Annotated[int, typer.Option("--seed", help="Of all random choices.")] = 1,
    threads: Threads = 1,
    format: Format = None,
    html: Annotated[
        str | None,
        typer.Option("--html", metavar="FILE", help="Write a page with weights and learning curve."),
    ] = None,
    json: Json = False,
) -> None:
    """Learn a reranker from a list and its references."""
    from isogloss.rerank import Reranker

    reranker = Reranker(
        " ".join(features),
        method,
        metric=metric,
        tokenize=tokenize,
        columns=split_columns(columns),
        scale=scale,
        start=start,
        length=length,
        decision=decision,
        held_out_share=held_out_share,
        seed=seed,
    )
    reranker.fit(
        open_list(list, format),
        file_names(reference),
        source=source,
        quality=quality,
        threads=threads,
        progress=console.track,
    )
    reranker.save(output)
    assert reranker.training is not None
    for warning in reranker.training.warnings:
        console.warn(warning)
    if html is not None:
        reranker.report().write(html)
    _print_trained(reranker.training, json)


@app.command()
def apply(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="What 'isogloss rerank train' stored.")],
    list: List,
    source: Source = None,
    features: Annotated[
        Texts,
        typer.Option(
            "--features",
            metavar="'NAME:FILE ...'",
            help="Other files for features of the model, such as columns or tags that belong to this list.",
        ),
    ] = [],  # noqa: B006
    output: Output = "-",
    to: Annotated[
        FormatName | None,
        typer.Option("--to", metavar="FORMAT", help="Write the whole list, reordered, in this format."),
    ] = None,
    threads: Threads = 1,
    format: Format = None,
) -> None:
    """Choose from a list: write one line per source line, or with --to the reordered list."""
    from isogloss.io.streams import atomic_output
    from isogloss.rerank import Reranker

    reranker = Reranker.load(model, functions=" ".join(features))
    reordered = reranker.rerank(open_list(list, format, source), threads=threads)
    if to is not None:
        _write(reordered.store, output, to)
        return
    with atomic_output(output) as stream:
        stream.writelines(line + "\n" for line in reordered.best())
    missing = len(reordered) - reordered.store.num_sentences
    if missing > 0:
        console.warn(f"{missing:,} sentences have no candidates; their lines are empty")


@app.command()
def sweep(
    list: List,
    reference: Reference = [],  # noqa: B006
    quality: Quality = None,
    source: Source = None,
    method: Annotated[
        Texts,
        typer.Option(
            "--method",
            metavar="NAME[:KEY=VALUE,...]",
            help="A method to compare; may be given several times.",
        ),
    ] = ["expected-bleu"],  # noqa: B006
    features: Annotated[
        Texts,
        typer.Option(
            "--features",
            metavar="'NAME:FILE ...'",
            help="A set of features, separated by spaces; each time it is given it is another set.",
        ),
    ] = [],  # noqa: B006
    columns: Columns = None,
    metric: Metric = MetricName.BLEU,
    tokenize: Tokenize = "none",
    start: Start = StartName.ZERO,
    length: Length = LengthName.REFERENCES,
    folds: Annotated[int, typer.Option("--folds", help="Parts of the cross-validation.")] = 5,
    seed: Annotated[int, typer.Option("--seed", help="Of the parts and the significance test.")] = 1,
    threads: Threads = 1,
    format: Format = None,
    curves: Annotated[
        str | None,
        typer.Option(
            "--curves",
            metavar="FILE",
            help="Write an HTML page with table and learning curves of all sweeps.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Compare methods and features by cross-validation over the sentences of a list."""
    from isogloss.rerank import RerankOptions, SweepOptions
    from isogloss.rerank import sweep as compare

    found = compare(
        open_list(list, format),
        file_names(reference),
        source=source,
        quality=quality,
        methods=method,
        features=features,
        metric=metric,
        tokenize=tokenize,
        train_options=RerankOptions(columns=split_columns(columns), start=start, length=length, seed=seed),
        options=SweepOptions(folds=folds, seed=seed),
        curves=curves is not None or json,
        threads=threads,
        report=_say_row,
    )
    for warning in found.warnings:
        console.warn(warning)
    if curves is not None:
        found.report().write(curves)
    if json:
        console.print_json(found.to_dict())
    else:
        console.print_table(_sweep_table(found))


def _sweep_table(found: Sweep) -> Table:
    from isogloss.rerank import SWEEP_HEAD, sweep_cells

    title = f"{found.sentences:,} sentences, decoder's choice {found.decoder_score:.2f} {found.metric}"
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for place, name in enumerate(SWEEP_HEAD):
        table.add_column(name, overflow="fold", justify="left" if place < 2 else "right")
    for row in found.results:
        table.add_row(*sweep_cells(row))
    return table


def _say_row(row: SweepRow) -> None:
    console.note(
        f"{row.method}, {row.features}: {row.score:.2f} ({row.difference:+.2f}, p {row.p_value:.3f})"
    )


def _print_trained(trained: RerankTraining, json: bool) -> None:
    if json:
        console.print_json(trained.to_dict())
        return
    table = Table(title="weights of scaled features", title_justify="left", box=None, pad_edge=False)
    table.add_column("feature")
    table.add_column("weight", justify="right")
    for row in trained:
        table.add_row(str(row["feature"]), f"{row['weight']:.4f}")
    console.print_table(table)
    if trained.model.sparse_names:
        typer.echo(f"and {len(trained.model.sparse_names):,} sparse features")
    scores = f"decoder {trained.decoder_score:.2f}, reranked {trained.score:.2f}"
    typer.echo(f"{trained.metric} of what was learned from: {scores}")
