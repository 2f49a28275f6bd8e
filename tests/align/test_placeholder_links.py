"""Rules that come from linked marks have the same marks on both sides, so that translations keep them."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from isogloss.align.links import Alignments
from isogloss.align.placeholder_links import link_marks
from isogloss.corpus.placeholders import MARK
from isogloss.grammar import ExtractOptions, RuleTable, extract_rules


def random_pairs(count: int, rng: random.Random) -> list[tuple[str, str]]:
    pairs = []
    for _ in range(count):
        marks = [f"ǁ{number}ǁ" for number in range(rng.randint(0, 3))]
        sides = []
        for letters in ("abcd", "uvwx"):
            words = rng.choices(letters, k=rng.randint(1, 7)) + marks
            rng.shuffle(words)
            sides.append(" ".join(words))
        pairs.append((sides[0], sides[1]))
    return pairs


@pytest.mark.parametrize("grammar", ["hiero", "phrase"])
def test_every_rule_has_the_same_marks_on_both_sides(grammar: str, tmp_path: Path) -> None:
    rng = random.Random(1)
    pairs = random_pairs(300, rng)
    links = [
        sorted({(rng.randrange(len(s.split())), rng.randrange(len(t.split()))) for _ in range(4)})
        for s, t in pairs
    ]
    linked = link_marks(Alignments.from_links(links), pairs)
    texts = ["".join(pair[side] + "\n" for pair in pairs) for side in (0, 1)]
    files = [tmp_path / name for name in ("source", "target", "links")]
    for file, text in zip(files, [*texts, linked.text()], strict=True):
        file.write_text(text, encoding="utf-8")
    options = ExtractOptions.for_grammar(grammar, tight=False)
    extract_rules(*files, tmp_path / "rules", options, memory_limit=64 << 20, threads=1)
    marked = 0
    for rule in RuleTable.open(tmp_path / "rules").rules():
        source, target = (Counter(filter(MARK.fullmatch, side)) for side in (rule.source, rule.target))
        assert source == target, rule
        marked += bool(source)
    assert marked > 100
