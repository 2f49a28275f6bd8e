"""Rows of events say the same as rows of features, in fewer numbers."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss import _engine
from isogloss.decoder import load
from isogloss.decoder.decoder import Decoder
from isogloss.features import SparseModel, SparseOptions

EVENTS = st.lists(st.lists(st.integers(1, 12), max_size=5), min_size=1, max_size=8)
"""The features of every event: few, so that events share them."""
NO_WEIGHTS = _engine.LearnedWeights()


def pool_of(events: list[list[int]]) -> _engine.EventPool:
    keys = 1000 + np.arange(len(events), dtype=np.uint64)
    offsets = np.cumsum([0, *map(len, events)])
    return _engine.EventPool(keys, offsets, np.array([f for event in events for f in event], np.uint64))


def rows_of(counts: list[dict[int, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    offsets = np.cumsum([0, *map(len, counts)])
    numbers = np.array([event for row in counts for event in row], np.uint64)
    return offsets, numbers, np.array([n for row in counts for n in row.values()], np.float32)


def expanded(events: list[list[int]], row: dict[int, int]) -> dict[int, float]:
    out: dict[int, float] = {}
    for event, count in row.items():
        for feature in events[event]:
            out[feature] = out.get(feature, 0.0) + count
    return out


@given(EVENTS, st.data())
def test_rows_differ_in_what_not_all_of_them_have(events: list[list[int]], data: st.DataObject) -> None:
    row = st.dictionaries(st.integers(0, len(events) - 1), st.integers(1, 3))
    counts = data.draw(st.lists(row, min_size=1, max_size=5))
    weights = _engine.LearnedWeights()
    weights.add(np.arange(1, 13, dtype=np.uint64), np.arange(1, 13, dtype=np.float32) / 4)
    offsets, columns, values, features, sums = pool_of(events).different_features(*rows_of(counts), weights)
    full = [expanded(events, one) for one in counts]
    different = {f for one in full for f in one if any(other.get(f) != one[f] for other in full)}
    assert len(set(features.tolist())) == len(features)
    assert set(features.tolist()) == different
    rows = []
    for begin, end in itertools.pairwise(offsets):
        own = slice(begin, end)
        rows.append(dict(zip(features[columns[own]].tolist(), values[own].tolist(), strict=True)))
        assert len(rows[-1]) == end - begin
    for row, whole, total in zip(rows, full, sums, strict=True):
        for f in range(1, 13):  # up to what all rows have in common
            assert row.get(f, 0) - rows[0].get(f, 0) == whole.get(f, 0) - full[0].get(f, 0)
        assert total == pytest.approx(sum(n * f / 4 for f, n in row.items()))


@given(EVENTS, st.data())
def test_what_is_kept_is_the_same_under_new_numbers(events: list[list[int]], data: st.DataObject) -> None:
    pool = pool_of(events)
    kept = data.draw(st.lists(st.integers(0, len(events) - 1), unique=True))
    numbers = pool.keep(np.array(kept, np.uint64))
    assert len(pool) == len(kept)
    keys, offsets, features = pool.arrays()
    for old, new in enumerate(numbers.tolist()):
        if old not in kept:
            assert new == 2**32 - 1
            continue
        assert keys[new] == 1000 + old
        assert features[offsets[new] : offsets[new + 1]].tolist() == events[old]


def test_events_of_candidates_have_their_features(systems: Path) -> None:
    base = load(systems / "phrase")
    sparse = SparseModel(SparseOptions(templates=("pair", "pair_bigram", "insertion", "rule", "orientation")))
    decoder = Decoder(base.decoder._rules, base.decoder._lm, base.options, sparse=sparse)
    decoder.set_weights(base.weights)
    lines = (systems / "corpus/dev.src").read_text(encoding="utf-8").splitlines()[:3]
    found = decoder.search(lines, nbest=20)
    for sentence in range(3):
        rows = range(len(found.store.rows_of(sentence)))
        pool = _engine.EventPool()
        offsets, numbers, counts = found.engine.events(sentence, rows, pool, NO_WEIGHTS)
        keys, begins, of_events = pool.arrays()
        assert len(set(keys.tolist())) == len(pool)
        whole = found.sparse(sentence, rows)
        events = [of_events[a:b].tolist() for a, b in itertools.pairwise(begins)]
        for row in rows:
            own = slice(offsets[row], offsets[row + 1])
            happened = dict(zip(numbers[own].tolist(), counts[own].tolist(), strict=True))
            part = whole.row(row)
            assert expanded(events, happened) == dict(
                zip(part.features.tolist(), part.counts.tolist(), strict=True)
            )


def test_what_does_not_fit_is_refused() -> None:
    keys, offsets, features = np.array([5, 6], np.uint64), np.array([0, 1, 2]), np.array([7, 8], np.uint64)
    with pytest.raises(ValueError, match="offsets"):
        _engine.EventPool(keys, np.array([0, 1, 3]), features)
    with pytest.raises(ValueError, match="twice"):
        _engine.EventPool(np.array([5, 5], np.uint64), offsets, features)
    pool = _engine.EventPool(keys, offsets, features)
    one = np.ones(1, np.float32)
    with pytest.raises(IndexError):
        pool.different_features(np.array([0, 1]), np.array([2], np.uint64), one, NO_WEIGHTS)
    with pytest.raises(ValueError, match="offsets"):
        pool.different_features(np.array([0, 2]), np.array([1], np.uint64), one, NO_WEIGHTS)
    with pytest.raises(IndexError):
        pool.keep(np.array([2], np.uint64))
