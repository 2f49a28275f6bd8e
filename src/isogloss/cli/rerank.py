"""``isogloss rerank``: learn to choose from n-best lists of any system, and choose."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter
from rich.table import Table

from isogloss.cli import console
from isogloss.cli.lists import file_names, open_list, split_columns
from isogloss.cli.nbest import Format, FormatName, List, Output, _write

if TYPE_CHECKING:
    from isogloss.rerank import RerankTraining, Sweep, SweepRow

app = App(name="rerank", help="Learn to choose from the n-best lists of any system, and choose.")

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
    str | None, Parameter(name="--source", metavar="FILE", help="Source text of the list, tokenised.")
]
Reference = Annotated[
    Texts, Parameter(name="--reference", metavar="FILE", help="Reference; may be given several times.")
]
Quality = Annotated[
    str | None,
    Parameter(
        name="--quality",
        metavar="FILE",
        help="A number per candidate to optimise instead of a metric, the higher the better.",
    ),
]
Metric = Annotated[MetricName, Parameter(name="--metric", help="What is optimised.")]
Tokenize = Annotated[
    str,
    Parameter(name="--tokenize", help="sacreBLEU's tokenizer for BLEU and NIST; none for tokenised text."),
]
Features = Annotated[
    Texts,
    Parameter(
        name="--features",
        metavar="'NAME:FILE ...'",
        help="Features to compute, separated by spaces; may be given several times.",
    ),
]
Columns = Annotated[
    str | None,
    Parameter(name="--columns", metavar="A,B", help="Dense columns of the list to use; all if not given."),
]
Start = Annotated[
    StartName,
    Parameter(name="--start", help="First weights: zero, or what explains the decoder's scores best."),
]
Length = Annotated[
    LengthName,
    Parameter(
        name="--length",
        help="How long translations should be: as the references, or as what the decoder chose.",
    ),
]
Scale = Annotated[
    bool,
    Parameter(
        name="--scale",
        negative="--no-scale",
        help="Divide dense features by their deviation within sentences.",
    ),
]
Threads = Annotated[int, Parameter(name="--threads", help="Threads for computing features.")]
Json = Annotated[bool, Parameter(name="--json", help="Print JSON.")]


@app.command
def train(
    list: List,
    /,
    *,
    output: Annotated[str, Parameter(name="--output", metavar="MODEL", help="Folder to store the model in.")],
    reference: Reference = [],  # noqa: B006  # Typer copies it
    quality: Quality = None,
    source: Source = None,
    method: Annotated[
        str,
        Parameter(
            name="--method",
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
        Parameter(name="--decision", help="How a candidate is chosen; what fits the method if not given."),
    ] = None,
    held_out_share: Annotated[
        float, Parameter(name="--held-out-share", help="Share of the sentences that decides when to stop.")
    ] = 0.0,
    scale: Scale = True,
    seed: Annotated[int, Parameter(name="--seed", help="Of all random choices.")] = 1,
    threads: Threads = 1,
    format: Format = None,
    html: Annotated[
        str | None,
        Parameter(name="--html", metavar="FILE", help="Write a page with weights and learning curve."),
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


@app.command
def apply(
    model: Annotated[str, Parameter(metavar="MODEL", help="What 'isogloss rerank train' stored.")],
    list: List,
    /,
    *,
    source: Source = None,
    features: Annotated[
        Texts,
        Parameter(
            name="--features",
            metavar="'NAME:FILE ...'",
            help="Other files for features of the model, such as columns or tags that belong to this list.",
        ),
    ] = [],  # noqa: B006
    output: Output = "-",
    to: Annotated[
        FormatName | None,
        Parameter(name="--to", metavar="FORMAT", help="Write the whole list, reordered, in this format."),
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


@app.command
def sweep(
    list: List,
    /,
    *,
    reference: Reference = [],  # noqa: B006
    quality: Quality = None,
    source: Source = None,
    method: Annotated[
        Texts,
        Parameter(
            name="--method",
            metavar="NAME[:KEY=VALUE,...]",
            help="A method to compare; may be given several times.",
        ),
    ] = ["expected-bleu"],  # noqa: B006
    features: Annotated[
        Texts,
        Parameter(
            name="--features",
            metavar="'NAME:FILE ...'",
            help="A set of features, separated by spaces; each time it is given it is another set.",
        ),
    ] = [],  # noqa: B006
    columns: Columns = None,
    metric: Metric = MetricName.BLEU,
    tokenize: Tokenize = "none",
    start: Start = StartName.ZERO,
    length: Length = LengthName.REFERENCES,
    folds: Annotated[int, Parameter(name="--folds", help="Parts of the cross-validation.")] = 5,
    seed: Annotated[int, Parameter(name="--seed", help="Of the parts and the significance test.")] = 1,
    threads: Threads = 1,
    format: Format = None,
    curves: Annotated[
        str | None,
        Parameter(
            name="--curves",
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
        console.print_line(f"and {len(trained.model.sparse_names):,} sparse features")
    scores = f"decoder {trained.decoder_score:.2f}, reranked {trained.score:.2f}"
    console.print_line(f"{trained.metric} of what was learned from: {scores}")
