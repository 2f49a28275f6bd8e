"""The engine's search against exhaustive enumeration, with pruning off."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.nbest import NbestStore
from support.engine_search import dense_weights, engine_source, make_decoder, make_model, make_table
from support.exhaustive import derivations
from support.random_cases import Case, random_case


def decode(case: Case, folder: Path) -> NbestStore:
    decoder = make_decoder(case, make_table(case.grammar, folder), make_model(case.arpa, folder))
    decoder.set_weights(dense_weights(case, decoder))
    return NbestStore.from_columns(
        decoder.translate([engine_source(case.source)], nbest=100_000, distinct=False)
    )


def rounded(target: tuple[str, ...], features: dict[str, float]) -> tuple[Any, ...]:
    return (
        target,
        *((name, round(value, 3) + 0.0) for name, value in sorted(features.items()) if abs(value) > 1e-9),
    )


@pytest.mark.parametrize("lattice", [False, True], ids=["sentence", "lattice"])
@pytest.mark.parametrize("hierarchical", [True, False], ids=["hierarchical", "phrase"])
@pytest.mark.parametrize("seed", range(60))
def test_all_derivations_scores_and_features(
    seed: int, hierarchical: bool, lattice: bool, tmp_path: Path
) -> None:
    case = random_case(random.Random(seed), hierarchical=hierarchical, lattice=lattice, most=400)
    found = derivations(case.grammar, case.lm, case.source, case.options, case.weights)
    store = decode(case, tmp_path)
    assert store.num_candidates == len(found)
    if not found:
        return
    assert np.allclose(store.scores, [d.score for d in found], atol=2e-3)
    ours = Counter()
    names = store.dense_names
    weights = np.array([case.weights.get(name, 0.0) for name in names])
    assert np.allclose(store.dense @ weights, store.scores, atol=2e-3)
    for row, text in enumerate(store.texts()):
        ours[rounded(tuple(text.split()), dict(zip(names, store.dense[row].tolist(), strict=True)))] += 1
    theirs = Counter(rounded(d.target, d.features) for d in found)
    assert ours == theirs
