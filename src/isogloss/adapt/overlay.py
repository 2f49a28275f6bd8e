"""The overlay: phrases of examples that were added to a memory, for the search to use at once.

Weights alone cannot produce a word that no rule has. So added pairs are aligned, and their rules are kept in
a small table, which the search reads beside the system's own; ``isogloss.decoder.added_rules`` makes it.

    MEMORY/aligner/   the alignment model that the memory was built with
    MEMORY/overlay/   the rule table, made anew with every addition from what the memory holds
"""

from __future__ import annotations

import shutil
from pathlib import Path

from isogloss.adapt.memory import Memory
from isogloss.align import AlignmentModel
from isogloss.decoder.added_rules import add_rules
from isogloss.grammar.table import RuleTable
from isogloss.io.streams import StrPath

__all__ = ["Overlay", "give_aligner", "update_overlay"]

_ALIGNER, _OVERLAY = "aligner", "overlay"


def give_aligner(path: StrPath, aligner: AlignmentModel) -> None:
    """Let a memory align what is added to it."""
    aligner.save(Path(path) / _ALIGNER)


def update_overlay(memory: Memory, rules: RuleTable | None = None) -> None:
    """Make the overlay of a memory anew; nothing happens if it has no aligner.

    ``rules`` is the system's table; without it the words are numbered as the overlay so far numbers them.
    """
    folder = memory.path / _OVERLAY
    if not (memory.path / _ALIGNER).exists() or (rules is None and not folder.exists()):
        return
    known = RuleTable.open(folder) if rules is None else rules
    added = memory.added()
    if not added:
        shutil.rmtree(folder, ignore_errors=True)
        return
    aligner = AlignmentModel.load(memory.path / _ALIGNER)
    pairs = [(example.source, reference) for example in added for reference in example.references]
    add_rules(folder, pairs, aligner, known)


class Overlay:
    """The overlay of a memory as it is now."""

    def __init__(self, path: StrPath) -> None:
        self._folder = Path(path) / _OVERLAY
        self._seen: tuple[int, int] | None = None
        self._table: RuleTable | None = None

    def table(self) -> RuleTable | None:
        """The rule table, or None if there is none; the same object until it changes."""
        try:
            facts = (self._folder / "manifest.json").stat()
        except OSError:
            self._seen = self._table = None
            return None
        stamp = facts.st_mtime_ns, facts.st_ino
        if stamp != self._seen:
            self._table = RuleTable.open(self._folder)
            self._seen = stamp
        return self._table
