"""Retrieval on real text: the same examples as a comparison with all of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from isogloss.adapt.options import RetrievalOptions
from isogloss.adapt.segment import Example, Frequencies, QueryTerms, Segment, segment_columns


@pytest.mark.corpora
def test_tanaka(corpora: Path) -> None:
    sentences = (corpora / "tanaka" / "train.ja").read_text(encoding="utf-8").splitlines()
    queries = (corpora / "tanaka" / "test.ja").read_text(encoding="utf-8").splitlines()
    frequencies = Frequencies.count([sentence.split() for sentence in sentences])
    examples = [Example(source=sentence, references=()) for sentence in sentences]
    segment = Segment(segment_columns(examples, range(len(examples)), frequencies), "tanaka")
    for query in queries[::10]:
        terms = QueryTerms.of(query, frequencies)
        every = segment.similarities(terms, 0.1)
        order = np.lexsort((-np.arange(len(every)), -every))[:100]
        positions, similarities = segment.search(terms, RetrievalOptions(), 0.0)
        assert positions.tolist() == order[every[order] > 0].tolist()
        assert similarities.tolist() == every[positions].tolist()
