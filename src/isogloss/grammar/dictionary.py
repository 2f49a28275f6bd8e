"""A dictionary stored with a rule table: translations of words that are not from the training text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.grammar.storage import KIND, VERSION
from isogloss.grammar.table import RuleTable
from isogloss.io.streams import StrPath, read_lines
from isogloss.storage.folder import ArrayFolder, update_folder

__all__ = ["add_entries", "read_dictionary", "store_dictionary"]

Dictionary = dict[str, tuple[tuple[str, ...], ...]]
"""Translations of words, as tokens."""

_ARRAY = "dictionary"
_MOST_WORDS = 20  # in a translation
_MOST_TRANSLATIONS = 20


def add_entries(
    files: Mapping[str, Path], entries: Iterable[tuple[tuple[str, str], str]], folder: Path
) -> dict[str, Path]:
    """Write a training text (``source``, ``target``, ``links``) with the entries of a dictionary as further
    pairs into a folder, and return its files. An entry is a pair of tokenized sides and their links."""
    made = {name: folder / name for name in ("source", "target", "links")}
    rows = [(source, target, links) for (source, target), links in entries]
    for number, (name, path) in enumerate(made.items()):
        with path.open("w", encoding="utf-8") as stream:
            for line in chain(read_lines(files[name]), (row[number] for row in rows)):
                stream.write(f"{line}\n")
    return made


def store_dictionary(path: StrPath, pairs: Iterable[tuple[str, str]]) -> int:
    """Store tokenized entries with a table and return how many; entries of several source words are left
    out, because they are translated word by word."""
    kept = dict.fromkeys(
        (source, target)
        for source, target in pairs
        if len(source.split()) == 1 and 1 <= len(target.split()) <= _MOST_WORDS
    )
    lines = "".join(f"{source}\t{target}\n" for source, target in sorted(kept))

    def change(folder: ArrayFolder) -> tuple[dict[str, Any], tuple[str, ...], dict[str, Any]]:
        return {_ARRAY: np.array(bytearray(lines.encode()), np.uint8)}, (), dict(folder.attributes)

    update_folder(path, kind=KIND, version=VERSION, change=change)
    return len(kept)


def read_dictionary(table: RuleTable) -> Dictionary:
    """The dictionary of a table; empty if there is none."""
    if _ARRAY not in table.arrays:
        return {}
    found: dict[str, list[tuple[str, ...]]] = {}
    with table.report_corruption():
        for line in bytes(table.arrays[_ARRAY]).decode().split("\n")[:-1]:
            source, target = line.split("\t")
            found.setdefault(source, []).append(tuple(target.split(" ")))
    return {source: tuple(targets[:_MOST_TRANSLATIONS]) for source, targets in found.items()}
