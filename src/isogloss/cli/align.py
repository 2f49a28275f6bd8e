"""``isogloss align``: word alignment of a parallel corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from isogloss.align import (
    AlignmentScores,
    AlignOptions,
    AlignResources,
    Backend,
    CorpusAlignment,
    LinkOptions,
    align_files,
)
from isogloss.cli import console
from isogloss.cli.declared import Json, declares, heading
from isogloss.cli.machines import executor_of
from isogloss.cli.parameters import output_to
from isogloss.io.errors import ConfigError
from isogloss.io.executor import shared_scratch
from isogloss.io.resources import LOCAL, Cluster

__all__ = ["align"]

_GROUPS = {
    "Model": ("model_type", "iterations", "lowercase"),
    "Links": ("method", "threshold", "max_length"),
    "Resources": ("threads", "memory_limit", "cluster"),
}
_INPUT, _OUTPUT, _MODEL = heading("Input"), heading("Output"), heading("Model")


@declares(_GROUPS, training=AlignOptions, links=LinkOptions, resources=AlignResources, machines=Cluster)
def align(
    source: Annotated[
        Path, Parameter(help="Source text, one tokenized sentence per line: plain, gzip or zstd.")
    ],
    target: Annotated[
        Path | None,
        Parameter(help="Target text. Without it, SOURCE has both sides, separated by a tab or ' ||| '."),
    ] = None,
    /,
    *,
    output: Annotated[
        Path | None,
        output_to("File for the links, i-j for each pair of linked words; - is standard output."),
    ] = None,
    training: AlignOptions,
    links: LinkOptions,
    resources: AlignResources,
    machines: Cluster,
    extra_source: Annotated[
        Path | None,
        Parameter(group=_INPUT, metavar="FILE", help="Source side of additional pairs to train on."),
    ] = None,
    extra_target: Annotated[
        Path | None, Parameter(group=_INPUT, metavar="FILE", help="Target side of those pairs.")
    ] = None,
    gold: Annotated[
        Path | None,
        Parameter(
            group=_INPUT,
            metavar="FILE",
            help="Manual alignment (i-j for sure links, i?j for possible ones) to compute the alignment "
            "error rate.",
        ),
    ] = None,
    model_output: Annotated[
        Path | None, Parameter(group=_OUTPUT, metavar="FOLDER", help="Folder for the trained model.")
    ] = None,
    lexical_output: Annotated[
        Path | None,
        Parameter(
            group=_OUTPUT,
            metavar="PREFIX",
            help="Write the lexical table as PREFIX.f2e and PREFIX.e2f (Moses format).",
        ),
    ] = None,
    model: Annotated[
        Path | None,
        Parameter(group=_MODEL, metavar="FOLDER", help="Align with this model instead of training one."),
    ] = None,
    lexical_input: Annotated[
        Path | None,
        Parameter(
            group=_MODEL,
            metavar="PREFIX",
            help="Align with the lexical table PREFIX.f2e and PREFIX.e2f (Moses format) only.",
        ),
    ] = None,
    backend: Annotated[
        Backend,
        Parameter(group=_MODEL, metavar="NAME", help="Aligner to use; eflomal must be installed separately."),
    ] = "isogloss",
    json: Json = False,
) -> None:
    """Align the words of a parallel corpus."""
    if json and str(output) == "-":
        raise ConfigError("--json and --output - would both write to standard output")
    if machines.cluster != LOCAL and backend == "eflomal":
        raise ConfigError("eflomal does not run on a cluster; use another --backend")
    written = (path for path in (output, model_output, lexical_output) if path and str(path) != "-")
    with executor_of(machines, resources.count) as executor:
        scratch = shared_scratch(executor, None, next(written, source))
        result = align_files(
            source,
            target,
            output=output,
            model=model,
            lexical_input=lexical_input,
            model_output=model_output,
            lexical_output=lexical_output,
            extra_source=extra_source,
            extra_target=extra_target,
            gold=gold,
            training=training,
            links=links,
            backend=backend,
            threads=resources.count,
            memory_limit=resources.memory_limit,
            progress=console.track,
            warn=console.warn,
            executor=executor,
            scratch=scratch,
        )
    if result.too_long:
        console.warn(
            f"{len(result.too_long):,} sentence pairs with more than {links.max_length} words on a side have "
            f"no links (the first is line {result.too_long[0]:,}); --max-length sets the limit"
        )
    if result.empty:
        console.note(f"{result.empty:,} sentence pairs with an empty side have no links")
    if json:
        console.print_json({"output": None if output is None else str(output), **result.to_dict()})
    else:
        _print(result)


def _print(result: CorpusAlignment) -> None:
    console.note(
        f"{len(result.alignments):,} sentence pairs, {len(result.alignments.links):,} links, "
        f"{result.links_per_word:.2f} per target word"
    )
    if result.scores is not None:
        _print_scores(result.scores)


def _print_scores(scores: AlignmentScores) -> None:
    from rich.table import Table

    table = Table("alignment error rate", "precision", "recall", "links", "sure links", box=None)
    table.add_row(
        f"{scores.error_rate:.4f}",
        f"{scores.precision:.4f}",
        f"{scores.recall:.4f}",
        f"{scores.links:,}",
        f"{scores.sure:,}",
    )
    console.print_table(table)
