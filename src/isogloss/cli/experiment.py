"""``isogloss experiment NAME``: reproduce the experiments of the papers on the user's data. One command per
experiment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from cyclopts import App, Parameter
from rich.table import Table

from isogloss.cli import console
from isogloss.cli.declared import Json, declares, heading
from isogloss.experiments import EXPERIMENTS, Experiment, ResultTable, results_folder
from isogloss.io.resources import Resources, Threads

__all__ = ["app"]

app = App(name="experiment", help="Reproduce the experiments of the papers on your data.")

Output = Annotated[
    str,
    Parameter(
        name=["--output", "-o"],
        metavar="FOLDER",
        group=heading("Output"),
        help="Folder for results.json, report.html and all intermediate files.",
    ),
]


def _verb(experiment: Experiment) -> Callable[..., None]:
    """The command of an experiment: a TOML file describes the task, and --set changes it."""
    shown = ("threads", "memory_limit") if experiment.resources is Resources else ("threads",)

    def verb(*, output: Output, task: Any, resources: Threads, json: Json = False) -> None:
        folder = results_folder(output)
        memory = {"memory": resources.memory_limit} if isinstance(resources, Resources) else {}
        results = experiment.run(
            task,
            folder,
            threads=resources.count,
            say=console.note,
            warn=console.warn,
            track=console.track,
            **memory,
        )
        results.write(folder)
        if json:
            console.print_json(results.values)
            return
        for table in results.tables:
            console.print_table(_printed(table))
        console.note(f"{folder}: wrote report.html and results.json")

    resumes = "\n\nAn interrupted run resumes if you repeat the command." if experiment.resumes else ""
    verb.__doc__ = experiment.summary + resumes
    declare = declares(
        {"Resources": shown},
        config="required",
        only_shown=True,
        task=experiment.task,
        resources=experiment.resources,
    )
    return declare(verb)


def _printed(table: ResultTable) -> Table:
    made = Table(title=table.title or None, title_justify="left", box=None, pad_edge=False)
    for place, head in enumerate(table.heads):
        made.add_column(head, overflow="fold", justify="right" if place else "left")
    for row in table.rows:
        made.add_row(*row)
    return made


for _name, _experiment in EXPERIMENTS.items():
    app.command(_verb(_experiment), name=_name, help=_experiment.summary)
