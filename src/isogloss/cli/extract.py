"""``isogloss extract``: rules from an aligned corpus."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from isogloss.cli import console
from isogloss.cli.declared import Json, declares
from isogloss.cli.machines import executor_of
from isogloss.cli.parameters import Scratch, output_to
from isogloss.grammar import GrammarOptions, extract_rules
from isogloss.io.executor import shared_scratch
from isogloss.io.resources import Cluster, Resources

__all__ = ["extract"]

_GROUPS = {
    "Rules": ("grammar", "max_length", "max_gaps", "max_symbols", "tight", "significance"),
    "Scores": ("orientation", "smoothing"),
    "Resources": ("threads", "memory_limit", "cluster"),
}


@declares(_GROUPS, options=GrammarOptions, resources=Resources, machines=Cluster)
def extract(
    source: Annotated[
        Path, Parameter(help="Source sentences, tokenized, one per line; - is standard input.")
    ],
    target: Annotated[Path, Parameter(help="Target sentences, parallel to the source.")],
    links: Annotated[Path, Parameter(help="Word alignment, as written by 'isogloss align': 0-0 1-2.")],
    /,
    *,
    output: Annotated[Path, output_to("Folder for the rule table.", "FOLDER")],
    options: GrammarOptions,
    resources: Resources,
    machines: Cluster,
    scratch: Scratch = None,
    json: Json = False,
) -> None:
    """Extract and score translation rules from an aligned corpus."""
    with executor_of(machines, resources.count) as executor:
        report = extract_rules(
            source,
            target,
            links,
            output,
            options.rules,
            significance=options.threshold,
            memory_limit=resources.memory_limit,
            threads=resources.count,
            scratch=shared_scratch(executor, scratch, output),
            track=console.track,
            executor=executor,
        )
    if report.skipped:
        console.warn(
            f"{report.skipped:,} sentence pairs have more than {options.max_sentence_length} words on a side "
            "and were left out; --max-sentence-length raises the limit"
        )
    if json:
        console.print_json(asdict(report))
        return
    kind = "phrase pairs" if options.grammar == "phrase" else "rules"
    console.note(
        f"{output}: {report.rules:,} {kind} with {report.sides:,} source sides "
        f"from {report.pairs:,} sentence pairs"
        + (f"; {report.pruned:,} were not significant" if options.significance else "")
    )
