"""Rules of a few pairs that are more certain than the training text: corrections, examples that were added.

The pairs are aligned, and their rules are kept in a small table, which the search reads beside the system's
own (``Decoder.overlay``). They have the probabilities that they have among these pairs alone, and the longer
a source side is, the less its scores count. A single word that the system's table translates keeps its
translations; longer phrases and new words are taken over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from isogloss import _engine
from isogloss.align import AlignmentModel, LinkOptions
from isogloss.align.links import Link
from isogloss.align.placeholder_links import mark_links
from isogloss.decoder.sentence import split_words
from isogloss.grammar.extraction import extract_rules
from isogloss.grammar.options import ExtractOptions
from isogloss.grammar.storage import KIND, VERSION, rule_scratch
from isogloss.grammar.table import RuleTable
from isogloss.io.errors import ConfigError
from isogloss.storage.folder import add_arrays

__all__ = ["add_rules", "complete_links"]

_LEAST_MEMORY = 64 << 20
_LONGEST = 40  # words of a phrase
_TRUSTED = 4  # words, and one more: source sides of that length and above are certain


def add_rules(
    folder: Path, pairs: Sequence[tuple[str, str]], aligner: AlignmentModel, known: RuleTable
) -> None:
    """Store the rules of tokenized pairs as a table that numbers words as the table ``known`` does."""
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
    """Links that leave no word out: a word without links gets those of the nearest one that has some.

    Otherwise phrases that lack such a word would be as certain as those that have it.

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
    """Let scores count the less the more words the source side has: a long phrase is right anywhere."""
    table = RuleTable.open(folder)
    scores = np.array(table.arrays["scores"])
    for node in range(table.engine.node_count):
        first, last = table.engine.rules(node)
        if first < last:
            length = sum(symbol != _engine.GAP for symbol in table.engine.symbols(node))
            scores[first:last] *= max(0.0, 1 - (length - 1) / _TRUSTED)
    add_arrays(folder, kind=KIND, version=VERSION, arrays={"scores": scores})


def _options(table: RuleTable) -> ExtractOptions:
    """Plain phrases up to whole sentences, for there are few of them; and rules with gaps if there are any.

    Every occurrence counts 1: shared counts would make what is certain look doubtful.
    """
    made_with = table.attributes.get("extraction")
    if made_with is None:
        raise ConfigError(
            f"{table.path}: the rule table was not made by 'isogloss extract', so that nothing can be added "
            "to it; add examples with --no-overlay"
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
