"""``isogloss corpus``: make, convert, check and clean bilingual text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from isogloss.cli import console, tokens
from isogloss.io.errors import ConfigError

if TYPE_CHECKING:
    from isogloss.corpus.check import CheckOptions, CheckReport
    from isogloss.corpus.formats import Conversion, PairFiles
    from isogloss.corpus.pairs import ReadOptions

__all__ = ["app"]

app = typer.Typer(
    help="Make, convert, check, clean and tokenize bilingual text.",
    no_args_is_help=True,
)

_FORMATS = "plain, tsv, po, tmx, xliff, xliff2"
_USERS_MISTAKE = 2

Inputs = Annotated[
    list[str],
    typer.Argument(metavar="FILES", help="One TSV, PO, TMX or XLIFF file, or two of plain text."),
]
InputsAndOutputs = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES",
        help="One file to read (TSV, PO, TMX, XLIFF) or two of plain text, then one or two to write.",
    ),
]
Format = Annotated[
    str | None,
    typer.Option("--format", help=f"Format of the input ({_FORMATS}); recognised if not given."),
]
To = Annotated[
    str | None,
    typer.Option("--to", help=f"Format of the output ({_FORMATS}); by the file's name if not given."),
]
SourceLanguage = Annotated[
    str, typer.Option("--source-language", help="Source language of a TMX or XLIFF file, such as en.")
]
TargetLanguage = Annotated[
    str, typer.Option("--target-language", help="Target language of a TMX or XLIFF file, such as pt-BR.")
]
Columns = Annotated[
    str | None,
    typer.Option("--columns", help="Columns of source and target in a TSV file, such as 2,4; else 1,2."),
]
KeepMarkup = Annotated[
    bool, typer.Option("--keep-markup", help="Keep tags inside segments of TMX and XLIFF as text.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
MaxRatio = Annotated[
    float,
    typer.Option("--max-ratio", help="How many times longer or shorter than usual a side may be."),
]
MaxWords = Annotated[int, typer.Option("--max-words", help="Words that a side may have.")]
MaxCharacters = Annotated[int, typer.Option("--max-characters", help="Characters that a side may have.")]
Patterns = Annotated[
    list[str] | None,
    typer.Option(
        "--pattern",
        metavar="REGEX",
        help="What no side may hold, such as '[0-9]', as a regular expression; repeatable.",
    ),
]

Placeholders = Annotated[
    str,
    typer.Option(
        "--placeholders",
        metavar="KINDS",
        help="Kinds that both sides must have the same of, with commas between: printf, braces, tags, "
        "entities, urls, emails, identifiers; catalog for the first four.",
    ),
]


@app.command()
def synthetic(
    folder: Annotated[Path, typer.Argument(help="New or empty folder for the files.")],
    pairs: Annotated[int, typer.Option(help="Sentence pairs of the training part.")] = 2000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same corpus.")] = 1,
    references: Annotated[int, typer.Option(help="Translations of each dev and test sentence.")] = 1,
    raw: Annotated[
        bool, typer.Option("--raw", help="Write text as people do, not tokens; without word alignment.")
    ] = False,
    json: Json = False,
) -> None:
    """Make a bilingual corpus out of nothing: simple English and an invented language."""
    from isogloss.corpus.synthetic.text import write_corpus

    written = write_corpus(folder, pairs=pairs, seed=seed, references=references, raw=raw)
    if json:
        console.print_json({"files": [str(path) for path in written]})
    else:
        for path in written:
            typer.echo(path)


@app.command()
def convert(
    files: InputsAndOutputs,
    format: Format = None,
    to: To = None,
    source_language: SourceLanguage = "",
    target_language: TargetLanguage = "",
    columns: Columns = None,
    keep_markup: KeepMarkup = False,
    json: Json = False,
) -> None:
    """Write a bilingual file in another format. What the format cannot carry is named first.

    Fuzzy, untranslated and obsolete entries of catalogs are not taken over.
    """
    from isogloss.corpus.formats import plan_conversion

    options = _read_options(source_language, target_language, columns, keep_markup)
    conversion = plan_conversion(files, from_format=format, to_format=to, options=options)
    _refuse_json_beside(conversion, json)
    _warn_of_losses(conversion)
    pairs = conversion.source.read(options, conversion.reading)
    written = conversion.run(console.track(pairs, "pairs"))
    if json:
        console.print_json(
            {
                "format": conversion.source.format.name,
                "to": conversion.target.format.name,
                "pairs": written,
                "skipped": dict(conversion.reading.skipped),
                "lost": conversion.losses(),
            }
        )
    else:
        _note_written(conversion, written)


@app.command()
def check(
    files: Inputs,
    format: Format = None,
    source_language: SourceLanguage = "",
    target_language: TargetLanguage = "",
    columns: Columns = None,
    max_ratio: MaxRatio = 4.0,
    max_words: MaxWords = 200,
    max_characters: MaxCharacters = 2000,
    placeholders: Placeholders = "none",
    pattern: Patterns = None,
    examples: Annotated[int, typer.Option(help="Lines to name for each kind of finding.")] = 3,
    list_all: Annotated[
        str | None,
        typer.Option("--list", metavar="FILE", help="Write all findings there: file, line, rule, detail."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with code 2 if anything was found; else the code is 0.")
    ] = False,
    json: Json = False,
) -> int:
    """Find what is wrong with a bilingual corpus, and in which lines.

    What is usual (lengths, scripts, the look of the languages) is learnt from the corpus itself.
    """
    from isogloss.corpus.check import Examination, check_corpus
    from isogloss.corpus.formats import split_files
    from isogloss.io.streams import atomic_outputs

    corpus, rest = split_files(files, format=format)
    if rest:
        raise ConfigError(f"one file too many: '{rest[0]}' after {' and '.join(map(str, corpus.paths))}")
    examination = Examination(
        corpus,
        _check_options(max_ratio, max_words, max_characters, pattern, placeholders),
        _read_options(source_language, target_language, columns),
    )
    with atomic_outputs([list_all] if list_all else []) as tables:
        report = check_corpus(
            examination,
            examples=examples,
            table=tables[0] if tables else None,
            watch=lambda rows: console.track(rows, "pairs"),
        )
    if json:
        console.print_json(_report_as_json(corpus, report))
    else:
        _print_report(report)
    return _USERS_MISTAKE if strict and report.counts else 0


@app.command()
def clean(
    files: InputsAndOutputs,
    dropped: Annotated[
        str | None,
        typer.Option("--dropped", metavar="FILE", help="Write a table of what was dropped and why (TSV)."),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", metavar="RULE", help="Finding that is no reason to drop a pair; repeatable."),
    ] = None,
    format: Format = None,
    to: To = None,
    source_language: SourceLanguage = "",
    target_language: TargetLanguage = "",
    columns: Columns = None,
    keep_markup: KeepMarkup = False,
    max_ratio: MaxRatio = 4.0,
    max_words: MaxWords = 200,
    max_characters: MaxCharacters = 2000,
    placeholders: Placeholders = "none",
    pattern: Patterns = None,
    json: Json = False,
) -> None:
    """Write the pairs in which 'isogloss corpus check' finds nothing wrong."""
    from isogloss.corpus.clean import clean_corpus
    from isogloss.corpus.formats import plan_conversion

    conversion = plan_conversion(
        files,
        from_format=format,
        to_format=to,
        options=_read_options(source_language, target_language, columns, keep_markup),
    )
    _refuse_json_beside(conversion, json)
    _warn_of_losses(conversion)
    report = clean_corpus(
        conversion,
        _check_options(max_ratio, max_words, max_characters, pattern, placeholders),
        keep=keep or (),
        dropped=dropped,
        watch=lambda rows: console.track(rows, "pairs"),
    )
    if json:
        reasons = dict(report.reasons.most_common())
        console.print_json({"kept": report.kept, "dropped": report.dropped, "reasons": reasons})
        return
    for reason, count in report.reasons.most_common():
        console.note(f"dropped for {reason}: {count:,}")
    _note_written(conversion, report.kept)


def _check_options(
    max_ratio: float, max_words: int, max_characters: int, patterns: list[str] | None, placeholders: str
) -> CheckOptions:
    from isogloss.corpus.check import CheckOptions
    from isogloss.corpus.placeholders import parse_kinds

    return CheckOptions(
        max_ratio=max_ratio,
        max_words=max_words,
        max_characters=max_characters,
        patterns=tuple(patterns or ()),
        placeholders=parse_kinds(placeholders),
    )


def _read_options(
    source_language: str, target_language: str, columns: str | None, keep_markup: bool = False
) -> ReadOptions:
    from isogloss.corpus.pairs import ReadOptions

    chosen = None
    if columns is not None:
        parts = columns.split(",")
        if len(parts) != 2 or not all(part.strip().isdecimal() for part in parts):
            raise ConfigError(f"--columns takes two numbers such as 2,4, got '{columns}'")
        chosen = (int(parts[0]), int(parts[1]))
    return ReadOptions(
        source_language=source_language,
        target_language=target_language,
        columns=chosen,
        keep_markup=keep_markup,
    )


def _refuse_json_beside(conversion: Conversion, json: bool) -> None:
    if json and "-" in map(str, conversion.target.paths):
        raise ConfigError("--json and the corpus cannot both go to standard output")


def _warn_of_losses(conversion: Conversion) -> None:
    if lost := conversion.losses():
        console.warn(f"not carried over, where there are any: {'; '.join(lost)}")


def _note_written(conversion: Conversion, written: int) -> None:
    for reason, count in conversion.reading.skipped.most_common():
        console.note(f"skipped, {reason}: {count:,}")
    if written == 0:
        console.warn("there was no pair to write")
    console.note(f"{' and '.join(map(str, conversion.target.paths))}: {written:,} pairs")


def _print_report(report: CheckReport) -> None:
    from isogloss.corpus.check import RULES

    typer.echo(f"{report.pairs:,} pairs, {report.flagged:,} with findings")
    for reason, count in report.skipped.most_common():
        typer.echo(f"skipped, {reason}: {count:,}")
    if not report.counts:
        return
    table = Table("finding", "count", "what it is", box=None)
    table.columns[1].justify = "right"
    for rule, count in report.counts.most_common():
        table.add_row(rule, f"{count:,}", RULES[rule])
    console.print_table(table)
    for rule, _ in report.counts.most_common():
        for found in report.examples.get(rule, ()):
            typer.echo(f"{found.path}:{found.line}: {rule}: {found.detail}")


def _report_as_json(corpus: PairFiles, report: CheckReport) -> dict[str, object]:
    return {
        "files": [str(path) for path in corpus.paths],
        "format": corpus.format.name,
        "pairs": report.pairs,
        "flagged": report.flagged,
        "skipped": dict(report.skipped),
        "findings": {
            rule: {
                "count": count,
                "examples": [
                    {"file": found.path, "line": found.line, "detail": found.detail}
                    for found in report.examples.get(rule, ())
                ],
            }
            for rule, count in report.counts.most_common()
        },
    }


tokens.add_commands(app)
