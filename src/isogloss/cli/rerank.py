"""``isogloss rerank``: learn to choose from n-best lists of any system, and choose."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter
from rich.table import Table

import isogloss
from isogloss.cli import console
from isogloss.cli.declared import Json, declares, heading
from isogloss.cli.lists import ListFile, ListFormat, ListOutput, Quality, Source, opened, write_list
from isogloss.cli.machines import executor_of
from isogloss.cli.parameters import OptionalReference, output_to
from isogloss.io.resources import Cluster, Threads
from isogloss.nbest import FormatName, NbestList
from isogloss.rerank import (
    SWEEP_HEAD,
    JointFeatureOptions,
    LexiconOptions,
    ListMbrOptions,
    RerankOptions,
    RerankTask,
    RerankTraining,
    Sweep,
    SweepOptions,
    SweepRow,
    SweepTask,
    WordLexicon,
    ablation,
    length_cells,
    length_text,
    sweep_cells,
    train_joint_feature,
)
from isogloss.rerank import sweep as compare

__all__ = ["app"]

app = App(name="rerank", help="Train and apply n-best rerankers.")

Texts = list[str]  # by another name, because `list` is what the commands call their argument
To = Annotated[
    FormatName | None,
    Parameter(
        name="--to",
        metavar="NAME",
        group=heading("Output"),
        show_default="the best candidates as text, one line per sentence",
        help="Write the whole list, reordered, in this format.",
    ),
]
OtherFiles = Annotated[
    Texts | None,
    Parameter(
        name="--features",
        metavar="TEXT...",
        group=heading("Features"),
        help="Features of the model with other files, such as columns or tags that belong to this list.",
    ),
]

_METRIC = ("metric", "tokenize")
_RESOURCES = ("threads",)
_TRAIN = {
    "Features": ("features", "columns", "score"),
    "Learning": ("method", "start", "length", "check_folds"),
    "Metric": _METRIC,
    "Resources": _RESOURCES,
}
_SWEEP = {
    "Features": ("features", "columns"),
    "Learning": ("methods", "start"),
    "Metric": _METRIC,
    "Comparison": ("folds", "seed"),
    "Resources": (*_RESOURCES, "cluster"),
}
_ABLATE = {
    "Features": ("features", "columns", "score"),
    "Learning": ("method", "start"),
    "Metric": _METRIC,
    "Comparison": ("folds", "seed"),
    "Resources": _RESOURCES,
}
_MBR = {
    "Choice": ("utility", "scale", "references", "aggregate", "prune", "prune_by", "batch_size"),
    "Resources": _RESOURCES,
}


@app.command
@declares(_TRAIN, task=RerankTask, options=RerankOptions, resources=Threads)
def train(
    list: ListFile,
    /,
    *,
    output: Annotated[str, output_to("Folder for the model.", "FOLDER")],
    task: RerankTask,
    options: RerankOptions,
    resources: Threads,
    reference: OptionalReference = None,
    quality: Quality = None,
    source: Source = None,
    format: ListFormat = None,
    force: Annotated[
        bool,
        Parameter(
            negative="",
            group=heading("Output"),
            help="Store the model even if it is worse than the order of the list in cross-validation.",
        ),
    ] = False,
    bundle: Annotated[
        bool,
        Parameter(
            group=heading("Output"),
            help="Copy the models that features use into the folder, so that it works everywhere.",
        ),
    ] = True,
    html: Annotated[
        str | None,
        Parameter(
            metavar="FILE", group=heading("Output"), help="HTML page with the weights and the learning curve."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Learn a reranker from a list and its references."""
    reranker = isogloss.Reranker(
        " ".join(task.features),
        task.method,
        metric=task.metric,
        tokenize=task.tokenize,
        lowercase=task.lowercase,
        options=options,
    )
    reranker.fit(
        opened(list, format, source=source, warn=False),
        reference,
        quality=quality,
        threads=resources.count,
        progress=console.track,
        warn=console.warn,
    )
    reranker.save(output, force=force, bundle=bundle)
    assert reranker.training is not None
    if reranker.training.refusal is not None:
        console.warn(reranker.training.refusal)
    if html is not None:
        reranker.report().write(html)
    if json:
        console.print_json(reranker.training.to_dict())
    else:
        _print_trained(reranker.training)


