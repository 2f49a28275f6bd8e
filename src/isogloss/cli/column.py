"""``isogloss column``: what other tools say about the words of a text."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from isogloss.cli import console

__all__ = ["column"]


class _Type(StrEnum):
    lemma = "lemma"
    pos = "pos"
    synset = "synset"


def column(
    corpus: Annotated[
        str, typer.Argument(metavar="TEXT", help="Tokenised text, a sentence per line; - is standard input.")
    ],
    type: Annotated[
        _Type,
        typer.Option(
            help="lemma: by simplemma; pos: part of speech, by HanTa (de, en, nl), fugashi (ja) or jieba "
            "(zh); synset: by a WordNet of the package wn, or of --dictionary."
        ),
    ],
    output: Annotated[
        str,
        typer.Option(metavar="FILE", help="Where the column goes: a word, a tab and its values per line."),
    ],
    language: Annotated[str, typer.Option(metavar="CODE", help="Language of the text, such as de.")] = "en",
    dictionary: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Folder with the files of a WordNet (index.noun, …) for synset.",
            show_default="what wn has installed",
        ),
    ] = None,
    most: Annotated[
        int, typer.Option(metavar="N", help="Values to keep per word, the most frequent; 0 keeps all.")
    ] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Write what is known about the words of a text, for 'isogloss system create --source-column'.

    A word that was seen with several values has all of them. Nothing is downloaded; what is missing is said.
    """
    from isogloss.features.annotators import annotate, annotator
    from isogloss.io.streams import read_lines

    tool = annotator(type.value, language, dictionary)
    sentences = (line.split() for line in console.track(read_lines(corpus), "reading"))
    made = annotate(tool, sentences, most=most)
    made.save(output)
    several = sum(len(values) > 1 for values in made.values.values())
    if json:
        console.print_json(
            {
                "output": output,
                "words": len(made),
                "ambiguous": several,
                "values": len({value for values in made.values.values() for value in values}),
            }
        )
    else:
        console.note(f"{output}: {len(made):,} words, {several:,} of them with several values")
