"""``isogloss train``: from parallel text to a tuned, evaluated system."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isogloss.cli import console
from isogloss.io.errors import ConfigError

if TYPE_CHECKING:
    from isogloss.pipeline import Event, Trained
    from isogloss.tuning import TuneIteration

__all__ = ["train"]

_MANY_DROPPED = 0.2


class _Search(StrEnum):
    hiero = "hiero"
    phrase = "phrase"
    block = "block"


class _Punctuation(StrEnum):
    keep = "keep"
    remove = "remove"


class _Case(StrEnum):
    truecase = "truecase"
    usual = "usual"
    lowercase = "lowercase"
    keep = "keep"


def train(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="Folder of the system: a new one, or that of a run to continue or change."
        ),
    ],
    source: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Training text of the source language, a sentence per line, plain or packed; or one TSV, "
            "PO, TMX or XLIFF file with both languages.",
        ),
    ] = None,
    target: Annotated[str | None, typer.Option(metavar="FILE", help="Its translation, line by line.")] = None,
    dev_source: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Sentences to tune on.",
            show_default="the last pairs of the training text, which are then not trained on",
        ),
    ] = None,
    dev_target: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Their translation; give it again for further translators."),
    ] = None,
    test_source: Annotated[
        str | None, typer.Option(metavar="FILE", help="Sentences to report scores on.", show_default="none")
    ] = None,
    test_target: Annotated[
        list[str] | None, typer.Option(metavar="FILE", help="Their translation; repeatable.")
    ] = None,
    adapt_to: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Text to be translated, such as the source of a test set: rules are extracted only from "
            "training pairs that are like it (see 'isogloss sample'); repeatable.",
            show_default="all training pairs are used",
        ),
    ] = None,
    sample_coverage: Annotated[
        int | None,
        typer.Option(
            metavar="C",
            help="How often each n-gram of that text is covered by the chosen pairs.",
            show_default="10",
        ),
    ] = None,
    sample_size: Annotated[
        int | None,
        typer.Option(metavar="N", help="How many pairs are chosen.", show_default="as many as needed"),
    ] = None,
    extra_bitext: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SOURCE:TARGET",
            help="Further pairs that rules are extracted from, such as a development set: two files with a "
            "colon between; repeatable.",
        ),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="TOML file with any of these options and those of single stages; what is given on the "
            "command line counts more.",
        ),
    ] = None,
    search: Annotated[
        _Search | None,
        typer.Option(
            help="hiero: rules with gaps; phrase: plain phrases with jumps; block: phrases that may swap "
            "with a neighbour.",
            show_default="hiero",
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How to tune weights: online-mira (learns sparse features too), relevant-set (learns sparse "
            "features from the training text), mert, batch-mira, pro or another learner of n-best lists, or "
            "none; options may follow the name: NAME:KEY=VALUE,...",
            show_default="online-mira",
        ),
    ] = None,
    tuner: Annotated[
        str | None, typer.Option(metavar="NAME", help="Now called --method.", hidden=True)
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Passes over the development set, or of relevant-set over the training text.",
            show_default="8 for online-mira, 30 for relevant-set, else 10",
        ),
    ] = None,
    features: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Templates of sparse features, with commas between; none for dense features only.",
            show_default="six templates with online-mira, those of blocks with relevant-set, else none",
        ),
    ] = None,
    held_out_size: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Sentences at the end of the development set that are not learnt from but decide which "
            "iteration is the best.",
            show_default="0",
        ),
    ] = None,
    tuning_pairs: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Training pairs that are learnt from beside the development set.",
            show_default="0",
        ),
    ] = None,
    dev_size: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Training pairs to set aside for tuning if there is no --dev-source.",
            show_default="a tenth, at most 1000",
        ),
    ] = None,
    test_size: Annotated[
        int | None,
        typer.Option(metavar="N", help="Training pairs to set aside for testing.", show_default="0"),
    ] = None,
    tokenizer: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="moses, moses-hyphens (cuts words at hyphens), characters, fugashi (Japanese), jieba "
            "(Chinese), or none for tokenised text.",
            show_default="moses",
        ),
    ] = None,
    source_tokenizer: Annotated[
        str | None, typer.Option(metavar="NAME", help="For the source language, if another.")
    ] = None,
    target_tokenizer: Annotated[
        str | None, typer.Option(metavar="NAME", help="For the target language, if another.")
    ] = None,
    source_language: Annotated[
        str | None,
        typer.Option(metavar="CODE", help="Such as de.", show_default="the ending of the file's name, or en"),
    ] = None,
    target_language: Annotated[
        str | None,
        typer.Option(metavar="CODE", help="Such as en.", show_default="the ending of the file's name, or en"),
    ] = None,
    case: Annotated[
        _Case | None,
        typer.Option(
            help="truecase: the first word of a sentence as it is written inside sentences; usual: every "
            "word in its most frequent form; lowercase: everything small; keep.",
            show_default="truecase; keep without a tokenizer",
        ),
    ] = None,
    placeholders: Annotated[
        str | None,
        typer.Option(
            metavar="KINDS",
            help="Kinds of placeholders that a translation must have exactly as often as its source, with "
            "commas between: printf, braces, tags, entities, urls, emails, identifiers; catalog for the "
            "first four; or none.",
            show_default="catalog if the training text is a PO or XLIFF file",
        ),
    ] = None,
    source_case: Annotated[
        _Case | None, typer.Option(help="For the source language, if another.", show_default=False)
    ] = None,
    target_case: Annotated[
        _Case | None, typer.Option(help="For the target language, if another.", show_default=False)
    ] = None,
    source_punctuation: Annotated[
        _Punctuation | None,
        typer.Option(
            help="remove: leave punctuation out of the source side, for speech; the target side restores it.",
            show_default="keep",
        ),
    ] = None,
    isolate_script: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Split source words where this script begins and ends: arabic, …"),
    ] = None,
    pattern: Annotated[
        list[str] | None,
        typer.Option(
            metavar="REGEX", help="Leave out training pairs of which a side matches it; repeatable."
        ),
    ] = None,
    source_column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE",
            help="Another way for sparse features to see source words, such as parts of speech: lines of a "
            "word, a tab and its values; repeatable.",
        ),
    ] = None,
    target_column: Annotated[
        list[str] | None, typer.Option(metavar="NAME=FILE", help="The same for target words; repeatable.")
    ] = None,
    lm_order: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Words in the longest n-grams of the language model.", show_default="5"
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Of all random numbers.", show_default="1")
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Threads; 0 uses all processors. Results do not depend on it.",
            show_default="0",
        ),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Memory that counting and sorting may use, such as 500M or 4G.",
            show_default="4G",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Make a translation system from parallel text: clean, tokenise, align, extract, tune, evaluate, report.

    A run that was stopped goes on where it stopped when the same command is given again; with an option
    changed, only what depends on it is done again. Then: isogloss translate DIR.
    """
    from isogloss.cli.sizes import parse_size
    from isogloss.corpus.placeholders import parse_kinds
    from isogloss.pipeline import train as train_system
    from isogloss.pipeline.train_config import make_options, read_config

    settings = {} if config is None else read_config(config)
    given: dict[str, Any] = {
        "source": source,
        "target": target,
        "dev_source": dev_source,
        "dev_target": dev_target,
        "test_source": test_source,
        "test_target": test_target,
        "search": search and search.value,
        "method": method,
        "tuner": tuner,
        "held_out_size": held_out_size,
        "tuning_pairs": tuning_pairs,
        "dev_size": dev_size,
        "test_size": test_size,
        "tokenizer": tokenizer,
        "source_tokenizer": source_tokenizer,
        "target_tokenizer": target_tokenizer,
        "source_language": source_language,
        "target_language": target_language,
        "case": case and case.value,
        "placeholders": None if placeholders is None else parse_kinds(placeholders),
        "source_case": source_case and source_case.value,
        "target_case": target_case and target_case.value,
        "source_punctuation": source_punctuation and source_punctuation.value,
        "isolate_script": isolate_script,
        "adapt_to": adapt_to,
        "extra_bitext": [_two_files(files) for files in extra_bitext or ()],
        "seed": seed,
        "threads": threads,
        "memory": memory,
    }
    settings |= {name: value for name, value in given.items() if value not in (None, [])}
    if iterations is not None:
        settings["tune"] = {**settings.get("tune", {}), "iterations": iterations}
    if lm_order is not None:
        settings["lm"] = {**settings.get("lm", {}), "order": lm_order}
    if pattern:
        settings["clean"] = {**settings.get("clean", {}), "patterns": pattern}
    for name, number in (("coverage", sample_coverage), ("size", sample_size)):
        if number is not None:
            settings["sample"] = {**settings.get("sample", {}), name: number}
    for name, columns in (("source_columns", source_column), ("target_columns", target_column)):
        if columns:
            settings[name] = {**settings.get(name, {}), **dict(map(_column, columns))}
    if features is not None:
        names = [] if features == "none" else [name.strip() for name in features.split(",")]
        usual = _default_features()
        for side in ("source", "target"):
            usual[f"{side}_types"] += list(settings.get(f"{side}_columns", ()))
        settings["features"] = {**usual, **settings.get("features", {}), "templates": names}
    size = settings.get("memory", "4G")
    trained = train_system(
        folder,
        make_options(settings, console.note),
        threads=settings.get("threads", 0),
        memory=size if isinstance(size, int) else parse_size(size),
        track=console.track,
        progress=_say,
        warn=console.warn,
        report=_say_iteration,
    )
    if json:
        console.print_json(_as_json(trained))
    else:
        _print(trained)


