"""``isogloss corpus``: convert, check, clean and generate bilingual text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from isogloss.cli import console, tokens
from isogloss.cli.bilingual import (
    Format,
    InputsAndOutputs,
    To,
    note_written,
    refuse_json_beside,
    warn_of_losses,
)
from isogloss.cli.declared import Json, declares, heading
from isogloss.cli.parameters import output_to
from isogloss.corpus import (
    RULES,
    CheckOptions,
    CheckReport,
    ReadOptions,
    check_files,
    clean_corpus,
    plan_conversion,
    write_corpus,
)
from isogloss.io.resources import Threads

__all__ = ["app"]

app = App(name="corpus", help="Convert, check, clean, tokenize and generate bilingual text.")

_USERS_MISTAKE = 2
_INPUT, _OUTPUT = heading("Input"), heading("Output")
_LIMITS = ("max_ratio", "max_words", "max_characters", "placeholders", "patterns")
_LANGUAGES = ("source_language", "target_language", "columns")


@app.command
@declares()
def synthetic(
    folder: Annotated[Path, Parameter(help="New or empty folder for the files.")],
    /,
    *,
    pairs: Annotated[
        int, Parameter(help="Sentence pairs for training; development and test sets are added to these.")
    ] = 2000,
    references: Annotated[int, Parameter(metavar="N", help="References per dev and test sentence.")] = 1,
    raw: Annotated[
        bool, Parameter(help="Write plain text instead of tokens, without a word alignment.")
    ] = False,
    seed: Annotated[
        int, Parameter(metavar="N", help="Random seed; the same seed gives the same corpus.")
    ] = 1,
    json: Json = False,
) -> None:
    """Generate a synthetic parallel corpus: simple English and an invented language."""
    written = write_corpus(folder, pairs=pairs, seed=seed, references=references, raw=raw)
    if json:
        console.print_json({"files": [str(path) for path in written]})
    else:
        for path in written:
            console.print_line(str(path))


@app.command
@declares({"Input": (*_LANGUAGES, "keep_markup")}, read=ReadOptions)
def convert(
    *files: InputsAndOutputs, read: ReadOptions, format: Format = None, to: To = None, json: Json = False
) -> None:
    """Convert a bilingual file to another format.

    A warning names data that the output format cannot hold. Fuzzy, untranslated and obsolete entries of
    catalogs are left out.
    """
    conversion = plan_conversion(files, from_format=format, to_format=to, options=read)
    refuse_json_beside(conversion, json)
    warn_of_losses(conversion)
    written = conversion.run(track=console.track)
    if json:
        console.print_json({"pairs": written, **conversion.to_dict()})
    else:
        note_written(conversion, written)


@app.command
@declares({"Input": _LANGUAGES, "Limits": _LIMITS}, read=ReadOptions, options=CheckOptions)
def check(
    *files: Annotated[str, Parameter(help="One TSV, PO, TMX or XLIFF file, or two files of plain text.")],
    read: ReadOptions,
    options: CheckOptions,
    format: Format = None,
    examples: Annotated[
        int, Parameter(metavar="N", group=_OUTPUT, help="Examples to show for each kind of finding.")
    ] = 3,
    list_all: Annotated[
        str | None,
        Parameter(
            name="--list",
            metavar="FILE",
            group=_OUTPUT,
            help="Write every finding to this TSV file: file, line, rule and detail.",
        ),
    ] = None,
    strict: Annotated[bool, Parameter(group=_OUTPUT, help="Exit with code 2 if anything was found.")] = False,
    json: Json = False,
) -> int:
    """Find suspicious sentence pairs in a bilingual corpus.

    Normal lengths, scripts and letter statistics are learned from the corpus itself.
    """
    corpus, report = check_files(
        files,
        options,
        read=read,
        format=format,
        examples=examples,
        table=list_all,
        track=console.track,
    )
    if json:
        paths = [str(path) for path in corpus.paths]
        console.print_json({"files": paths, "format": corpus.format.name, **report.to_dict()})
    else:
        _print_report(report)
    return _USERS_MISTAKE if strict and report.counts else 0


@app.command
@declares({"Input": (*_LANGUAGES, "keep_markup"), "Limits": _LIMITS}, read=ReadOptions, options=CheckOptions)
def clean(
    *files: InputsAndOutputs,
    read: ReadOptions,
    options: CheckOptions,
    format: Format = None,
    to: To = None,
    dropped: Annotated[
        str | None,
        Parameter(
            metavar="FILE", group=_OUTPUT, help="Write the dropped pairs and the reasons to this TSV file."
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        Parameter(
            metavar="RULE...",
            group=heading("Limits"),
            help="Keep pairs with these findings, such as separator.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Copy the sentence pairs that pass 'isogloss corpus check'."""
    conversion = plan_conversion(files, from_format=format, to_format=to, options=read)
    refuse_json_beside(conversion, json)
    warn_of_losses(conversion)
    report = clean_corpus(
        conversion,
        options,
        keep=keep or (),
        dropped=dropped,
        watch=lambda rows: console.track(rows, "pairs"),
    )
    if json:
        console.print_json(report.to_dict())
        return
    for reason, count in report.reasons.most_common():
        console.note(f"dropped for {reason}: {count:,}")
    note_written(conversion, report.kept)


@app.command
@declares({"Resources": ("threads",)}, resources=Threads)
def unknown(
    engine: Annotated[str, Parameter(help="Folder of the engine, as written by 'isogloss train'.")],
    text: Annotated[str, Parameter(help="Source text, one sentence per line.")],
    /,
    *,
    resources: Threads,
    output: Annotated[
        str | None,
        output_to("Write the list here instead of to standard output."),
    ] = None,
    details: Annotated[
        bool,
        Parameter(
            group=_OUTPUT,
            help="Write more columns: how often, what was done, the source words used, a sentence. "
            "Remove them before you use the list with --terms.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """List the words of a text that the engine does not know, the most frequent first.

    Writes a term list: the word, a tab and what became of it. Correct the translations, then use the list
    with 'isogloss translate --terms', or give it to 'isogloss correct' on standard input.
    """
    from isogloss.decoder import list_unknown_words, load
    from isogloss.io.streams import atomic_output, read_lines

    system = load(engine, corrections=True)
    found = list_unknown_words(system, read_lines(text), threads=resources.count)
    if json:
        console.print_json([one.to_dict() for one in found])
        return
    rows = [
        (
            one.word,
            one.translation or one.word,
            *((f"{one.count}", one.origin, one.used, one.example) if details else ()),
        )
        for one in found
    ]
    lines = ["\t".join(cell.replace("\t", " ") for cell in row) for row in rows]
    if output is None:
        for line in lines:
            console.print_line(line)
        return
    with atomic_output(output) as stream:
        stream.writelines(line + "\n" for line in lines)
    console.note(f"{len(found):,} unknown words written to {output}")


def _print_report(report: CheckReport) -> None:
    from rich.table import Table

    console.print_line(f"{report.pairs:,} pairs, {report.flagged:,} with findings")
    for reason, count in report.skipped.most_common():
        console.print_line(f"skipped, {reason}: {count:,}")
    if not report.counts:
        return
    table = Table("finding", "count", "what it is", box=None)
    table.columns[1].justify = "right"
    for rule, count in report.counts.most_common():
        table.add_row(rule, f"{count:,}", RULES[rule])
    console.print_table(table)
    for rule, _ in report.counts.most_common():
        for found in report.examples.get(rule, ()):
            console.print_line(f"{found.path}:{found.line}: {rule}: {found.detail}")


tokens.add_commands(app)
