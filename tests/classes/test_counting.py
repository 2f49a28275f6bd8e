from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from isogloss._engine import NO_WORD, BigramCounter
from isogloss.classes import ClassOptions, count_in_shards, counting, induce_classes
from isogloss.io.errors import DataFormatError
from isogloss.io.streams import read_lines
from support.travelling import Travelling


def test_shards_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "_SHARD_LINES", 40)
    rng = np.random.default_rng(3)
    lines = [" ".join(f"w{word}" for word in rng.zipf(1.5, rng.integers(0, 9)) % 70) for _ in range(330)]
    text = tmp_path / "text"
    text.write_text("\n".join(lines))
    options = ClassOptions(classes=7, restarts=2, min_count=2)
    executor = Travelling()
    counted = count_in_shards(text, executor, tmp_path)
    assert executor.shards == {"pairs of words": 9}
    here = induce_classes((line.split() for line in read_lines(text)), options)
    assert induce_classes(counted, options) == here
    assert list(here.classes) == list(induce_classes(counted, options).classes)
    assert [path.name for path in tmp_path.iterdir()] == ["text"]


def test_pairs_in_order_of_appearance() -> None:
    counter, parts = BigramCounter(), (BigramCounter(), BigramCounter())
    ids, offsets = np.array([0, 1, 0, 1, 2, 1], np.uint32), np.array([0, 3, 3, 6])
    counter.add(ids, offsets)
    for part, some in zip(parts, (slice(0, 2), slice(2, 4)), strict=True):
        part.add(ids, offsets[some])
    joined = BigramCounter()
    for part in parts:
        joined.add_pairs(*part.counted_pairs())
    for one, other in zip(joined.counted_pairs(), counter.counted_pairs(), strict=True):
        np.testing.assert_array_equal(one, other)
    assert joined.counts().tolist() == counter.counts().tolist() == [2, 3, 1]
    assert joined.sentences == counter.sentences == 2
    end = np.array([NO_WORD], np.uint32)
    with pytest.raises(ValueError, match="a pair has no word"):
        joined.add_pairs(end, end, np.ones(1, np.uint32))
    with pytest.raises(ValueError, match="two words and a count"):
        joined.add_pairs(end, end, np.ones(2, np.uint32))


def test_text_without_words(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("\n\n")
    with pytest.raises(DataFormatError, match="no words found"):
        count_in_shards(tmp_path / "text", Travelling(), tmp_path)
