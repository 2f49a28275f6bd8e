from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isogloss.corpus.duplicates import SeenLines, hash_lines
from support.properties import examples


@examples(60)
@given(batches=st.lists(st.lists(st.integers(0, 30), max_size=20), max_size=12))
def test_it_agrees_with_a_dictionary(batches: list[list[int]]) -> None:
    seen, known, line = SeenLines(), dict[int, int](), 0
    for batch in batches:
        numbers = list(range(line + 1, line + 1 + len(batch)))
        line += len(batch)
        expected = []
        for value, number in zip(batch, numbers, strict=True):
            expected.append(known.get(value, 0))
            known.setdefault(value, number)
        hashes = np.array(batch, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        assert seen.add(hashes, numbers).tolist() == expected


def test_twelve_bytes_a_line() -> None:
    seen = SeenLines()
    rng = np.random.default_rng(1)
    for start in range(0, 200_000, 2000):
        seen.add(rng.integers(0, 2**63, 2000, dtype=np.uint64), np.arange(start + 1, start + 2001))
    assert sum(hashes.nbytes + lines.nbytes for hashes, lines in seen._runs) == 200_000 * 12
    assert len(seen._runs) < 20


def test_hashes_are_of_the_whole_line() -> None:
    lines = ["", "a", "b", "ab", "a b", "ü", "a" * 1000, "a" * 1001]
    assert len(set(hash_lines(lines).tolist())) == len(lines)
    assert hash_lines(["x"]) == hash_lines(["x"])