@app.command
@declares({"Resources": _RESOURCES}, resources=Threads, config=False)
def apply(
    model: Annotated[str, Parameter(help="Folder that 'isogloss rerank train' wrote.")],
    list: ListFile,
    /,
    *,
    resources: Threads,
    source: Source = None,
    features: OtherFiles = None,
    output: ListOutput = "-",
    to: To = None,
    format: ListFormat = None,
) -> None:
    """Choose from a list: write one line per source line, or with --to the reordered list."""
    reranker = isogloss.Reranker.load(model, functions=" ".join(features or ()))
    listed = opened(list, format, source=source)
    _write(reranker.rerank(listed, threads=resources.count, progress=console.track), output, to)


@app.command
@declares({"Training": ("source_words", "target_words", "epochs", "seed")}, options=LexiconOptions)
def lexicon(
    source: Annotated[str, Parameter(help="Tokenized source side of parallel text.")],
    target: Annotated[str, Parameter(help="Its tokenized target side.")],
    /,
    *,
    options: LexiconOptions,
    output: Annotated[str, output_to("Folder for the lexicon.", "FOLDER")],
) -> None:
    """Learn from parallel text which words a translation has, for the feature lexicon:FOLDER.

    Takes about a minute for every 30,000 sentence pairs.
    """
    learned = WordLexicon.train(source, target, options, track=console.track)
    learned.save(output)
    words = f"{len(learned.source):,} source words, {len(learned.target):,} target words"
    console.note(f"{output}: {words}, loss per sentence {learned.losses[0]:.2f} to {learned.losses[-1]:.2f}")


@app.command
@declares(
    {
        "Model": ("predict", "order", "window", "history", "hidden", "embedding"),
        "Training": ("epochs", "seed"),
        "Resources": _RESOURCES,
    },
    options=JointFeatureOptions,
    resources=Threads,
)
def joint(
    source: Annotated[str, Parameter(help="Tokenized source side of parallel text.")],
    target: Annotated[str, Parameter(help="Its tokenized target side.")],
    /,
    *,
    aligner: Annotated[
        str,
        Parameter(
            metavar="FOLDER",
            group=heading("Input"),
            help="Alignment model of the same text, from isogloss align --model-output.",
        ),
    ],
    options: JointFeatureOptions,
    resources: Threads,
    output: Annotated[str, output_to("Folder for the model.", "FOLDER")],
) -> None:
    """Train a neural joint model on parallel text, for the feature joint:FOLDER,aligner=FOLDER.

    Takes about two minutes for every 30,000 sentence pairs.
    """
    trained = train_joint_feature(
        source, target, aligner, options, threads=resources.count, track=console.track
    )
    trained.save(output)
    epochs = trained.facts["epochs"]
    console.note(
        f"{output}: perplexity of held-out text {trained.facts['perplexity']:.2f} after {len(epochs)} epochs"
    )


@app.command
@declares({"Resources": _RESOURCES}, resources=Threads, config=False)
def explain(
    model: Annotated[str, Parameter(help="Folder that 'isogloss rerank train' wrote.")],
    list: ListFile,
    /,
    *,
    resources: Threads,
    reference: OptionalReference = None,
    source: Source = None,
    features: OtherFiles = None,
    format: ListFormat = None,
    most: Annotated[
        int, Parameter(metavar="N", group=heading("Output"), help="Print this many sentences.")
    ] = 20,
    html: Annotated[
        str | None,
        Parameter(metavar="FILE", group=heading("Output"), help="HTML page with the changed sentences."),
    ] = None,
    json: Json = False,
) -> None:
    """Show which sentences a reranker changes, and which features decided."""
    reranker = isogloss.Reranker.load(model, functions=" ".join(features or ()))
    found = reranker.changes(opened(list, format, source=source), reference, threads=resources.count)
    if html is not None:
        found.report().write(html)
    if json:
        console.print_json(found.to_dict())
        return
    for one in found.changed[:most]:
        console.print_line(one.title())
        console.print_line(f"  before: {one.before}\n  after:  {one.after}\n  why:    {one.why()}")
    for line in found.summary():
        console.print_line(line)


