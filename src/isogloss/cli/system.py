"""``isogloss system``: put together what a translation needs."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli import console

if TYPE_CHECKING:
    from isogloss.features import SparseModel, TokenColumn

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Put together what a translation needs.")


class _Search(StrEnum):
    hierarchical = "hierarchical"
    phrase = "phrase"


@app.callback()
def _system() -> None:
    """Keeps ``create`` a verb of its own while it is the only one."""


@app.command()
def create(
    system: Annotated[str, typer.Argument(metavar="DIR", help="Folder to write.")],
    rules: Annotated[
        str, typer.Option(metavar="DIR", help="Rule table, as 'isogloss extract' writes it; it is copied.")
    ],
    lm: Annotated[
        str,
        typer.Option(
            metavar="MODEL",
            help="Language model of the target language: stored folder or ARPA file; it is copied.",
        ),
    ],
    search: Annotated[
        _Search,
        typer.Option(help="hierarchical: rules with gaps, and glue; phrase: plain phrases with jumps."),
    ] = _Search.hierarchical,
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Weights, a line per feature: name, tab, number.",
            show_default="the search's own, untuned",
        ),
    ] = None,
    beam_size: Annotated[
        int, typer.Option(metavar="N", help="Hypotheses kept per number of covered words; 0 keeps all.")
    ] = 100,
    pop_limit: Annotated[
        int, typer.Option(metavar="N", help="Extensions tried per number of covered words; 0 tries all.")
    ] = 200,
    distortion_limit: Annotated[
        int,
        typer.Option(metavar="WORDS", help="Longest jump between phrases, widest gap on the left of glue."),
    ] = 6,
    max_span: Annotated[int, typer.Option(metavar="WORDS", help="Widest span of a rule with gaps.")] = 15,
    templates: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Sparse features to be learned by 'isogloss tune': names of templates with commas between "
            "them, or all.",
        ),
    ] = None,
    token_types: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="How sparse features see words: surface, prefix, suffix, digits; columns are added to them.",
        ),
    ] = "surface,prefix,suffix,digits",
    source_column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE",
            help="Another way to see source words: lines of a word, a tab and its values, such as what "
            "'isogloss classes' writes; repeatable.",
        ),
    ] = None,
    target_column: Annotated[
        list[str] | None, typer.Option(metavar="NAME=FILE", help="The same for target words; repeatable.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Make a system for 'isogloss translate' from a rule table and a language model."""
    from dataclasses import asdict

    from isogloss.decoder import SearchOptions, create_system

    options = SearchOptions(
        hierarchical=search is _Search.hierarchical,
        beam_size=beam_size,
        pop_limit=pop_limit,
        distortion_limit=distortion_limit,
        max_span=max_span,
    )
    sparse = None
    if templates is not None:
        sparse = _sparse(templates, token_types, source_column or [], target_column or [])
    made = create_system(system, rules=rules, lm=lm, options=options, weights=weights, sparse=sparse)
    if json:
        console.print_json({"options": asdict(made.options), "weights": dict(made.weights)})
    else:
        tuned = "the given weights" if weights else "untuned weights"
        console.note(f"{system}: {made.options.search} search, {len(made.weights)} features, {tuned}")
        if sparse is not None:
            console.note(f"sparse features: {sparse.describe()}")


def _sparse(templates: str, types: str, source_columns: list[str], target_columns: list[str]) -> SparseModel:
    from isogloss.features import ALL_TEMPLATES, SparseModel, SparseOptions

    names = ALL_TEMPLATES if templates == "all" else tuple(templates.split(","))
    source, target = _columns(source_columns), _columns(target_columns)
    spelling = tuple(types.split(",")) if types else ()
    options = SparseOptions(
        templates=names, source_types=(*spelling, *source), target_types=(*spelling, *target)
    )
    return SparseModel(options, source_columns=source, target_columns=target)


def _columns(given: list[str]) -> dict[str, TokenColumn]:
    from isogloss.features import TokenColumn
    from isogloss.io.errors import ConfigError

    columns = {}
    for text in given:
        name, equals, path = text.partition("=")
        if not equals or not name or not path:
            raise ConfigError(f"'{text}': a name, '=' and a file are expected")
        columns[name] = TokenColumn.load(path)
    return columns
