"""Extract rules from an aligned corpus into a stored rule table."""

from __future__ import annotations

import contextlib
import itertools
import math
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from isogloss import _engine
from isogloss.corpus.plain import unequal_lines
from isogloss.grammar.counting import add_lines, new_extraction
from isogloss.grammar.options import ExtractOptions, Significance, thread_count
from isogloss.grammar.sharded_extraction import extract_shards
from isogloss.grammar.storage import RuleColumns, rule_scratch, steps, store_table
from isogloss.grammar.table import RuleTable
from isogloss.grammar.word_forms import store_word_forms
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.executor import Executor
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath, read_lines

__all__ = ["SCORE_COLUMNS", "ExtractReport", "extract_rules", "parallel_lines"]

SCORE_COLUMNS = (
    "target_given_source",
    "source_given_target",
    "target_given_source_lexical",
    "source_given_target_lexical",
)
"""The score columns of an extracted table, natural logarithms."""

_LEAST_MEMORY = 64 << 20
_STEP = 500_000  # rules


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractReport:
    """Statistics of an extraction."""

    pairs: int
    """Sentence pairs that rules were extracted from."""
    skipped: int
    """Sentence pairs left out because they are too long."""
    occurrences: int
    """Rules found, each occurrence counted."""
    rules: int
    """Distinct rules stored."""
    sides: int
    """Distinct source sides stored."""
    pruned: int
    """Distinct rules that were not significant enough."""


def extract_rules(
    source: StrPath,
    target: StrPath,
    alignment: StrPath,
    output: StrPath,
    options: ExtractOptions | None = None,
    *,
    significance: Significance | None = None,
    memory_limit: int = 1 << 30,
    threads: int = 0,
    scratch: StrPath | None = None,
    known: RuleTable | None = None,
    track: Track = no_track,
    executor: Executor | None = None,
) -> ExtractReport:
    """Extract, count and score the rules of an aligned corpus into a stored rule table.

    ``alignment`` holds links as ``source-target`` word positions counted from 0 (Pharaoh format).
    ``memory_limit`` bounds the memory for sorting, in bytes; the rest goes to the folder ``scratch``. 0
    ``threads`` means all processors. The result does not depend on either. Words of another table, ``known``,
    keep their ids, so that both tables can be used together. A distributed ``executor`` extracts on many
    machines, which must share the folder ``scratch``; the result does not depend on it either.
    """
    options = options or ExtractOptions()
    if memory_limit < _LEAST_MEMORY:
        raise ConfigError(f"memory_limit must be at least {_LEAST_MEMORY >> 20}M, got {memory_limit} bytes")
    threads = thread_count(threads)
    piped = [os.fspath(path) for path in (source, target, alignment)].count("-")
    if piped > 1:
        raise ConfigError("only one of source, target and links can be standard input")
    if piped and significance is not None:
        raise ConfigError("significance pruning reads the corpus twice: give files, not standard input")
    with rule_scratch(scratch) as folder:
        extraction = new_extraction(folder, options, memory_limit, threads)
        if known is not None:
            extraction.source_words.encode([known.source_words.words()])
            extraction.target_words.encode([known.target_words.words()])
        if executor is not None and executor.distributed:
            files = (source, target, alignment)
            extract_shards(extraction, files, folder, executor, options, memory_limit)
        else:
            lines = track(parallel_lines(source, target, alignment), "extracting rules")
            add_lines(extraction, lines, alignment)
        _check_count(extraction, source)
        whole = folder / "whole" if significance is not None else output
        _score(extraction, whole, options, folder, track)
        if options.word_forms:
            store_word_forms(whole)
        report = ExtractReport(
            pairs=extraction.pairs,
            skipped=extraction.skipped,
            occurrences=extraction.occurrences,
            rules=extraction.rules,
            sides=extraction.sides,
            pruned=0,
        )
        if significance is None:
            return report
        del extraction
        return _prune(report, whole, output, source, target, significance, threads, folder, track)


def parallel_lines(*paths: StrPath) -> Iterator[tuple[str, ...]]:
    """The lines of parallel files; files of different length are an error."""
    for number, lines in enumerate(itertools.zip_longest(*map(read_lines, paths)), start=1):
        if None in lines:
            ended = [line is None for line in lines]
            raise unequal_lines(paths[ended.index(True)], paths[ended.index(False)], number)
        yield lines


def _check_count(extraction: _engine.RuleExtraction, source: StrPath) -> None:
    if extraction.pairs == 0:
        found = "holds no lines" if extraction.skipped == 0 else "holds only sentence pairs that are too long"
        raise DataFormatError(found, source, hint="give a corpus of at least one sentence pair")


def _score(
    extraction: _engine.RuleExtraction, output: StrPath, options: ExtractOptions, folder: Path, track: Track
) -> None:
    with contextlib.closing(RuleColumns(folder)) as columns:
        for _ in track(steps(extraction.merge, _STEP), "merging counts"):
            pass
        total = math.ceil(extraction.rules / _STEP)
        for _ in track(steps(extraction.resolve, _STEP), "scoring target sides", total):
            words, ends = extraction.take_phrases()
            columns.append({"phrase_words": words, "phrase_ends": ends})
        for _ in track(steps(extraction.write, _STEP), "scoring source sides", total):
            columns.append(extraction.take_rows())
        offsets, targets, probabilities = extraction.lexicon()
        columns.put(
            {
                "lexicon_offsets": offsets,
                "lexicon_targets": targets,
                "lexicon_probabilities": probabilities,
            }
        )
        store_table(
            output,
            columns,
            source_words=extraction.source_words,
            target_words=extraction.target_words,
            attributes={
                "columns": list(SCORE_COLUMNS),
                "sides": extraction.sides,
                "pairs": extraction.pairs,
                "extraction": asdict(options),
                "discounts": list(extraction.discounts) if options.smoothing == "kneser-ney" else None,
            },
        )


def _prune(
    report: ExtractReport,
    whole: StrPath,
    output: StrPath,
    source: StrPath,
    target: StrPath,
    significance: Significance,
    threads: int,
    folder: Path,
    track: Track,
) -> ExtractReport:
    from isogloss.grammar.selection import prune_table

    rules, sides = prune_table(
        whole, output, source, target, significance, threads=threads, scratch=folder, track=track
    )
    return ExtractReport(
        pairs=report.pairs,
        skipped=report.skipped,
        occurrences=report.occurrences,
        rules=rules,
        sides=sides,
        pruned=report.rules - rules,
    )
