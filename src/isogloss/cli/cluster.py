"""``isogloss cluster``: check the machines that ``--cluster`` uses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from rich.table import Table

from isogloss.cli import console
from isogloss.cli.declared import Json, declares, heading
from isogloss.io.errors import ClusterError
from isogloss.io.resources import Cluster, Threads
from isogloss.pipeline.executors import cluster_nodes, mismatches

__all__ = ["app"]

app = App(name="cluster", help="Check a cluster of machines for --cluster.")


@app.command
@declares({"Resources": ("cluster", "threads")}, machines=Cluster, resources=Threads, config=False)
def check(
    *,
    machines: Cluster,
    resources: Threads,
    shared_folder: Annotated[
        Path | None,
        Parameter(
            metavar="FOLDER",
            group=heading("Input"),
            help="Shared folder: check that every node can read and write here.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Show the nodes of a cluster with their versions, and check that they fit together.

    Exits with code 2 if a node has another Isogloss, engine, Python or CPU than this machine, or cannot use
    the shared folder.
    """
    nodes = cluster_nodes(machines.cluster, shared_folder, threads=resources.count)
    different = mismatches(nodes)
    if json:
        facts = {"nodes": [node.to_dict() for node in nodes], "problems": different}
        console.print_json(facts)
    else:
        table = Table("node", "isogloss", "engine", "Python", "NumPy", "CPU", "shared folder", box=None)
        for place, node in enumerate(nodes):
            shared = "" if shared_folder is None else node.folder or "yes"
            name = f"{node.name} (this machine)" if place == 0 else node.name
            table.add_row(name, node.isogloss, node.engine, node.python, node.numpy, node.cpu, shared)
        console.print_table(table)
    if different:
        raise ClusterError("; ".join(different))
    if not json:
        console.note(f"{len(nodes) - 1} nodes fit together")
