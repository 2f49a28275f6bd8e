"""``isogloss experiment local-training``."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from isogloss.cli import console
from isogloss.cli.results import give_results, output_folder
from isogloss.io.resources import Threads

__all__ = ["local_training"]


def local_training(
    *,
    config: Annotated[str, Parameter(metavar="FILE", help="TOML file that describes the data.")],
    output: Annotated[str, Parameter(metavar="DIR", help="Folder for the memory and results.json.")],
    threads: Annotated[int, Parameter(metavar="N", help="Threads; 0 uses all processors.")] = 1,
    json: Annotated[bool, Parameter(name="--json", help="Print JSON.")] = False,
) -> None:
    """Local training (Liu et al. 2012): all tables of the paper, and its figure, on your data."""
    from isogloss.experiments.local_training import read_experiment, run_experiment, tables

    threads = Threads(threads=threads).count
    options = read_experiment(config)
    folder = output_folder(output)
    results = run_experiment(options, folder, threads=threads, say=console.note)
    give_results(results, tables(results), folder, as_json=json)