@app.command
@declares(
    _ABLATE,
    task=RerankTask,
    train_options=RerankOptions,
    options=SweepOptions,
    resources=Threads,
)
def ablate(
    list: ListFile,
    /,
    *,
    task: RerankTask,
    train_options: RerankOptions,
    options: SweepOptions,
    resources: Threads,
    reference: OptionalReference = None,
    source: Source = None,
    format: ListFormat = None,
    json: Json = False,
) -> None:
    """Show what each feature is worth: its weight, and the cross-validated score without it."""
    found = ablation(
        opened(list, format, source=source),
        reference,
        features=" ".join(task.features),
        method=task.method,
        metric=task.metric,
        tokenize=task.tokenize,
        train_options=train_options,
        options=options,
        threads=resources.count,
        progress=console.track,
    )
    if json:
        console.print_json(found.to_dict())
        return
    whole = f"{found.score:.2f}{length_text(found.length_ratio)}"
    title = f"{found.metric} with all features {whole}, cross-validated"
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column("without")
    for name in ("weight", "score", "loss", "length", "brevity"):
        table.add_column(name, justify="right")
    for row in found.results:
        lengths = length_cells(row.length_ratio)
        table.add_row(row.feature, f"{row.weight:.4f}", f"{row.score:.2f}", f"{row.loss:+.2f}", *lengths)
    console.print_table(table)


@app.command
@declares(
    _MBR,
    names={"references": "--pseudo-references"},
    options=ListMbrOptions,
    resources=Threads,
    config=False,
)
def mbr(
    list: ListFile,
    /,
    *,
    options: ListMbrOptions,
    resources: Threads,
    source: Source = None,
    output: ListOutput = "-",
    to: To = None,
    format: ListFormat = None,
) -> None:
    """Choose the candidates that agree best with the others (minimum Bayes risk), without training.

    Scores must be log-probabilities up to a scale; use --scale 0 for samples. Time grows with the square of
    the number of candidates, unless --pseudo-references, --aggregate or --prune limits it.
    """
    reordered = isogloss.mbr(
        opened(list, format, source=source),
        options.utility,
        scale=options.scale,
        references=options.references,
        aggregate=options.aggregate,
        prune=options.prune,
        prune_by=options.prune_by,
        batch_size=options.batch_size,
        threads=resources.count,
        progress=console.track,
    )
    _write(reordered, output, to)


@app.command
@declares(
    _SWEEP,
    names={"methods": "--method"},
    task=SweepTask,
    train_options=RerankOptions,
    options=SweepOptions,
    resources=Threads,
    machines=Cluster,
)
def sweep(
    list: ListFile,
    /,
    *,
    task: SweepTask,
    train_options: RerankOptions,
    options: SweepOptions,
    resources: Threads,
    machines: Cluster,
    reference: OptionalReference = None,
    quality: Quality = None,
    source: Source = None,
    format: ListFormat = None,
    curves: Annotated[
        str | None,
        Parameter(
            metavar="FILE",
            group=heading("Output"),
            help="HTML page with the table and the learning curves of all methods that have one.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Compare methods and features by cross-validation over the sentences of a list."""
    with executor_of(machines, resources.count) as executor:
        found = compare(
            opened(list, format, source=source, warn=False),
            reference,
            quality=quality,
            methods=task.methods,
            features=task.features,
            metric=task.metric,
            tokenize=task.tokenize,
            lowercase=task.lowercase,
            train_options=train_options,
            options=options,
            curves=curves is not None or json,
            threads=resources.count,
            report=_say_row,
            executor=executor,
        )
    for warning in found.warnings:
        console.warn(warning)
    if curves is not None:
        found.report().write(curves)
    if json:
        console.print_json(found.to_dict())
    else:
        console.print_table(_sweep_table(found))


def _write(reordered: NbestList, output: str, to: FormatName | None) -> None:
    for warning in reordered.warnings:
        console.warn(warning)
    if to is not None:
        write_list(reordered.store, output, to)
        return
    reordered.write_best(output)
    if reordered.missing:
        console.warn(f"{reordered.missing:,} sentences have no candidates; their lines are empty")


def _sweep_table(found: Sweep) -> Table:
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


def _print_trained(trained: RerankTraining) -> None:
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
    if trained.validated_score is not None:
        validated = f"{trained.validated_score:.2f}{length_text(trained.validated_length)}"
        listed = f"{trained.list_score:.2f}{length_text(trained.list_length)}"
        console.print_line(f"{trained.metric} in cross-validation: {validated}, without reranking {listed}")
