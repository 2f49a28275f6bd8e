"""The overlay: phrases of examples that were added to a memory, for the search to use at once.

Weights alone cannot produce a word that no rule has. So added pairs are aligned, and their rules are kept in
a small table, which the search reads beside the system's own. A pair that was added is certain where the
corpus is not: its rules have the probabilities they have among the additions alone. A single word that the
system's table translates keeps its translations; longer phrases and new words are taken over.

    MEMORY/aligner/   the alignment model that the memory was built with
    MEMORY/overlay/   the rule table, made anew with every addition from what the memory holds
"""

from __future__ import annotations

import shutil
from pathlib import Path

from isogloss.align import AlignmentModel, LinkOptions
from isogloss.corpus.streams import StrPath
from isogloss.errors import ConfigError
from isogloss.grammar.extraction import extract_rules
from isogloss.grammar.options import ExtractOptions
from isogloss.grammar.storage import scratch_folder
from isogloss.grammar.table import RuleTable
from isogloss.local.memory import Memory

__all__ = ["Overlay", "give_aligner", "update_overlay"]

_ALIGNER, _OVERLAY = "aligner", "overlay"
_LEAST_MEMORY = 64 << 20
_LONGEST = 40  # words of a phrase


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
    with scratch_folder(None) as scratch:
        links = [" ".join(f"{i}-{j}" for i, j in one) for one in aligner.align_pairs(pairs, LinkOptions())]
        texts = [[source for source, _ in pairs], [target for _, target in pairs], links]
        files = [scratch / name for name in ("source", "target", "links")]
        for file, lines in zip(files, texts, strict=True):
            file.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        source, target, alignment = files
        extract_rules(
            source,
            target,
            alignment,
            folder,
            _options(known),
            memory=_LEAST_MEMORY,
            threads=1,
            scratch=scratch,
            known=known,
        )


def _options(table: RuleTable) -> ExtractOptions:
    """Plain phrases, which every search can use, up to whole sentences: there are few of them."""
    made_with = table.attributes.get("extraction")
    if made_with is None:
        raise ConfigError(
            f"{table.path}: the rule table was not made by 'isogloss extract', so that nothing can be added "
            "to it; add examples with --no-overlay"
        )
    return ExtractOptions.for_grammar(
        "phrase",
        max_length=_LONGEST,
        orientation=made_with["orientation"],
        orientation_smoothing=made_with["orientation_smoothing"],
    )


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
