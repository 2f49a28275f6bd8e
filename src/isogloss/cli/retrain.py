"""``isogloss retrain``: train an engine again with its corrections."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter
from rich.table import Table

from isogloss.cli import console
from isogloss.cli.declared import Json, declares
from isogloss.cli.train import say_iteration, say_stage
from isogloss.io.resources import Resources
from isogloss.pipeline import Retrained
from isogloss.pipeline import retrain as retrain_engine

__all__ = ["retrain"]


@declares({"Resources": ("threads", "memory_limit")}, resources=Resources, config=False)
def retrain(
    engine: Annotated[str, Parameter(help="Folder of the engine, as 'isogloss train' writes it.")],
    /,
    *,
    resources: Resources,
    json: Json = False,
) -> None:
    """Train an engine again with its corrections added to the training text.

    Rules, language model and weights learn from them. Every fifth correction is held out, to measure the
    improvement. All corrections stay active afterwards. An interrupted run resumes if you repeat the command.
    """
    done = retrain_engine(
        engine,
        threads=resources.count,
        memory=resources.memory_limit,
        track=console.track,
        progress=say_stage,
        warn=console.warn,
        report=say_iteration,
    )
    if json:
        console.print_json(done.to_dict())
        return
    console.note(f"{engine}: trained on {done.folded:,} correction{'s' * (done.folded != 1)}")
    if done.held_out:
        console.print_table(_table(done))
    else:
        console.note("with five corrections or more, one in five would show what the others are worth")


def _table(done: Retrained) -> Table:
    table = Table("corrections held out", "before", "after", box=None)
    for name, value in done.before.items():
        if name == "right":
            table.add_row(f"as corrected, of {done.held_out:,}", f"{value:.0%}", f"{done.after[name]:.0%}")
        else:
            table.add_row(name, f"{value:.2f}", f"{done.after[name]:.2f}")
    return table
