"""``isogloss experiment relevant-set``: the block orientation model on the user's data."""

from __future__ import annotations

import os
from typing import Annotated

from cyclopts import Parameter

from isogloss.cli import console
from isogloss.cli.results import give_results, output_folder

__all__ = ["relevant_set"]


def relevant_set(
    *,
    config: Annotated[str, Parameter(metavar="FILE", help="TOML file that describes the data.")],
    output: Annotated[
        str,
        Parameter(
            metavar="DIR", help="Folder for models, results.json and report.html; a run goes on in it."
        ),
    ],
    threads: Annotated[int, Parameter(metavar="N", help="Threads; 0 uses all processors.")] = 1,
    json: Annotated[bool, Parameter(name="--json", help="Print JSON.")] = False,
) -> None:
    """Relevant set training (Tillmann and Zhang 2006): Table 3 and the learning curves on your data."""
    from isogloss.experiments.relevant_set import (
        experiment_page,
        read_experiment,
        run_experiment,
        table,
    )

    options = read_experiment(config)
    folder = output_folder(output)
    results = run_experiment(
        options, folder, threads=threads or os.cpu_count() or 1, say=console.note, track=console.track
    )
    experiment_page(results).write(folder / "report.html")
    give_results(results, [("", *table(results))], folder, as_json=json)
