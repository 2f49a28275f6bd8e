"""``isogloss column``: annotate the words of a text with other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from isogloss.cli import console
from isogloss.cli.declared import Json, declares
from isogloss.cli.parameters import TokenizedText, output_to
from isogloss.corpus import read_tokens
from isogloss.features import ColumnOptions, annotate_text

__all__ = ["column"]


@declares({"Column": ("type", "language", "dictionary", "most")}, options=ColumnOptions)
def column(
    text: TokenizedText,
    /,
    *,
    output: Annotated[Path, output_to("File to write, one word, a tab and its values per line.")],
    options: ColumnOptions,
    json: Json = False,
) -> None:
    """Look up lemmas, parts of speech or synsets of words, for sparse features.

    A word with several values gets all of them. Nothing is downloaded; if something is missing, an error says
    what to install. Next: isogloss system create --source-columns NAME=FILE.
    """
    made = annotate_text(read_tokens(text, console.track), options)
    made.save(output)
    if json:
        console.print_json({"output": str(output), **made.summary()})
    else:
        several = made.summary()["ambiguous"]
        console.note(f"{output}: {len(made):,} words, {several:,} of them with several values")
