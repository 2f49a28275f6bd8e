"""Alignment error rate against links made by hand (Och & Ney 2003)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from isogloss.align.links import Link
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.streams import StrPath, read_lines

__all__ = ["AlignmentScores", "GoldLinks", "check_gold", "read_gold", "score_alignments"]

_POINT = re.compile(r"([0-9]+)([-?p])([0-9]+)")


@dataclass(frozen=True, slots=True)
class GoldLinks:
    """The links of one sentence pair; the sure ones are possible too."""

    sure: frozenset[Link]
    possible: frozenset[Link]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignmentScores:
    """How an alignment compares with gold links."""

    error_rate: float
    """1 - (links that are sure + links that are possible) / (links + sure links)."""
    precision: float
    """Share of links that are possible."""
    recall: float
    """Share of sure links found."""
    links: int
    sure: int
    pairs: int


def read_gold(path: StrPath) -> list[GoldLinks]:
    """Read a line per sentence pair: ``i-j`` is a sure link, ``i?j`` (or ``ipj``) a possible one."""
    gold = []
    for number, line in enumerate(read_lines(path), start=1):
        sure, possible = set(), set()
        for point in line.split():
            match = _POINT.fullmatch(point)
            if match is None:
                raise DataFormatError(
                    f"'{point[:40]}' is not a gold link",
                    path,
                    number,
                    "write links as i-j (sure) or i?j (possible), source position first, counted from 0",
                )
            link = (int(match[1]), int(match[3]))
            possible.add(link)
            if match[2] == "-":
                sure.add(link)
        gold.append(GoldLinks(frozenset(sure), frozenset(possible)))
    return gold


def check_gold(
    gold: Sequence[GoldLinks], source_lengths: Sequence[int], target_lengths: Sequence[int], path: StrPath
) -> None:
    """Raise an error if gold links are outside sentences of these lengths."""
    if len(gold) != len(source_lengths):
        raise DataFormatError(
            f"{len(gold):,} lines for {len(source_lengths):,} sentence pairs",
            path,
            hint="give one line of links for each pair",
        )
    for number, (pair, rows, columns) in enumerate(zip(gold, source_lengths, target_lengths, strict=True), 1):
        for i, j in sorted(pair.possible):
            if i >= rows or j >= columns:
                raise DataFormatError(
                    f"link {i}-{j} is outside sentences of {rows} and {columns} words",
                    path,
                    number,
                    "the source position comes first: are source and target swapped?",
                )


def score_alignments(alignments: Iterable[Iterable[Link]], gold: Sequence[GoldLinks]) -> AlignmentScores:
    """Score an alignment of the same sentence pairs.

    >>> gold = [GoldLinks(frozenset({(0, 0)}), frozenset({(0, 0), (1, 1)}))]
    >>> score_alignments([[(0, 0), (1, 1)]], gold).error_rate
    0.0
    """
    pairs = [set(links) for links in alignments]
    if len(pairs) != len(gold):
        raise ConfigError(f"{len(pairs)} alignments cannot be compared with {len(gold)} lines of gold links")
    links = sum(map(len, pairs))
    sure = sum(len(pair.sure) for pair in gold)
    found_sure = sum(len(found & pair.sure) for found, pair in zip(pairs, gold, strict=True))
    found_possible = sum(len(found & pair.possible) for found, pair in zip(pairs, gold, strict=True))
    return AlignmentScores(
        error_rate=1 - (found_sure + found_possible) / (links + sure) if links + sure else 0.0,
        precision=found_possible / links if links else 1.0,
        recall=found_sure / sure if sure else 1.0,
        links=links,
        sure=sure,
        pairs=len(pairs),
    )
