"""``isogloss system``: create a translation system from existing models."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from isogloss.cli import console
from isogloss.cli.declared import Json, declares, heading
from isogloss.decoder import SearchOptions, create_system
from isogloss.features import SystemFeatures

__all__ = ["app"]

app = App(name="system", help="Create a translation system from existing models.")

_GROUPS = {
    "Search": ("beam_size", "pop_limit", "distortion_limit", "max_span"),
    "Sparse features": ("templates", "token_types", "source_columns", "target_columns"),
}
_MODEL, _SEARCH = heading("Model"), heading("Search")


@app.command
@declares(_GROUPS, options=SearchOptions, features=SystemFeatures)
def create(
    folder: Annotated[Path, Parameter(help="Folder for the system.")],
    /,
    *,
    rules: Annotated[
        Path,
        Parameter(
            metavar="FOLDER", group=_MODEL, help="Rule table, as written by 'isogloss extract'; it is copied."
        ),
    ],
    lm: Annotated[
        Path,
        Parameter(
            metavar="MODEL",
            group=_MODEL,
            help="Language model of the target language (folder or ARPA file); it is copied.",
        ),
    ],
    options: SearchOptions,
    features: SystemFeatures,
    weights: Annotated[
        Path | None,
        Parameter(
            metavar="FILE",
            group=_MODEL,
            show_default="untuned weights",
            help="Weights of the features, one 'name TAB number' per line.",
        ),
    ] = None,
    search: Annotated[
        Literal["hiero", "phrase"] | None,
        Parameter(
            metavar="NAME",
            group=_SEARCH,
            show_default="hiero",
            help="hiero: hierarchical search with glue rules; phrase: phrase-based search with distortion.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Create a system for 'isogloss translate' from a rule table and a language model."""
    if search is not None:
        options = replace(options, hierarchical=search == "hiero")
    sparse = features.model()
    made = create_system(folder, rules=rules, lm=lm, options=options, weights=weights, sparse=sparse)
    if json:
        console.print_json({"options": asdict(made.options), "weights": dict(made.weights)})
        return
    tuned = "the given weights" if weights else "untuned weights"
    console.note(f"{folder}: {made.options.search} search, {len(made.weights)} features, {tuned}")
    if sparse is not None:
        console.note(f"sparse features: {sparse.describe()}")
