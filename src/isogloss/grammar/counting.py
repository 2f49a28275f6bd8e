"""Hand an aligned corpus to the engine's rule extraction."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path

from isogloss import _engine
from isogloss.grammar.options import ExtractOptions
from isogloss.io.streams import StrPath, naming_file

__all__ = ["add_lines", "batches", "new_extraction"]

_MOST_BUFFER = 512 << 20  # larger sort buffers do not help
_BATCH = 2000  # sentence pairs handed to the engine at once


def new_extraction(
    folder: Path, options: ExtractOptions, memory_limit: int, threads: int
) -> _engine.RuleExtraction:
    """An extraction that keeps its temporary files in a folder."""
    return _engine.RuleExtraction(
        str(folder),
        memory=min(memory_limit // 2, _MOST_BUFFER),
        threads=threads,
        max_length=options.max_length,
        max_gaps=options.max_gaps,
        max_symbols=options.max_symbols,
        max_target_words=options.max_target_words,
        min_gap=options.min_gap,
        tight=options.tight,
        adjacent_gaps=options.adjacent_gaps,
        max_plain=options.max_plain,
        fractional=options.count == "fractional",
        max_sentence_length=options.max_sentence_length,
        orientation=_engine.OrientationModel[options.orientation],
        orientation_smoothing=options.orientation_smoothing,
        smoothing=_engine.Smoothing[options.smoothing.replace("-", "_")],
    )


def batches(lines: Iterator[tuple[str, ...]]) -> Iterator[tuple[int, list[bytes]]]:
    """Parallel lines in batches for the engine: the number of the first line and the joined lines of each
    file."""
    number = 1
    while batch := list(itertools.islice(lines, _BATCH)):
        yield number, ["\n".join(column).encode() for column in zip(*batch, strict=True)]
        number += len(batch)


def add_lines(
    extraction: _engine.RuleExtraction, lines: Iterable[tuple[str, ...]], links: StrPath, before: int = 0
) -> None:
    """Add lines of source, target and links; ``before`` is the number of lines before them."""
    for number, (sources, targets, points) in batches(iter(lines)):
        with naming_file(links):
            extraction.add(sources, targets, points, line=before + number)
