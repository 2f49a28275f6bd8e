"""``isogloss experiment NAME``: the papers' tables on the user's data. One command per experiment."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from isogloss.cli import console
from isogloss.cli.lists import open_list
from isogloss.cli.local import local_training
from isogloss.cli.ntt import ntt_iwslt2007
from isogloss.cli.relevant_set import relevant_set
from isogloss.cli.results import ResultTable, give_results, output_folder

if TYPE_CHECKING:
    from isogloss.experiments.reranking import Experiment
    from isogloss.rerank import SweepRow

app = App(name="experiment", help="The papers' tables on your data.")
app.command(local_training, name="local-training")
app.command(relevant_set, name="relevant-set")
app.command(ntt_iwslt2007, name="ntt-iwslt2007")

Config = Annotated[str, Parameter(name="--config", metavar="FILE", help="TOML file that describes the data.")]
Output = Annotated[
    str | None,
    Parameter(name="--output", metavar="DIR", help="Folder for report.html and results.json."),
]
Threads = Annotated[int, Parameter(name="--threads", help="Threads for computing features.")]
Json = Annotated[bool, Parameter(name="--json", help="Print JSON.")]


@app.command
def reranking(*, config: Config, output: Output = None, threads: Threads = 1, json: Json = False) -> None:
    """Reranking (Shen et al. 2004): features alone, sets of features, methods, learning curves."""
    from isogloss.experiments.reranking import read_options, run_experiment
    from isogloss.experiments.reranking_report import experiment_page
    from isogloss.rerank import FeatureTable, as_functions, context_of, list_problem, parse_method

    options = read_options(config)
    folder = None if output is None else output_folder(output)
    methods = [(spec, parse_method(spec)) for spec in options.methods]
    single = (options.single_method, parse_method(options.single_method))
    features = [(spec, as_functions([spec])[0]) for spec in options.features]
    scoring = partial(list_problem, metric=options.metric, tokenize=options.tokenize, track=console.track)
    listed = open_list(options.list, source=options.source, references=options.references)
    table = FeatureTable.of(context_of(listed, threads=threads))
    problem = scoring(listed)
    test = None
    if options.test_list is not None:
        other = open_list(options.test_list, source=options.test_source, references=options.test_references)
        test = (
            FeatureTable.of(context_of(other, training=False, threads=threads), table.columns),
            scoring(other),
        )
    found = run_experiment(options, table, problem, features, methods, single, test=test, report=_say)
    if folder is not None:
        experiment_page(found, problem.metric.name).write(folder / "report.html")
    give_results(found.as_dict(), _tables(found, problem.metric.name), folder, as_json=json)
    if folder is not None:
        console.note(f"{folder}: wrote report.html and results.json")
    if not json:
        for name, chosen in found.sets.items():
            console.print_line(f"{name}: {' '.join(chosen) or '(the list alone)'}")


@app.command(name="online-large-margin")
def online_large_margin(
    *,
    config: Config,
    output: Annotated[
        str, Parameter(name="--output", metavar="DIR", help="Folder for rows, report.html and results.json.")
    ],
    threads: Annotated[int, Parameter(name="--threads", help="Threads for translating.")] = 1,
    json: Json = False,
) -> None:
    """Online large-margin training (Watanabe et al. 2007): token types, templates, constraints, two folds."""
    from isogloss.experiments.online_large_margin import read_experiment, run_experiment, tables
    from isogloss.report import Page

    options = read_experiment(config)
    folder = output_folder(output)
    results = run_experiment(options, folder, threads=threads, say=console.note)
    page = Page("Online large-margin training")
    page.paragraph("+ better, - worse than the baseline (paired bootstrap, p < 0.05).")
    for title, heads, rows in tables(results):
        page.heading(title)
        page.table(heads, rows)
    page.write(folder / "report.html")
    give_results(results, tables(results), folder, as_json=json)


def _say(row: SweepRow) -> None:
    console.note(
        f"{row.method}, {row.features}: {row.score:.2f} ({row.difference:+.2f}, p {row.p_value:.3f})"
    )


def _tables(found: Experiment, metric: str) -> Iterator[ResultTable]:
    from isogloss.experiments.reranking_report import method_table, single_table

    yield (f"each feature alone, {metric}", *single_table(found))
    yield (f"methods and sets, {metric}", *method_table(found))
