"""``isogloss local``: settings of local training."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer
from rich.table import Table

from isogloss.cli import console
from isogloss.cli.decoding import thread_count
from isogloss.cli.results import give_results, output_folder

__all__ = ["app", "local_training"]

app = typer.Typer(no_args_is_help=True, help="Settings of local training.")


class MethodName(StrEnum):
    """The methods, named here so that ``--help`` need not load them."""

    mbuu = "mbuu"
    ebuu = "ebuu"


@app.callback()
def _local() -> None:
    """Keeps ``tune`` a verb of its own while it is the only one."""


@app.command()
def tune(
    system: Annotated[str, typer.Argument(metavar="DIR", help="Stored system.")],
    memory: Annotated[str, typer.Option(metavar="DIR", help="Memory that was built with it.")],
    source: Annotated[str, typer.Option(metavar="FILE", help="Held-out sentences, not in the memory.")],
    reference: Annotated[
        list[str], typer.Option(metavar="FILE", help="Their translations; give it again for further ones.")
    ],
    method: Annotated[
        MethodName, typer.Option(help="mbuu: margins; ebuu: expected error.")
    ] = MethodName.ebuu,
    strength: Annotated[
        list[float] | None,
        typer.Option(metavar="NUMBER", help="A λ to try; may be given again.", show_default="four of them"),
    ] = None,
    sharpness: Annotated[
        list[float] | None,
        typer.Option(metavar="NUMBER", help="An α to try; may be given again.", show_default="one"),
    ] = None,
    size: Annotated[int, typer.Option(metavar="N", help="Examples per sentence, at most.")] = 100,
    skip_identical: Annotated[
        bool, typer.Option("--skip-identical", help="Leave out examples that are the sentence itself.")
    ] = False,
    save: Annotated[
        bool, typer.Option(help="Keep the best setting in the memory, where 'translate --local' finds it.")
    ] = True,
    threads: Annotated[int, typer.Option(metavar="N", help="Threads; 0 uses all processors.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Choose λ and α: translate a held-out set with each setting and compare with the baseline."""
    from isogloss.adapt import LocalOptions, Memory, RetrievalOptions, save_tuned
    from isogloss.adapt.tune import settings_of, tune_local
    from isogloss.decoder import load
    from isogloss.io.streams import read_lines
    from isogloss.metric import References
    from isogloss.metric.references import check_length

    threads = thread_count(threads)
    loaded = load(system)
    opened = Memory.open(memory, loaded)
    sources, references = list(read_lines(source)), References.read(reference)
    check_length(source, len(sources), reference[0], len(references))
    settings = settings_of(LocalOptions(method=method.value), strength or (), sharpness or ())
    tuned = tune_local(
        loaded,
        opened,
        sources,
        references,
        settings,
        retrieval=RetrievalOptions(size=size, skip_identical=skip_identical or opened.of_training_text),
        threads=threads,
        track=console.track,
    )
    best = tuned.best
    if save:
        save_tuned(memory, best, size)
    rows = [(trial.options, trial.bleu, trial.comparison.p_value) for trial in tuned.trials]
    if json:
        console.print_json(
            {
                "baseline": tuned.baseline,
                "trials": [
                    {"strength": o.strength, "sharpness": o.sharpness, "bleu": bleu, "p_value": p}
                    for o, bleu, p in rows
                ],
                "best": {"method": best.method, "strength": best.strength, "sharpness": best.sharpness},
            }
        )
        return
    table = Table("strength", "sharpness", "BLEU", "difference", "p", box=None)
    table.add_row("0", "", f"{tuned.baseline:.2f}", "", "")
    for options, bleu, p in rows:
        sharp = f"{options.sharpness:g}"
        difference = f"{bleu - tuned.baseline:+.2f}"
        table.add_row(f"{options.strength:g}", sharp, f"{bleu:.2f}", difference, f"{p:.3f}")
    console.print_table(table)
    console.note(f"best: strength {best.strength:g}" + (f", kept in {memory}" if save else ""))


def local_training(
    config: Annotated[str, typer.Option(metavar="FILE", help="TOML file that describes the data.")],
    output: Annotated[str, typer.Option(metavar="DIR", help="Folder for the memory and results.json.")],
    threads: Annotated[int, typer.Option(metavar="N", help="Threads; 0 uses all processors.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Local training (Liu et al. 2012): all tables of the paper, and its figure, on your data."""
    from isogloss.experiments.local_training import read_experiment, run_experiment, tables

    threads = thread_count(threads)
    options = read_experiment(config)
    folder = output_folder(output)
    results = run_experiment(options, folder, threads=threads, say=console.note)
    give_results(results, tables(results), folder, as_json=json)
