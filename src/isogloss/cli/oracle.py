"""``isogloss oracle``: the best translations within reach of a system, or the derivations of the
references."""

from __future__ import annotations

import sys
from typing import Annotated

from cyclopts import Parameter

from isogloss.cli import console
from isogloss.cli.declared import Changes, declares, heading
from isogloss.cli.parameters import Weights
from isogloss.decoder import OracleOptions, OracleSearch, SearchOptions, load
from isogloss.io.config import Settings
from isogloss.io.resources import Threads

__all__ = ["oracle"]

_GROUPS = {
    "Output": ("force", "nbest", "format"),
    "Search": ("beam_size", "pop_limit"),
    "Resources": ("threads",),
}


@declares(_GROUPS, options=OracleOptions, search=Changes(SearchOptions, "the system's"), resources=Threads)
def oracle(
    system: Annotated[str, Parameter(help="Folder of the system.")],
    source: Annotated[str, Parameter(help="Sentences to translate, tokenized, one per line.")],
    /,
    *,
    reference: Annotated[
        list[str],
        Parameter(
            metavar="FILE...",
            group=heading("Input"),
            help="Tokenized reference translations, one file per translator.",
        ),
    ],
    options: OracleOptions,
    search: Settings,
    resources: Threads,
    weights: Weights = None,
) -> None:
    """Find the best translations within reach of a system, given the references.

    By default, finds the translations with the highest sentence BLEU, which is also their score (0 to 1).
    With --force, finds derivations of the references themselves, with the model's score.
    """
    found = OracleSearch.of_files(
        load(system, weights=weights, changes=search),
        source,
        reference,
        options,
        threads=resources.count,
        track=console.track,
    )
    for piece in found:
        sys.stdout.write(piece)
    console.note(found.summary())
