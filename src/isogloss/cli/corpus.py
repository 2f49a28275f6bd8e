"""``isogloss corpus``: make, convert, check, clean and tokenise text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import console

__all__ = ["app"]

app = typer.Typer(help="Make, convert, check, clean and tokenise bilingual text.", no_args_is_help=True)


@app.command()
def synthetic(
    folder: Annotated[Path, typer.Argument(help="New or empty folder for the files.")],
    pairs: Annotated[int, typer.Option(help="Sentence pairs of the training part.")] = 2000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same corpus.")] = 1,
    references: Annotated[int, typer.Option(help="Translations of each dev and test sentence.")] = 1,
    raw: Annotated[
        bool, typer.Option("--raw", help="Write text as people do, not tokens; without word alignment.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the names of the files as JSON.")] = False,
) -> None:
    """Make a bilingual corpus out of nothing: simple English and an invented language."""
    from isogloss.corpus.synthetic import write_corpus

    written = write_corpus(folder, pairs=pairs, seed=seed, references=references, raw=raw)
    if as_json:
        console.print_json({"files": [str(path) for path in written]})
    else:
        for path in written:
            typer.echo(path)
