"""Filter and prune rule tables: rules for a test set, significant rules."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.grammar.counting import batches
from isogloss.grammar.extraction import parallel_lines
from isogloss.grammar.options import Significance, thread_count
from isogloss.grammar.storage import RuleColumns, rule_scratch, steps, store_table
from isogloss.grammar.table import RuleTable
from isogloss.io.errors import ConfigError, OutputError
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath, read_lines

__all__ = ["copy_rules", "filter_table", "prune_table"]

_STEP = 500_000  # nodes of a table
_KEPT_ARRAYS = ("lexicon_offsets", "lexicon_targets", "lexicon_probabilities", "word_parts", "dictionary")


def filter_table(
    table: StrPath,
    output: StrPath,
    texts: Sequence[StrPath],
    *,
    max_span: int = 15,
    scratch: StrPath | None = None,
    track: Track = no_track,
) -> tuple[int, int]:
    """Copy the rules whose source side matches one of the texts; return the number of rules and source sides.

    Rules with non-terminals are kept if they match within ``max_span`` words, which must be at least the
    limit of the search.
    """
    if max_span < 1:
        raise ConfigError(f"max_span must be at least 1, got {max_span}")
    whole = RuleTable.open(table)
    marks = np.zeros(len(whole), np.uint8)
    for text in texts:
        lines = track(((line,) for line in read_lines(text)), "matching")
        for _, (batch,) in batches(iter(lines)):
            words, offsets = _engine.encode_text(whole.source_words, batch)
            with whole.report_corruption():
                whole.engine.mark_matching(words, offsets, max_span=max_span, marks=marks)
    return copy_rules(whole, marks, output, {"filtered_for_span": max_span}, scratch=scratch, track=track)


def prune_table(
    table: StrPath,
    output: StrPath,
    source: StrPath,
    target: StrPath,
    significance: Significance,
    *,
    threads: int = 0,
    scratch: StrPath | None = None,
    track: Track = no_track,
) -> tuple[int, int]:
    """Copy the rules that are significant in a corpus; return the number of rules and source sides.

    Use the corpus that the rules were extracted from. Sentence pairs that were too long for extraction are
    left out here too.
    """
    whole = RuleTable.open(table)
    values, pairs = rule_significance(whole, source, target, threads=threads, track=track)
    threshold = significance.threshold(pairs)
    marks = (values >= threshold).astype(np.uint8)
    return copy_rules(
        whole, marks, output, {"significance_threshold": threshold}, scratch=scratch, track=track
    )


def rule_significance(
    table: RuleTable, source: StrPath, target: StrPath, *, threads: int = 0, track: Track = no_track
) -> tuple[npt.NDArray[np.float64], int]:
    """-log p of Fisher's exact test for every rule, and the number of sentence pairs counted."""
    with table.report_corruption():
        extraction = table.attributes.get("extraction") or {}
        counts = _engine.CoOccurrence(
            table.engine,
            max_span=extraction.get("max_length", 10),
            max_sentence_length=extraction.get("max_sentence_length", 200),
            threads=thread_count(threads),
        )
    lines = track(parallel_lines(source, target), "counting co-occurrences")
    for _, (sources, targets) in batches(iter(lines)):
        words, offsets = _engine.encode_text(table.source_words, sources)
        target_words, target_offsets = _engine.encode_text(table.target_words, targets)
        with table.report_corruption():
            counts.add(words, offsets, target_words, target_offsets)
    with table.report_corruption():
        return counts.significance(), counts.pairs


def copy_rules(
    whole: RuleTable,
    marks: npt.NDArray[np.uint8],
    output: StrPath,
    attributes: Mapping[str, Any] = MappingProxyType({}),
    *,
    scratch: StrPath | None = None,
    track: Track = no_track,
) -> tuple[int, int]:
    """Copy the rules that are marked with 1; return numbers of rules and source sides."""
    if Path(output).exists() and Path(output).samefile(whole.path):
        raise OutputError("is the input table itself", output, "write the new table to another folder")
    with rule_scratch(scratch) as folder, contextlib.closing(RuleColumns(folder)) as columns:
        with whole.report_corruption():
            selection = _engine.TableSelection(whole.engine, marks)
            for _ in track(steps(selection.write, _STEP), "copying"):
                columns.append(selection.take_rows())
            words, ends = selection.phrases()
        columns.append({"phrase_words": words, "phrase_ends": ends})
        columns.put({name: whole.arrays[name] for name in _KEPT_ARRAYS if name in whole.arrays})
        store_table(
            output,
            columns,
            source_words=whole.source_words,
            target_words=whole.target_words,
            attributes={**_kept(whole.attributes), "sides": selection.sides, **attributes},
        )
    return selection.rules, selection.sides


def _kept(attributes: Any) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if name not in ("rules", "longest_probe")}
