"""``isogloss experiment ntt-iwslt2007``."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from isogloss.cli import console
from isogloss.cli.results import give_results, output_folder
from isogloss.io.resources import Threads

__all__ = ["ntt_iwslt2007"]


def ntt_iwslt2007(
    *,
    config: Annotated[str, Parameter(metavar="FILE", help="TOML file that describes the data.")],
    output: Annotated[
        str, Parameter(metavar="DIR", help="Folder for systems, lists, results.json and report.html.")
    ],
    threads: Annotated[int, Parameter(metavar="N", help="Threads; 0 uses all processors.")] = 1,
    memory: Annotated[
        str, Parameter(metavar="SIZE", help="Memory for counting and sorting, such as 1G.")
    ] = "1G",
    json: Annotated[bool, Parameter(name="--json", help="Print JSON.")] = False,
) -> None:
    """The NTT system of IWSLT 2007: sampled bitext, sparse decoder, voted reranker, text and speech.

    A run that was stopped goes on where it stopped when the same command is given again.
    """
    from isogloss.experiments.ntt_iwslt2007 import NttExperiment, ntt_page, ntt_tables, read_ntt
    from isogloss.io.sizes import parse_size

    threads = Threads(threads=threads).count
    options = read_ntt(config)
    folder = output_folder(output)
    results = NttExperiment(
        options,
        folder,
        threads=threads,
        memory=parse_size(memory),
        say=console.note,
        track=console.track,
    ).run()
    ntt_page(results, options).write(folder / "report.html")
    give_results(results, ntt_tables(results), folder, as_json=json)
