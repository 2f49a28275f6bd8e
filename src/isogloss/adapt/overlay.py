"""The overlay: phrases of examples added to a memory, for immediate use in the search.

Weights alone cannot produce a word that no rule has. So added pairs are aligned, and their rules go into a
small table that the search uses in addition to the system's own. Added pairs are more reliable than the
corpus: their rules have the probabilities estimated on the additions alone, and scores count less the longer
a source side is. A single word that the system's table translates keeps its translations; longer phrases and
new words are added.

    MEMORY/aligner/   the alignment model of the memory
    MEMORY/overlay/   the rule table, rebuilt from the memory with every addition
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from isogloss import _engine
from isogloss.adapt.memory import Memory
from isogloss.align import AlignmentModel, LinkOptions
from isogloss.align.links import Link
from isogloss.align.placeholder_links import mark_links
from isogloss.decoder.sentence import split_words
from isogloss.grammar.extraction import extract_rules
from isogloss.grammar.options import ExtractOptions
from isogloss.grammar.storage import KIND, VERSION, rule_scratch
from isogloss.grammar.table import RuleTable
from isogloss.io.errors import ConfigError
from isogloss.io.streams import StrPath
from isogloss.storage.folder import add_arrays

__all__ = ["Overlay", "give_aligner", "update_overlay"]

_ALIGNER, _OVERLAY = "aligner", "overlay"
_LEAST_MEMORY = 64 << 20
_LONGEST = 40  # maximum phrase length in words
_TRUSTED = 4  # source sides of this length (in words, plus one) and above are certain


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
    with rule_scratch(None) as scratch:
        aligned = aligner.align_pairs(pairs, LinkOptions())
        complete = [
            complete_links(mark_links(one, *pair), *map(_count, pair))
            for one, pair in zip(aligned, pairs, strict=True)
        ]
        links = [" ".join(f"{i}-{j}" for i, j in one) for one in complete]
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
            memory_limit=_LEAST_MEMORY,
            threads=1,
            scratch=scratch,
            known=known,
        )
    _trust_long_phrases(folder)


def complete_links(links: Sequence[Link], sources: int, targets: int) -> list[Link]:
    """Link every word: a word without links gets those of the nearest linked word.

    Otherwise phrases without such a word would be as certain as those with it.

    >>> complete_links([(0, 0), (2, 3)], 3, 4)
    [(0, 0), (0, 1), (1, 0), (2, 2), (2, 3)]
    """
    if not links:
        return [(i, j) for i in range(sources) for j in range(targets)]
    found = set(links)
    for side, count in ((0, sources), (1, targets)):
        linked = sorted({link[side] for link in links})
        for word in set(range(count)) - set(linked):
            nearest = min(linked, key=lambda other: (abs(other - word), other))
            for link in links:
                if link[side] == nearest:
                    found.add((word, link[1]) if side == 0 else (link[0], word))
    return sorted(found)


def _count(text: str) -> int:
    return len(split_words(text))


def _trust_long_phrases(folder: Path) -> None:
    """Reduce scores with the length of the source side: a long phrase is right in any context."""
    table = RuleTable.open(folder)
    scores = np.array(table.arrays["scores"])
    for node in range(table.engine.node_count):
        first, last = table.engine.rules(node)
        if first < last:
            length = sum(symbol != _engine.GAP for symbol in table.engine.symbols(node))
            scores[first:last] *= max(0.0, 1 - (length - 1) / _TRUSTED)
    add_arrays(folder, kind=KIND, version=VERSION, arrays={"scores": scores})


def _options(table: RuleTable) -> ExtractOptions:
    """Phrases up to whole sentences, because there are few, and rules with non-terminals if the system has
    them.

    With unit counts: fractional counts would make reliable rules look doubtful.
    """
    made_with = table.attributes.get("extraction")
    if made_with is None:
        raise ConfigError(
            f"{table.path}: rules can only be added to a rule table made by 'isogloss extract'; add examples "
            "with --no-overlay"
        )
    if made_with["max_gaps"] == 0:
        return ExtractOptions.for_grammar(
            "phrase",
            max_length=_LONGEST,
            orientation=made_with["orientation"],
            orientation_smoothing=made_with["orientation_smoothing"],
        )
    return replace(
        ExtractOptions(**made_with), max_plain=_LONGEST, tight=False, count="unit", smoothing="none"
    )


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
