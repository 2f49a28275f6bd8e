"""Rules that come from linked brackets have both brackets or none, unless the source has a single one."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from isogloss.align.bracket_links import bracket_links
from isogloss.align.links import Alignments
from isogloss.align.placeholder_links import link_marks
from isogloss.grammar import ExtractOptions, RuleTable, extract_rules


@pytest.mark.parametrize(
    ("source", "target", "links", "expected"),
    [
        # The same brackets on both sides: linked to each other only, whatever the aligner found.
        ("a ( b )", "( u ) v", "0-0 2-1 0-3", "0-3 1-0 2-1 3-2"),
        ("a ( b )", "\uff08 u \uff09 v", "0-0 2-1", "1-0 2-1 3-2"),
        # Brackets of one side: linked to what they enclose.
        ("the shelf", "( u ) v", "0-0 1-3", "1-0 1-2 1-3"),
        ("the two shelves", "v ( u w )", "0-1 1-2 2-3", "1-1 1-2 1-4 2-1 2-3 2-4"),
        ("v ( u w )", "the two shelves", "1-0 2-1 3-2", "1-1 1-2 2-1 3-2 4-1 4-2"),
        # Nothing inside has a counterpart, or there is nothing inside, or no link at all.
        ("a b", "u ( w ) v", "0-0 1-4", "0-0 0-1 0-3 1-4"),
        ("a", "u ( )", "0-0 0-1", "0-0 0-1 0-2"),
        ("a b", "( u )", "0-0 1-0 0-2", "0-0 0-2 1-0 1-2"),
        ("a b", "( u )", "", ""),
        # A single bracket has no inside; nested ones have the same.
        ("a b", "u ( v", "0-0 1-1 1-2", "0-0 1-2"),
        ("a b", "u [ ( v ) ]", "0-0 1-3", "0-0 1-1 1-2 1-3 1-4 1-5"),
        # No brackets: nothing changes.
        ("a b", "u v", "0-0 1-1", "0-0 1-1"),
    ],
)
def test_links(source: str, target: str, links: str, expected: str) -> None:
    pairs = [(int(i), int(j)) for i, j in (link.split("-") for link in links.split())]
    found = bracket_links(pairs, source.split(), target.split())
    assert " ".join(f"{i}-{j}" for i, j in found) == expected


@pytest.mark.parametrize("grammar", ["hiero", "phrase"])
def test_no_rule_opens_a_bracket_that_its_source_does_not(grammar: str, tmp_path: Path) -> None:
    """Targets with a pair of brackets, sources without; links at random."""
    rng = random.Random(1)
    pairs, links = [], []
    for _ in range(300):
        words = rng.choices("uvwx", k=rng.randint(2, 6))
        begin = rng.randrange(len(words))
        words.insert(rng.randint(begin + 1, len(words)), ")")
        words.insert(begin, "(")
        source = rng.choices("abcd", k=rng.randint(1, 6))
        pairs.append((" ".join(source), " ".join(words)))
        links.append(sorted({(rng.randrange(len(source)), rng.randrange(len(words))) for _ in range(5)}))
    linked = link_marks(Alignments.from_links(links), pairs)
    texts = ["".join(pair[side] + "\n" for pair in pairs) for side in (0, 1)]
    files = [tmp_path / name for name in ("source", "target", "links")]
    for file, text in zip(files, [*texts, linked.text()], strict=True):
        file.write_text(text, encoding="utf-8")
    options = ExtractOptions.for_grammar(grammar, tight=False, max_length=10)
    extract_rules(*files, tmp_path / "rules", options, memory_limit=64 << 20, threads=1)
    whole = 0
    for rule in RuleTable.open(tmp_path / "rules").rules():
        assert rule.target.count("(") == rule.target.count(")"), rule
        whole += "(" in rule.target
    assert whole > 50
