"""The overlay: phrases of examples added to a memory, for immediate use in the search.

Weights alone cannot produce a word that no rule has. So added pairs are aligned, and their rules go into a
small table that the search uses in addition to the system's own; ``isogloss.decoder.added_rules`` makes it.

    MEMORY/aligner/     the alignment model of the memory
    MEMORY/overlay-…/   the rule table, made anew with every addition; the memory's manifest names it

Memories of earlier versions have it in MEMORY/overlay.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Sequence
from pathlib import Path

from isogloss.adapt.memory import OLD_OVERLAY, OVERLAY
from isogloss.adapt.segment import Example
from isogloss.align import AlignmentModel, LinkOptions
from isogloss.align.placeholder_links import mark_links
from isogloss.decoder.added_rules import add_rules
from isogloss.grammar.table import RuleTable
from isogloss.io.streams import StrPath

__all__ = ["give_aligner", "has_aligner", "remove_overlays", "write_overlay"]

_ALIGNER = "aligner"


def give_aligner(path: StrPath, aligner: AlignmentModel) -> None:
    """Store an alignment model in a memory, to align later additions."""
    aligner.save(Path(path) / _ALIGNER)


def has_aligner(path: Path) -> bool:
    """Whether a memory has an alignment model."""
    return (path / _ALIGNER).exists()


def write_overlay(path: Path, added: Sequence[Example], known: RuleTable) -> str:
    """Write the rules of added examples to a new folder of the memory; return its name, empty if there are
    no examples. ``known`` is the system's table, or an earlier overlay: their words have the same numbers."""
    if not added:
        return ""
    aligner = AlignmentModel.load(path / _ALIGNER)
    pairs = [(example.source, reference) for example in added for reference in example.references]
    links = [
        mark_links(one, *pair)
        for one, pair in zip(aligner.align_pairs(pairs, LinkOptions()), pairs, strict=True)
    ]
    name = f"overlay-{secrets.token_hex(4)}"
    add_rules(path / name, pairs, links, known)
    return name


def remove_overlays(path: Path, kept: str | None) -> None:
    """Remove the overlays that are not used, also those of killed writers. Readers that have one mapped keep
    it."""
    for item in path.iterdir():
        if item.name != kept and (item.name == OLD_OVERLAY or OVERLAY.fullmatch(item.name)):
            shutil.rmtree(item, ignore_errors=True)
