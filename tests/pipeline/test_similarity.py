from __future__ import annotations

import random

import pytest

from isogloss.pipeline import similarity
from isogloss.pipeline.similarity import nearest_sources


def test_parts_of_a_large_text_find_what_the_whole_text_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(1)

    def lines(count: int) -> list[str]:
        return [" ".join(draw.choices("abcdefgh", k=draw.randint(1, 6))) for _ in range(count)]

    known, sentences = lines(200), [*lines(40), "", "unknown"]
    whole = nearest_sources(known, sentences)
    assert 1 in whole.similarity
    assert -1 in whole.row
    monkeypatch.setattr(similarity, "_PART", 30)
    parts = nearest_sources(known, sentences)
    assert parts.similarity.tolist() == whole.similarity.tolist()
    # Among equals a part may know an earlier one.
    same = [
        nearest_sources([known[row]], [sentence]).similarity[0] if row >= 0 else 0
        for row, sentence in zip(parts.row.tolist(), sentences, strict=True)
    ]
    assert same == whole.similarity.tolist()
