"""The overlay: phrases of examples added to a memory, for immediate use in the search.

Weights alone cannot produce a word that no rule has. So added pairs are aligned, and their rules go into a
small table that the search uses in addition to the system's own; ``isogloss.decoder.added_rules`` makes it.

    MEMORY/aligner/   the alignment model of the memory
    MEMORY/overlay/   the rule table, rebuilt from the memory with every addition
"""

from __future__ import annotations

import shutil
from pathlib import Path

from isogloss.adapt.memory import Memory
from isogloss.align import AlignmentModel, LinkOptions
from isogloss.align.placeholder_links import mark_links
from isogloss.decoder.added_rules import add_rules
from isogloss.grammar.table import RuleTable
from isogloss.io.streams import StrPath

__all__ = ["Overlay", "give_aligner", "update_overlay"]

_ALIGNER, _OVERLAY = "aligner", "overlay"


def give_aligner(path: StrPath, aligner: AlignmentModel) -> None:
    """Store an alignment model in a memory, to align later additions."""
    aligner.save(Path(path) / _ALIGNER)


def update_overlay(memory: Memory, rules: RuleTable | None = None) -> None:
    """Rebuild the overlay of a memory; does nothing if the memory has no aligner.

    ``rules`` is the system's table; without it, word ids are those of the existing overlay.
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
    links = [
        mark_links(one, *pair)
        for one, pair in zip(aligner.align_pairs(pairs, LinkOptions()), pairs, strict=True)
    ]
    add_rules(folder, pairs, links, known)


class Overlay:
    """The current overlay of a memory."""

    def __init__(self, path: StrPath) -> None:
        self._folder = Path(path) / _OVERLAY
        self._seen: tuple[int, int] | None = None
        self._table: RuleTable | None = None

    def table(self) -> RuleTable | None:
        """The rule table, or None; the same object until it changes."""
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
