"""``isogloss tune-nbest``: weights for the n-best list of any system."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.table import Table

import isogloss
from isogloss.cli import console
from isogloss.cli.declared import Json, declares, heading
from isogloss.cli.lists import ListFile, ListFormat, Quality, opened
from isogloss.cli.parameters import OptionalReference, output_to
from isogloss.decoder import write_weights
from isogloss.io.errors import ConfigError
from isogloss.io.resources import Threads
from isogloss.rerank import NbestTuneOptions, NbestTuning

__all__ = ["tune_nbest"]

_SHOWN = 40  # weights in the table; a file has all
_GROUPS = {
    "Tuning": ("method", "runs", "seed"),
    "Metric": ("metric", "tokenize", "lowercase"),
    "Resources": ("threads",),
}
_NAMES = {
    "constraints.frozen": "--freeze",
    "constraints.bounds": "--bound",
    "constraints.priors": "--prior",
}
_DATA = heading("Data")
HeldOutReference = Annotated[
    list[Path] | None,
    Parameter(metavar="FILE...", group=_DATA, help="References of --held-out, one file per translator."),
]


@declares(_GROUPS, names=_NAMES, options=NbestTuneOptions, resources=Threads)
def tune_nbest(
    list: ListFile,
    /,
    *,
    options: NbestTuneOptions,
    resources: Threads,
    reference: OptionalReference = None,
    quality: Quality = None,
    held_out: Annotated[
        str | None,
        Parameter(
            metavar="LIST",
            group=_DATA,
            help="Another n-best list, which decides between the weights found on the way.",
        ),
    ] = None,
    held_out_reference: HeldOutReference = None,
    initial_weights: Annotated[
        Path | None,
        Parameter(
            metavar="FILE",
            group=heading("Tuning"),
            show_default="those that explain the list's own scores best",
            help="Weights to start from, one 'name TAB number' per line.",
        ),
    ] = None,
    output: Annotated[str | None, output_to("File for the weights, one 'name TAB number' per line.")] = None,
    format: ListFormat = None,
    json: Json = False,
) -> None:
    """Tune weights on an n-best list.

    The list can come from any system. Weights that cannot be used are reported with their cause and never
    written. Use --freeze NAME, --bound NAME=LOW:HIGH and --prior NAME=MEAN:STRENGTH to constrain weights.
    """
    if held_out is not None and held_out_reference:
        other = (opened(held_out, warn=False), held_out_reference)
    elif held_out is None and not held_out_reference:
        other = None
    else:
        raise ConfigError("--held-out and --held-out-reference go together")
    tuned = isogloss.tune_nbest(
        opened(list, format, warn=False),
        reference,
        quality=quality,
        start=initial_weights,
        held_out=other,
        options=options,
        threads=resources.count,
        progress=console.track,
    )
    for warning in tuned.warnings:
        console.warn(warning)
    if output is not None:
        write_weights(output, tuned.weights)
        console.note(f"{output}: wrote {len(tuned.weights):,} weights")
    if json:
        console.print_json(tuned.to_dict())
    else:
        _print(tuned)


def _print(tuned: NbestTuning) -> None:
    facts = Table(show_header=False, box=None)
    facts.add_row(f"{tuned.metric} before", f"{tuned.start_score:.2f}")
    facts.add_row(f"{tuned.metric} after", f"{tuned.score:.2f}")
    if tuned.held_out_score is not None:
        facts.add_row("held out", f"{tuned.held_out_score:.2f}")
    if tuned.deviation is not None:
        facts.add_row(f"{len(tuned.runs)} runs", f"mean {tuned.mean:.2f}, std. dev. {tuned.deviation:.2f}")
    console.print_table(facts)
    table = Table("feature", box=None)
    table.add_column("weight", justify="right")
    strongest = sorted(tuned.weights.items(), key=lambda item: -abs(item[1]))
    for name, weight in strongest[:_SHOWN]:
        table.add_row(name, f"{weight:.6f}")
    console.print_table(table)
    if len(strongest) > _SHOWN:
        console.print_line(f"and {len(strongest) - _SHOWN:,} weaker ones")