def _two_files(written: str) -> list[str]:
    source, colon, target = written.rpartition(":")
    if not colon or not source or not target:
        raise ConfigError(f"--extra-bitext takes two files with a colon between, got '{written}'")
    return [source, target]


def _column(written: str) -> tuple[str, str]:
    name, equals, file = written.partition("=")
    if not equals or not name or not file:
        raise ConfigError(f"a column is written NAME=FILE, got '{written}'")
    return name, file


def _default_features() -> dict[str, Any]:
    from isogloss.pipeline.train_options import DEFAULT_FEATURES

    return DEFAULT_FEATURES.to_json()


def _say(event: Event) -> None:
    place = f"[{event.number}/{event.total}] {event.stage}"
    if event.what == "done" and event.record is not None:
        record = event.record
        console.note(f"{place}: {_duration(record.wall_seconds)}, {record.peak_bytes / 1e6:,.0f} MB")
    elif event.what == "kept":
        console.note(f"{place}: done before")
    elif event.what == "started":
        console.note(place)


def _say_iteration(step: TuneIteration) -> None:
    held_out = "" if step.held_out_score is None else f", held out {step.held_out_score:.2f}"
    features = f", {step.active_features:,} sparse features" if step.active_features else ""
    console.note(f"  iteration {step.iteration}: BLEU {step.dev_score:.2f}{held_out}{features}")
    for collision in step.collisions:
        console.warn(collision)


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min"


