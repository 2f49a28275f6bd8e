"""A dictionary stored with a rule table: translations of words that are not from the training text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from isogloss.grammar.storage import KIND, VERSION
from isogloss.grammar.table import RuleTable
from isogloss.io.streams import StrPath
from isogloss.storage.folder import ArrayFolder, update_folder

__all__ = ["read_dictionary", "store_dictionary"]

Dictionary = dict[str, tuple[tuple[str, ...], ...]]
"""Translations of words, as tokens."""

_ARRAY = "dictionary"
_MOST_WORDS = 20  # in a translation
_MOST_TRANSLATIONS = 20


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
