"""``isogloss corpus tokenize``, ``detokenize`` and ``truecase``: filters from lines to lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli import console
from isogloss.io.errors import ConfigError, DataFormatError

if TYPE_CHECKING:
    from isogloss.corpus.placeholders import Placeholder
    from isogloss.corpus.processing import TextProcessing

__all__ = ["add_commands"]

Input = Annotated[str, typer.Argument(metavar="IN", help="Text to read, - for stdin; .gz, .zst unpacked.")]
Output = Annotated[str, typer.Argument(metavar="OUT", help="Where to write; .gz and .zst are packed.")]
Name = Annotated[
    str,
    typer.Option(
        "--tokenizer", help="moses, moses-hyphens, none, characters, fugashi (Japanese) or jieba (Chinese)."
    ),
]
Language = Annotated[str, typer.Option("--language", help="Language of the text, such as en.")]
System = Annotated[
    str | None,
    typer.Option(
        "--system", metavar="DIR", help="Do as this system does, with its tokenizers, case and placeholders."
    ),
]
Model = Annotated[str, typer.Option("--model", help="Table of words and their usual case (TSV).")]

_truecase = typer.Typer(help="Give words the case they have inside sentences.", no_args_is_help=True)


def add_commands(app: typer.Typer) -> None:
    """Add the filters to ``isogloss corpus``."""
    app.command()(tokenize)
    app.command()(detokenize)
    app.add_typer(_truecase, name="truecase")


def tokenize(
    input: Input = "-",
    output: Output = "-",
    tokenizer: Name = "moses",
    language: Language = "en",
    placeholders: Annotated[
        str | None,
        typer.Option(
            "--placeholders",
            metavar="FILE",
            help="Replace placeholders such as %(name)s, {x}, <b> by marks, and write them there.",
        ),
    ] = None,
    protect: Annotated[
        list[str] | None,
        typer.Option(
            "--protect",
            metavar="KIND",
            help="Kind of placeholder: printf, braces, tags, entities (these four if not given), urls, "
            "emails, identifiers (such as volume_type); repeatable.",
        ),
    ] = None,
    system: System = None,
    target_of: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="With --system: the lines are translations of the lines there; else they are sources.",
        ),
    ] = None,
) -> None:
    """Split lines of text into tokens."""
    if system is not None:
        if protect or placeholders is not None:
            raise ConfigError("a system knows its placeholders: leave out --placeholders and --protect")
        own = _text_of(system)
        _filter(own.tokenize, own.tokenize_target, input, output, target_of)
        return
    if target_of is not None:
        raise ConfigError("--target-of goes with --system")
    from isogloss.corpus.placeholders import DEFAULT_KINDS, Protector
    from isogloss.corpus.tokenizer import tokenizer as make_tokenizer
    from isogloss.io.streams import atomic_outputs, read_lines

    if protect and placeholders is None:
        raise ConfigError("--protect needs --placeholders, the file to keep what is protected in")
    tool, protector = make_tokenizer(tokenizer, language), Protector(protect or DEFAULT_KINDS)
    with atomic_outputs([output, *([placeholders] if placeholders else [])]) as (text, *tables):
        for line in console.track(read_lines(input), "lines"):
            for table in tables:
                line, found = protector.protect(line)
                table.write(_pack(found) + "\n")
            text.write(" ".join(tool.tokenize(line)) + "\n")


def detokenize(
    input: Input = "-",
    output: Output = "-",
    tokenizer: Name = "moses",
    language: Language = "en",
    placeholders: Annotated[
        str | None,
        typer.Option(
            "--placeholders", metavar="FILE", help="Put back the placeholders that 'tokenize' wrote there."
        ),
    ] = None,
    system: System = None,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="With --system: what the lines are translations of, as text; its placeholders are put back.",
        ),
    ] = None,
) -> None:
    """Write tokens as text again."""
    if system is not None:
        if placeholders is not None:
            raise ConfigError("a system finds placeholders in the source: give --source, not --placeholders")
        own = _text_of(system)
        _filter(own.detokenize, own.detokenize, input, output, source)
        return
    if source is not None:
        raise ConfigError("--source goes with --system")
    from isogloss.corpus.placeholders import restore
    from isogloss.corpus.tokenizer import tokenizer as make_tokenizer
    from isogloss.io.streams import atomic_output, read_lines

    tool = make_tokenizer(tokenizer, language)
    lines = read_lines(input)
    with atomic_output(output) as text:
        if placeholders is None:
            for line in console.track(lines, "lines"):
                text.write(tool.detokenize(line.split()) + "\n")
            return
        for line, found in console.track(_paired(lines, input, placeholders), "lines"):
            text.write(restore(tool.detokenize(line.split()), found) + "\n")


def _filter(
    alone: Callable[[str], str],
    beside: Callable[[str, str], str],
    input: str,
    output: str,
    others: str | None,
) -> None:
    """Change every line, by itself or seen beside the line of another file."""
    from isogloss.io.streams import atomic_output, read_lines

    lines = console.track(read_lines(input), "lines")
    with atomic_output(output) as stream:
        if others is None:
            stream.writelines(alone(line) + "\n" for line in lines)
        else:
            stream.writelines(beside(*pair) + "\n" for pair in _same_length(lines, input, others))


def _text_of(system: str) -> TextProcessing:
    from isogloss.decoder import load

    text = load(system).text
    if text is None:
        raise ConfigError(f"{system}: the system was made from tokens and knows no tokenizer")
    return text


def _pack(placeholders: Sequence[Placeholder]) -> str:
    rows = [[found.text, found.left, found.right] for found in placeholders]
    return json.dumps(rows, ensure_ascii=False)


def _paired(lines: Iterator[str], input: str, placeholders: str) -> Iterator[tuple[str, list[Placeholder]]]:
    pairs = enumerate(_same_length(lines, input, placeholders), start=1)
    return ((line, _unpack(row, placeholders, number)) for number, (line, row) in pairs)


def _same_length(lines: Iterator[str], input: str, beside: str) -> Iterator[tuple[str, str]]:
    from isogloss.corpus.plain import unequal_lines
    from isogloss.io.streams import read_lines

    for number, (line, row) in enumerate(zip_longest(lines, read_lines(beside)), start=1):
        if line is None:
            raise unequal_lines(input, beside, number)
        if row is None:
            raise unequal_lines(beside, input, number)
        yield line, row


def _unpack(row: str, path: str, number: int) -> list[Placeholder]:
    from isogloss.corpus.placeholders import Placeholder

    try:
        rows = json.loads(row)
        found = [Placeholder(text, left, right) for text, left, right in rows]
        parts = [part for item in found for part in (item.text, item.left, item.right)]
        if isinstance(rows, list) and all(isinstance(part, str) for part in parts):
            return found
    except (ValueError, TypeError, RecursionError):
        pass
    raise DataFormatError(
        "a JSON list of placeholders expected", path, number, "'isogloss corpus tokenize' writes such files"
    )


@_truecase.command("train")
def train(
    input: Input = "-",
    model: Model = "truecase.tsv",
) -> None:
    """Learn the usual case of words from tokenized text."""
    from isogloss.corpus.truecase import train_truecaser
    from isogloss.io.streams import read_lines

    train_truecaser(line.split() for line in console.track(read_lines(input), "lines")).save(model)


@_truecase.command("apply")
def apply(input: Input = "-", output: Output = "-", model: Model = "truecase.tsv") -> None:
    """Give the words of tokenized text their usual case."""
    from isogloss.corpus.truecase import load_truecaser
    from isogloss.io.streams import atomic_output, read_lines

    truecaser = load_truecaser(model)
    with atomic_output(output) as text:
        for line in console.track(read_lines(input), "lines"):
            text.write(" ".join(truecaser.truecase(line.split())) + "\n")


@_truecase.command("undo")
def undo(input: Input = "-", output: Output = "-") -> None:
    """Begin the sentences of tokenized text with capitals."""
    from isogloss.corpus.truecase import undo_truecase
    from isogloss.io.streams import atomic_output, read_lines

    with atomic_output(output) as text:
        for line in console.track(read_lines(input), "lines"):
            text.write(" ".join(undo_truecase(line.split())) + "\n")
