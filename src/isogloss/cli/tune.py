"""``isogloss tune``: tune the weights of a stored system."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter
from rich.table import Table

from isogloss.cli import console
from isogloss.cli.declared import Json, declares
from isogloss.cli.machines import executor_of
from isogloss.io.resources import Cluster, Threads
from isogloss.pipeline import TuningFiles, tune_stored
from isogloss.tuning import TuneIteration, TuneOptions

__all__ = ["tune"]

_GROUPS = {
    "Data": ("dev_source", "dev_target", "held_out_source", "held_out_target", "input", "tokenized"),
    "Tuning": ("method", "effort", "preset", "iterations", "nbest", "initial_weights", "work", "seed"),
    "Resources": ("threads", "cluster"),
}


@declares(_GROUPS, files=TuningFiles, options=TuneOptions, resources=Threads, machines=Cluster)
def tune(
    engine: Annotated[str, Parameter(help="Folder of the engine; its weights are replaced.")],
    /,
    *,
    files: TuningFiles,
    options: TuneOptions,
    resources: Threads,
    machines: Cluster,
    json: Json = False,
) -> None:
    """Tune the weights of an engine on a development set.

    The engine changes only if tuning completes. auto and online-mira also tune sparse features, if the engine
    has any; the other methods tune dense weights only and discard sparse ones.
    """
    with executor_of(machines, resources.count) as executor:
        result = tune_stored(
            engine,
            files,
            options,
            threads=resources.count,
            track=console.track,
            report=_note,
            executor=executor,
        )
    if json:
        console.print_json(result.to_dict())
        return
    table = Table("feature", "weight", box=None)
    for name, weight in result.dense.items():
        table.add_row(name, f"{weight:.4f}")
    console.print_table(table)
    sparse = "" if result.sparse is None else f", {len(result.sparse):,} sparse features"
    for note in result.notes:
        console.note(note)
    console.note(f"{engine}: weights of iteration {result.best.iteration}{sparse}")


def _note(step: TuneIteration) -> None:
    held_out = "" if step.held_out_score is None else f", held-out BLEU {step.held_out_score:.2f}"
    active = f", {step.active_features:,} sparse features" if step.active_features else ""
    seconds = sum(step.seconds.values())
    console.note(
        f"iteration {step.iteration}: dev BLEU {step.dev_score:.2f}{held_out}{active}, {seconds:.1f} s"
    )
    for collision in step.collisions:
        console.warn(collision)
