"""Rule tables as text: Moses phrase and reordering tables, Hiero grammars."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from isogloss import _engine
from isogloss.grammar.storage import RuleColumns, rule_scratch, steps, store_table
from isogloss.grammar.table import RuleTable
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath, atomic_outputs, naming_file, read_lines

__all__ = ["ImportReport", "TableOrientation", "TextFormat", "export_rules", "import_rules"]

TextFormat = Literal["moses", "hiero"]
TableOrientation = Literal["hier", "phrase", "word"]

_MOSES_COLUMNS = (
    "source_given_target",
    "source_given_target_lexical",
    "target_given_source",
    "target_given_source_lexical",
)
_NODES = 20_000  # printed at once
_BATCH = 20_000  # lines
_STEP = 500_000  # rules


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """Statistics of an import."""

    rules: int
    """Rules stored."""
    sides: int
    """Distinct source sides stored."""
    left_out: int
    """Rules whose target side is not words followed by non-terminals, or that have no source word."""
    without_orientation: int
    """Rules missing in the reordering table; their orientations are equally likely."""


def export_rules(
    table: StrPath,
    output: StrPath,
    *,
    format: str = "moses",
    reordering: StrPath | None = None,
    track: Track = no_track,
) -> int:
    """Write a stored table as text and return the number of rules.

    ``moses``: probabilities in Moses's order (source given target, its lexical weight, target given source,
    its lexical weight), links, counts; ``reordering`` takes the reordering table. ``hiero``: the columns'
    logarithms by name, orientation among them.
    """
    _check_format(format)
    rules = RuleTable.open(table)
    columns = list(enumerate(rules.columns))
    if format == "moses" and set(rules.columns) == set(_MOSES_COLUMNS):
        columns = [(rules.columns.index(name), name) for name in _MOSES_COLUMNS]
    if reordering is not None and format != "moses":
        raise ConfigError("a reordering table can only be exported with a Moses phrase table")
    if reordering is not None and not rules.has_orientation:
        raise ConfigError(
            f"{rules.path} has no orientation probabilities, so no reordering table can be written"
        )
    outputs = [output] if reordering is None else [output, reordering]
    with atomic_outputs(outputs) as (text, *others):
        for chunk in _printed(rules, _engine.RuleFormat[format], columns, "writing rules", track):
            text.write(chunk)
        for other in others:
            style = _engine.RuleFormat.moses_orientation
            for chunk in _printed(rules, style, [], "writing orientations", track):
                other.write(chunk)
    return len(rules)


def _printed(
    rules: RuleTable,
    format: _engine.RuleFormat,
    columns: list[tuple[int, str]],
    description: str,
    track: Track,
) -> Iterator[str]:
    nodes = rules.engine.node_count
    for begin in track(range(0, nodes, _NODES), description, math.ceil(nodes / _NODES)):
        with rules.report_corruption():
            with _unwritable_named(rules):
                text = rules.engine.print(
                    rules.source_words,
                    rules.target_words,
                    format=format,
                    columns=columns,
                    begin=begin,
                    end=min(begin + _NODES, nodes),
                )
            chunk = text.decode()
        yield chunk


@contextlib.contextmanager
def _unwritable_named(rules: RuleTable) -> Iterator[None]:
    """Distinguish what a format cannot express from a damaged table."""
    try:
        yield
    except ValueError as error:
        if str(error).startswith("rule table:"):
            raise
        raise ConfigError(f"{rules.path}: {error}") from None


def import_rules(
    path: StrPath,
    output: StrPath,
    *,
    format: str = "moses",
    reordering: StrPath | None = None,
    orientation: str = "hier",
    memory_limit: int = 1 << 30,
    scratch: StrPath | None = None,
    track: Track = no_track,
) -> ImportReport:
    """Read a Moses phrase table or a Hiero grammar, in any order, into a stored table.

    Hiero values are used unchanged (give logarithms); Moses probabilities are converted to logarithms. The
    first rule determines the number and names of the values. ``orientation`` tells what the orientations of
    the reordering table are measured against: ``hier``, ``phrase`` or ``word``.
    """
    _check_format(format)
    if orientation not in get_args(TableOrientation):
        known = ", ".join(get_args(TableOrientation))
        raise ConfigError(f"orientation must be one of {known}, got {orientation!r}")
    if reordering is not None and format != "moses":
        raise ConfigError("a reordering table can only be imported with a Moses phrase table")
    with rule_scratch(scratch) as folder:
        rules = _engine.RuleImport(str(folder), memory=memory_limit // 2)
        _read(rules, path, _engine.RuleFormat[format], "reading rules", track)
        left_out = rules.left_out
        if reordering is not None:
            style = _engine.RuleFormat.moses_orientation
            _read(rules, reordering, style, "reading orientations", track)
        with contextlib.closing(RuleColumns(folder)) as columns:
            attributes = {"imported_from": format, "orientation": orientation}
            _lay_out(rules, columns, path, reordering, output, format, attributes, track)
        return ImportReport(
            rules=rules.rules,
            sides=rules.sides,
            left_out=left_out,
            without_orientation=rules.without_orientation if reordering is not None else 0,
        )


def _read(
    rules: _engine.RuleImport, path: StrPath, format: _engine.RuleFormat, description: str, track: Track
) -> None:
    lines, number = iter(track(read_lines(path), description)), 1
    while batch := list(itertools.islice(lines, _BATCH)):
        with naming_file(path):
            rules.add("\n".join(batch).encode(), line=number, format=format)
        number += len(batch)
    if number == 1:
        raise DataFormatError("the file is empty", path, hint="give a table with at least one rule")


def _lay_out(
    rules: _engine.RuleImport,
    columns: RuleColumns,
    path: StrPath,
    reordering: StrPath | None,
    output: StrPath,
    format: str,
    attributes: Mapping[str, str],
    track: Track,
) -> None:
    try:
        for _ in track(steps(rules.merge, _STEP), "sorting"):
            pass
    except _engine.LineError as error:
        problem, line, hint = error.args
        wrong = reordering if rules.in_orientation and reordering is not None else path
        raise DataFormatError(problem, wrong, line, hint) from None
    names = _column_names(rules.columns, format)
    best = names.index("target_given_source") if "target_given_source" in names else 0
    for _ in track(steps(rules.resolve, _STEP), "sorting target sides"):
        words, ends = rules.take_phrases()
        columns.append({"phrase_words": words, "phrase_ends": ends})
    for _ in track(steps(lambda limit: rules.write(limit, best), _STEP), "laying out"):
        columns.append(rules.take_rows())
    store_table(
        output,
        columns,
        source_words=rules.source_words,
        target_words=rules.target_words,
        attributes={"columns": names, "sides": rules.sides, **attributes},
    )


def _column_names(names: list[str], format: str) -> list[str]:
    if format == "moses" and len(names) >= len(_MOSES_COLUMNS):
        return [*_MOSES_COLUMNS, *(f"score_{i}" for i in range(len(_MOSES_COLUMNS), len(names)))]
    return [name or f"score_{i}" for i, name in enumerate(names)]


def _check_format(format: str) -> None:
    if format not in get_args(TextFormat):
        raise ConfigError(f"format must be one of {', '.join(get_args(TextFormat))}, got {format!r}")
