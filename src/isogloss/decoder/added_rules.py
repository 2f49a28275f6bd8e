"""Rules from a few pairs that are more reliable than the training text: corrections and added examples.

The pairs are aligned and their rules are stored in a small table, which the decoder searches along with the
system's own (``Decoder.overlay``). Single words that the system's table covers keep their translations;
longer phrases and new words come from the small table. There are two ways to build it:

- From examples of a memory: probabilities are estimated on these pairs alone, and the longer the source side
  of a rule, the less its scores count.
- From corrections, for which the system's own translation is known: only rules that involve a changed word
  are kept, and a source side that is frequent in the training text is penalized, so that its usual
  translations stay. A rule for a single word would hold wherever the word is, so it is kept only for a word
  that the system leaves untranslated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.align.links import Link
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
_LONGEST = 40  # words in a phrase
_WORTH = 10  # how many training pairs an added pair counts as
_TARGET_GIVEN_SOURCE = SCORE_COLUMNS.index("target_given_source")
_OF_SOURCE = 1  # column of counts
_TRUSTED = 4  # source sides with more words than this are treated as certain


def add_rules(
    folder: Path,
    pairs: Sequence[tuple[str, str]],
    links: Sequence[Sequence[Link]],
    known: RuleTable,
    drafts: Sequence[str] | None = None,
) -> None:
    """Extract rules from aligned pairs into a table that uses the word numbers of the table ``known``.

    ``drafts`` are the system's own translations of the sources. If given, only rules that involve a
    difference between draft and target are kept: the system already knows the rest from more examples.
    """
    with rule_scratch(None) as scratch:
        complete = [complete_links(one, *map(_count, pair)) for one, pair in zip(links, pairs, strict=True)]
        written = [" ".join(f"{i}-{j}" for i, j in one) for one in complete]
        texts = [[source for source, _ in pairs], [target for _, target in pairs], written]
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
            _keep_single_words(table, marks, _new_words(pairs, links, drafts))
            copy_rules(table, marks, folder, scratch=scratch)
    if drafts is None:
        _trust_long_phrases(folder)
    else:
        _doubt_frequent_phrases(folder, known)


def changed_words(draft: str, target: str, links: Sequence[Link]) -> set[int]:
    """Return the positions of source words whose translations in draft and target differ.

    >>> sorted(changed_words("the big house", "the great house", [(0, 0), (1, 1), (2, 2)]))
    [1]
    """
    words = split_words(target)
    changed: set[int] = set()
    compared = SequenceMatcher(None, split_words(draft), words, autojunk=False)
    for what, _, _, begin, end in compared.get_opcodes():
        if what == "delete":  # the words on either side of the deletion
            changed |= {begin - 1, begin}
        elif what != "equal":
            changed |= set(range(begin, end))
    return {source for source, place in links if place in changed}


def _about_changes(
    table: RuleTable, sources: Sequence[str], changed: Sequence[set[int]]
) -> npt.NDArray[np.uint8]:
    """Mark rules whose source side covers a changed word.

    Phrases must cover it in its position; in rules with non-terminals the word itself is enough.
    """
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
            else:  # a single word next to non-terminals has too little context
                marks[first:last] = words > 1 and not single.isdisjoint(symbols)
    return marks


def _new_words(
    pairs: Sequence[tuple[str, str]], links: Sequence[Sequence[Link]], drafts: Sequence[str]
) -> set[tuple[str, str]]:
    """Return words that the system left untranslated, with the words that the corrections have for them.

    The two must be linked to each other alone: an aligner that does not know a word goes by its position.

    >>> sorted(_new_words([("a b c", "A x B")], [[(0, 0), (0, 1), (1, 2)]], ["A b"]))
    [('b', 'B')]
    """
    found = set()
    for (source, target), one, draft in zip(pairs, links, drafts, strict=True):
        sources, targets, known = (split_words(text) for text in (source, target, draft))
        linked = [Counter(link[side] for link in one) for side in (0, 1)]
        found |= {
            (sources[i], targets[j])
            for i, j in one
            if linked[0][i] == linked[1][j] == 1 and sources[i] in known and sources[i] not in targets
        }
    return found


def _keep_single_words(table: RuleTable, marks: npt.NDArray[np.uint8], kept: set[tuple[str, str]]) -> None:
    """Unmark rules for a single word but for those in ``kept``."""
    words = [one.words() for one in (table.source_words, table.target_words)]
    for node in range(table.engine.node_count):
        first, last = table.engine.rules(node)
        if marks[first:last].any() and len(symbols := table.engine.symbols(node)) == 1:
            for number in (first + np.flatnonzero(marks[first:last])).tolist():
                target = table.engine.rule(number, node)[0]
                pair = words[0][symbols[0]], " ".join(words[1][word] for word in target)
                marks[number] = pair in kept


def complete_links(links: Sequence[Link], sources: int, targets: int) -> list[Link]:
    """Link every word: a word without links gets the links of the nearest linked word.

    Otherwise phrases without the unlinked word would score as high as phrases with it.

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
    """Scale scores down as the source side gets longer: a long phrase is right in any context."""
    table = RuleTable.open(folder)
    scores = np.array(table.arrays["scores"])
    for node in range(table.engine.node_count):
        first, last = table.engine.rules(node)
        if first < last:
            length = sum(symbol != _engine.GAP for symbol in table.engine.symbols(node))
            scores[first:last] *= max(0.0, 1 - (length - 1) / _TRUSTED)
    add_arrays(folder, kind=KIND, version=VERSION, arrays={"scores": scores})


def _doubt_frequent_phrases(folder: Path, known: RuleTable) -> None:
    """Penalize source sides that are frequent in the training text, unless they were corrected often.

    An added pair counts as much as ``_WORTH`` training pairs.
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
    """Map word numbers to those of ``other``; the shared words come first and have equal numbers."""
    same = len(other)
    found = np.arange(len(words), dtype=np.uint32)
    found[same:] = other.find("\n")  # an unknown word, as are all that only ``words`` has
    return found


def _options(table: RuleTable) -> ExtractOptions:
    """Return extraction options: phrases up to whole sentences, and hierarchical rules if the table has any.

    Every occurrence counts 1, because fractional counts would make reliable rules look doubtful.
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
        ExtractOptions(**made_with),
        max_plain=_LONGEST,
        tight=False,
        count="unit",
        smoothing="none",
        word_forms=False,
    )
