"""``isogloss explain``: why a sentence is translated as it is."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli import console
from isogloss.io.errors import ConfigError

if TYPE_CHECKING:
    from isogloss.decoder import System

__all__ = ["explain"]


class _Local(StrEnum):
    mbuu = "mbuu"
    ebuu = "ebuu"


class _Format(StrEnum):
    text = "text"
    json = "json"
    html = "html"


def explain(
    system: Annotated[str, typer.Argument(metavar="DIR", help="Stored system.")],
    sentence: Annotated[
        str,
        typer.Argument(
            metavar="SENTENCE",
            help="A sentence, in quotes: text if the system was trained with a tokenizer, else tokens.",
        ),
    ],
    tokenized: Annotated[
        bool,
        typer.Option("--tokenized", help="The sentence is tokens in any case, with spaces between them."),
    ] = False,
    format: Annotated[_Format, typer.Option(help="text, json, or html: a page of its own.")] = _Format.text,
    strongest: Annotated[int, typer.Option(metavar="N", help="Single features shown per list.")] = 10,
    local: Annotated[
        _Local | None, typer.Option(help="With weights made for this sentence; needs --memory.")
    ] = None,
    memory: Annotated[
        str | None, typer.Option(metavar="DIR", help="Examples, as 'isogloss memory build' stores them.")
    ] = None,
) -> None:
    """Show the rules behind a translation and what every feature contributed to its score."""
    from isogloss.decoder import load
    from isogloss.decoder.explanation import explain as run

    if (local is None) != (memory is None):
        raise ConfigError("--local and --memory go together")
    loaded = load(system)
    if loaded.text is not None and not tokenized:
        sentence = loaded.text.tokenize(sentence)
    if local is not None and memory is not None:
        loaded = _localised(loaded, sentence, local, memory)
    found = run(loaded, sentence)
    if format is _Format.json:
        console.print_json(found.to_json())
    elif format is _Format.html:
        sys.stdout.write(found.to_html(strongest))
    else:
        sys.stdout.write(found.to_text(strongest) + "\n")


def _localised(system: System, sentence: str, method: _Local, memory: str) -> System:
    """The system with the weights of a sentence; says on standard error what made them."""
    from isogloss.adapt import LocalTranslator, Memory

    opened = Memory.open(memory, system)
    retrieval, update = opened.retrieval_options(method.value), opened.update_options(method.value)
    translator = LocalTranslator(system, opened, retrieval, update)
    made, hits, local = translator.system_for(sentence)
    console.note(f"{len(hits)} examples, strength {local.strength:g}")
    for hit in hits[:3]:
        example = hit.example()
        console.note(f"  {hit.similarity:.3f} {example.source} → {' / '.join(example.references)}")
    moved = list(local.moved(system.weights).items())[:5]
    console.note("moved most: " + (", ".join(f"{name} {by:+.4f}" for name, by in moved) or "nothing"))
    return made
