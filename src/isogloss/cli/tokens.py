"""``isogloss corpus tokenize``, ``detokenize`` and ``truecase``: filters for lines of text."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter

from isogloss.cli import console
from isogloss.cli.declared import declares, heading
from isogloss.cli.parameters import output_to
from isogloss.corpus import (
    SideOptions,
    TextProcessing,
    apply_truecaser,
    detokenize_file,
    detokenize_with,
    learn_truecaser,
    tokenize_file,
    tokenize_with,
    undo_truecaser,
)
from isogloss.io.errors import ConfigError

__all__ = ["add_commands"]

_SYSTEM = heading("System")

Input = Annotated[str, Parameter(help="Text to read: plain, gzip or zstd; - is standard input.")]
Output = Annotated[str, output_to("Where to write; names that end in .gz or .zst are compressed.")]
System = Annotated[
    str | None,
    Parameter(
        metavar="FOLDER",
        group=_SYSTEM,
        help="Use the tokenizer, case and placeholder settings of this system.",
    ),
]
Model = Annotated[
    str, Parameter(metavar="FILE", group=heading("Text"), help="Table of words and their usual case (TSV).")
]

_truecase = App(name="truecase", help="Truecase text: learn and restore the usual case of words.")


def add_commands(app: App) -> None:
    """Add the filters to ``isogloss corpus``."""
    app.command(tokenize)
    app.command(detokenize)
    app.command(_truecase)


@declares({"Text": ("tokenizer", "language")}, side=SideOptions, config=False)
def tokenize(
    input: Input = "-",
    /,
    output: Output = "-",
    *,
    side: SideOptions,
    placeholders: Annotated[
        str | None,
        Parameter(
            metavar="FILE",
            group=heading("Text"),
            help="Replace placeholders such as %(name)s, {x} and <b> with marks, and store the originals "
            "in this file.",
        ),
    ] = None,
    protect: Annotated[
        list[str] | None,
        Parameter(
            metavar="KIND...",
            group=heading("Text"),
            show_default="printf braces tags entities",
            help="Kinds of placeholders: printf, braces, tags, entities, urls, emails, identifiers.",
        ),
    ] = None,
    system: System = None,
    target_of: Annotated[
        str | None,
        Parameter(
            metavar="FILE",
            group=_SYSTEM,
            help="Source text of the lines: treat the input as its translations, not as sentences to "
            "translate.",
        ),
    ] = None,
) -> None:
    """Tokenize lines of text."""
    if system is None:
        if target_of is not None:
            raise ConfigError("--target-of needs --system")
        tokenize_file(
            input, output, side, placeholders=placeholders, protect=protect or (), track=console.track
        )
        return
    _refuse_beside_system(side, placeholders or protect)
    tokenize_with(_text_of(system), input, output, target_of=target_of, track=console.track)


@declares({"Text": ("tokenizer", "language")}, side=SideOptions, config=False)
def detokenize(
    input: Input = "-",
    /,
    output: Output = "-",
    *,
    side: SideOptions,
    placeholders: Annotated[
        str | None,
        Parameter(
            metavar="FILE",
            group=heading("Text"),
            help="Restore the placeholders that 'isogloss corpus tokenize' stored in this file.",
        ),
    ] = None,
    system: System = None,
    source: Annotated[
        str | None,
        Parameter(
            metavar="FILE",
            group=_SYSTEM,
            help="Source text of the lines, whose placeholders are restored.",
        ),
    ] = None,
) -> None:
    """Detokenize: join tokens into text."""
    if system is None:
        if source is not None:
            raise ConfigError("--source needs --system")
        detokenize_file(input, output, side, placeholders=placeholders, track=console.track)
        return
    _refuse_beside_system(side, placeholders)
    detokenize_with(_text_of(system), input, output, source=source, track=console.track)


def _refuse_beside_system(side: SideOptions, placeholders: object) -> None:
    if side != SideOptions():
        raise ConfigError("--system sets the tokenizer and the case; remove the options for text")
    if placeholders:
        raise ConfigError("--system sets the placeholders; remove --placeholders and --protect")


def _text_of(system: str) -> TextProcessing:
    from isogloss.decoder import load

    text = load(system).text
    if text is None:
        raise ConfigError(f"{system}: the system has no tokenizer because it was trained on tokens")
    return text


@_truecase.command
@declares()
def train(input: Input = "-", /, *, model: Model = "truecase.tsv") -> None:
    """Train a truecaser on tokenized text."""
    learn_truecaser(input, model, track=console.track)


@_truecase.command
@declares()
def apply(input: Input = "-", /, output: Output = "-", *, model: Model = "truecase.tsv") -> None:
    """Truecase tokenized text."""
    apply_truecaser(input, output, model, track=console.track)


@_truecase.command
@declares()
def undo(input: Input = "-", /, output: Output = "-") -> None:
    """Capitalize the first word of sentences in tokenized text."""
    undo_truecaser(input, output, track=console.track)