def _as_json(trained: Trained) -> dict[str, Any]:
    return {
        "folder": str(trained.folder),
        "results": trained.results,
        "tuning": trained.history,
        "cleaning": trained.cleaning,
        "stages": [
            {
                "stage": record.stage,
                "wall_seconds": record.wall_seconds,
                "cpu_seconds": record.cpu_seconds,
                "peak_bytes": record.peak_bytes,
                "output_bytes": record.output_bytes,
            }
            for record in trained.records
        ],
        "report": str(trained.report),
    }


def _print(trained: Trained) -> None:
    from rich.table import Table

    table = Table("set", "sentences", "metric", "score", "95% interval", box=None)
    for name, found in trained.results.items():
        for metric, score in found["scores"].items():
            low, high = score["interval"]
            table.add_row(
                name,
                f"{found['sentences']:,}",
                metric,
                f"{score['score']:.2f}",
                f"{low:.2f} to {high:.2f}",
            )
    console.print_table(table)
    cleaning = trained.cleaning
    pairs = cleaning["kept"] + cleaning["dropped"]
    if cleaning["dropped"] > _MANY_DROPPED * pairs:
        console.warn(
            f"{cleaning['dropped']:,} of {pairs:,} training pairs were dropped; "
            f"{trained.folder / 'work/clean/dropped.tsv'} says why"
        )
    seconds = sum(record.wall_seconds for record in trained.records)
    peak = max(record.peak_bytes for record in trained.records)
    console.note(f"{_duration(seconds)} in all, at most {peak / 1e6:,.0f} MB; details: {trained.report}")
    console.note(f"translate with: isogloss translate {trained.folder} < TEXT")
