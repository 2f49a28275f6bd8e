"""Rules of a few pairs that are more certain than the training text: corrections, examples that were added.

The pairs are aligned, and their rules are kept in a small table, which the search reads beside the system's
own (``Decoder.overlay``). A single word that the system's table translates keeps its translations; longer
phrases and new words are taken over. There are two ways to make such a table:

- Examples of a memory: rules have the probabilities that they have among these pairs alone, and the longer a
  source side is, the less its scores count.
- Corrections, of which it is known what the system made of their sources: only rules that have to do with
what
  was changed, and a source side that the system knows well keeps its translations the more, the better it is
  known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.align import AlignmentModel, LinkOptions
from isogloss.align.links import Link
from isogloss.align.placeholder_links import mark_links
from isogloss.decoder.sentence import split_words
from isogloss.grammar.extraction import SCORE_COLUMNS, extract_rules
from isogloss.grammar.options import ExtractOptions
from isogloss.grammar.selection import copy_rules
from isogloss.grammar.storage import KIND, VERSION, rule_scratch
from isogloss.grammar.table import RuleTable
from isogloss.io.errors import ConfigError
from isogloss.storage.folder import add_arrays

__all__ = ["add_rules", "complete_links"]

_LEAST_MEMORY = 64 << 20
_LONGEST = 40  # words of a phrase
_WORTH = 10  # pairs of the training text
_TARGET_GIVEN_SOURCE, _OF_SOURCE = (
    SCORE_COLUMNS.index("target_given_source"),
    1,
)  # columns of scores and counts
_TRUSTED = 4  # words, and one more: source sides of that length and above are certain


def add_rules(
    folder: Path,
    pairs: Sequence[tuple[str, str]],
    aligner: AlignmentModel,
    known: RuleTable,
    drafts: Sequence[str] | None = None,
) -> None:
    """Store the rules of tokenized pairs as a table that numbers words as the table ``known`` does.

    ``drafts`` are the system's own translations of the sources. With them, only rules are kept that have to
    do with what the pair changes in its draft; what the draft has too, the system knows from more examples.
    """
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
            folder if drafts is None else scratch / "rules",
            _options(known),
            memory_limit=_LEAST_MEMORY,
            threads=1,
            scratch=scratch,
            known=known,
        )
        if drafts is not None:
            table = RuleTable.open(scratch / "rules")
            changed = [
                changed_words(draft, pair[1], found)
                for draft, pair, found in zip(drafts, pairs, complete, strict=True)
            ]
            marks = _about_changes(table, [source for source, _ in pairs], changed)
            copy_rules(table, marks, folder, scratch=scratch)
    if drafts is None:
        _trust_long_phrases(folder)
    else:
        _doubt_frequent_phrases(folder, known)


def changed_words(draft: str, target: str, links: Sequence[Link]) -> set[int]:
    """Places of source words whose translation in the draft differs from that in the target.

    >>> sorted(changed_words("the big house", "the great house", [(0, 0), (1, 1), (2, 2)]))
    [1]
    """
    words = split_words(target)
    changed: set[int] = set()
    compared = SequenceMatcher(None, split_words(draft), words, autojunk=False)
    for what, _, _, begin, end in compared.get_opcodes():
        if what == "delete":  # the words that stand beside the gap now
            changed |= {begin - 1, begin}
        elif what != "equal":
            changed |= set(range(begin, end))
    return {source for source, place in links if place in changed}


def _about_changes(
    table: RuleTable, sources: Sequence[str], changed: Sequence[set[int]]
) -> npt.NDArray[np.uint8]:
    """Marks rules whose source side covers a changed word, in its place or, beside a gap, as such."""
    phrases: set[tuple[int, ...]] = set()
    single: set[int] = set()
    numbered, offsets = _engine.encode_text(table.source_words, "\n".join(sources).encode())
    numbers = [numbered[a:b].tolist() for a, b in pairwise(offsets.tolist())]
    for line, places in zip(numbers, changed, strict=True):
        single |= {line[place] for place in places}
        for begin in range(len(line)):
            inside = [place for place in places if place >= begin]
            if inside:
                phrases |= {tuple(line[begin:end]) for end in range(min(inside) + 1, len(line) + 1)}
    marks = np.zeros(len(table), np.uint8)
    for node in range(table.engine.node_count):
        first, last = table.engine.rules(node)
        if first < last:
            symbols = tuple(table.engine.symbols(node))
            words = len(symbols) - symbols.count(_engine.GAP)
            if words == len(symbols):
                marks[first:last] = symbols in phrases
            else:  # a single word beside gaps says too little about where it may stand
                marks[first:last] = words > 1 and not single.isdisjoint(symbols)
    return marks


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


def _doubt_frequent_phrases(folder: Path, known: RuleTable) -> None:
    """Let a source side that the system knows well keep its translations, unless it was corrected often.

    An added pair counts as much as ``_WORTH`` pairs of the training text.
    """
    counts = known.arrays.get("counts")
    table = RuleTable.open(folder)
    if counts is None or not len(table):
        return
    maps = [
        _numbers(*(getattr(one, f"{side}_words") for one in (table, known))) for side in ("source", "target")
    ]
    with known.report_corruption():
        _, first, last = known.engine.find_rules(table.engine, *maps).T
    there = (first >= 0) & (first < last) & (last <= len(counts))
    before = np.where(there, counts[np.where(there, first, 0), _OF_SOURCE], 0.0)
    own = _WORTH * np.array(table.arrays["counts"])[:, _OF_SOURCE]
    scores = np.array(table.arrays["scores"])
    scores[:, _TARGET_GIVEN_SOURCE] += np.log(own / (own + before))
    add_arrays(folder, kind=KIND, version=VERSION, arrays={"scores": scores})


def _numbers(words: _engine.Vocabulary, other: _engine.Vocabulary) -> npt.NDArray[np.uint32]:
    """The numbers that words have elsewhere; the first of them are numbered alike."""
    same = len(other)
    found = np.arange(len(words), dtype=np.uint32)
    found[same:] = other.find("\n")  # no word: so are all that are only here
    return found


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
