"""``isogloss rerank``: learn to choose from n-best lists of any system, and choose."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from isogloss.cli import console
from isogloss.cli.lists import (
    count_lines,
    parse_method,
    parse_sets,
    problem_of,
    source_of,
    split_columns,
)
from isogloss.cli.nbest import Format, FormatName, List, Output, _write, read_list
from isogloss.io.errors import ConfigError

if TYPE_CHECKING:
    from isogloss.learn import Problem
    from isogloss.rerank import RerankTraining, SweepRow
    from isogloss.rerank.sweep import CurvePoint

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
    from isogloss.rerank import RerankOptions, prepare
    from isogloss.rerank import train_model as learn

    name, learner = parse_method(method)
    functions = parse_sets([" ".join(features)])[0][1]
    store = read_list(list, format)
    own = split_columns(columns)
    assembled = prepare(store, functions, columns=own, source=source_of(source, store), threads=threads)
    problem = problem_of(assembled, store, list, reference, quality, metric, tokenize)
    options = RerankOptions(
        columns=own,
        scale=scale,
        start=start,
        length=length,
        decision=decision,
        held_out_share=held_out_share,
        seed=seed,
    )
    notes = {
        "method": name,
        "features": " ".join(features),
        "metric": metric,
        "start": start,
        "length": length,
        "seed": seed,
    }
    trained = learn(
        problem,
        learner,
        functions,
        options,
        list_has_sparse=store.sparse is not None,
        made_with=notes,
        track=console.track,
    )
    trained.model.save(output)
    if trained.constant:
        console.warn(f"never different within a sentence, so not used: {', '.join(trained.constant)}")
    if html is not None:
        from isogloss.rerank.report import training_page

        training_page(name, trained, problem).write(html)
    _print_trained(trained, problem, json)


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
    from isogloss.rerank import RerankModel

    reranker = RerankModel.load(model)
    given = parse_sets([" ".join(features)])[0][1]
    if given:
        reranker = reranker.with_functions(given)
    store = read_list(list, format)
    lines = None if source is None else count_lines(source)
    reordered = reranker.rerank(store, source_of(source, store), threads=threads)
    if to is not None:
        _write(reordered, output, to)
        return
    with atomic_output(output) as stream:
        for line in reordered.lines(reordered.sentence_offsets[:-1], lines):
            stream.write(line + "\n")
    missing = (reordered.num_lines if lines is None else lines) - reordered.num_sentences
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
    from isogloss.rerank import FeatureTable, RerankOptions, SweepOptions, compare
    from isogloss.rerank.sweep import decoder_score, learning_curves

    methods = [parse_method(one) for one in method]
    sets = parse_sets(["", *features])
    store = read_list(list, format)
    own = split_columns(columns)
    table = FeatureTable(store, columns=own, source=source_of(source, store), threads=threads)
    problem = problem_of(store, store, list, reference, quality, metric, tokenize)
    options = SweepOptions(folds=folds, seed=seed)
    train_options = RerankOptions(columns=own, start=start, length=length, seed=seed)
    if not table.columns and store.sparse is None:
        sets = sets[1:]
        if not sets:
            raise ConfigError("the list has no features, and none were asked for with --features")
    rows = compare(table, problem, methods, sets, train_options, options, report=_say_row)
    drawn = {}
    if curves is not None or json:
        drawn = learning_curves(table, problem, methods, sets, train_options)
    if curves is not None:
        from isogloss.rerank.report import sweep_page

        sweep_page("Methods and features", problem, rows, drawn).write(curves)
    if json:
        console.print_json(
            {
                "metric": problem.metric.name,
                "decoder": decoder_score(problem),
                "rows": [row.as_dict() for row in rows],
                "curves": [_curve_json(key, points) for key, points in drawn.items()],
            }
        )
        return
    console.print_table(_sweep_table(problem, rows))


def _sweep_table(problem: Problem, rows: Sequence[SweepRow]) -> Table:
    from isogloss.rerank.report import SWEEP_HEAD, sweep_cells
    from isogloss.rerank.sweep import decoder_score

    chosen = f"{decoder_score(problem):.2f} {problem.metric.name}"
    title = f"{problem.num_sentences:,} sentences, decoder's choice {chosen}"
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for place, name in enumerate(SWEEP_HEAD):
        table.add_column(name, overflow="fold", justify="left" if place < 2 else "right")
    for row in rows:
        table.add_row(*sweep_cells(row))
    return table


def _say_row(row: SweepRow) -> None:
    console.note(
        f"{row.method}, {row.features}: {row.score:.2f} ({row.difference:+.2f}, p {row.p_value:.3f})"
    )


def _print_trained(trained: RerankTraining, problem: Problem, json: bool) -> None:
    from isogloss.rerank.sweep import decoder_score, own_scale

    score, decoder = own_scale(problem, trained.learned.score), decoder_score(problem)
    reranker = trained.model
    if json:
        console.print_json(
            {
                "metric": problem.metric.name,
                "decoder": decoder,
                "score": score,
                "held_out_score": None
                if trained.learned.held_out_score is None
                else own_scale(problem, trained.learned.held_out_score),
                "decision": reranker.decision,
                "sparse_features": len(reranker.sparse_names),
                "constant": list(trained.constant),
                "weights": {name: reranker.weights()[name] for name in reranker.feature_names},
                "curve": [_step_json(step) for step in trained.learned.history],
            }
        )
        return
    table = Table(title="weights of scaled features", title_justify="left", box=None, pad_edge=False)
    table.add_column("feature")
    table.add_column("weight", justify="right")
    weights = reranker.weights()
    for name in reranker.feature_names:
        table.add_row(name, f"{weights[name]:.4f}")
    console.print_table(table)
    if reranker.sparse_names:
        typer.echo(f"and {len(reranker.sparse_names):,} sparse features")
    typer.echo(f"{problem.metric.name} of what was learned from: decoder {decoder:.2f}, reranked {score:.2f}")


def _step_json(step: Any) -> dict[str, Any]:
    from dataclasses import asdict

    from isogloss.learn.online_reranker import PairStep

    return {**asdict(step), **({"log_loss": step.log_loss} if isinstance(step, PairStep) else {})}


def _curve_json(key: tuple[str, str], points: Sequence[CurvePoint]) -> dict[str, Any]:
    from dataclasses import asdict

    return {"method": key[0], "features": key[1], "points": [asdict(point) for point in points]}
