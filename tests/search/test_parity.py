"""The engine's search against exhaustive enumeration, with pruning off."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss import _engine
from isogloss.grammar.formats import import_rules
from isogloss.grammar.table import RuleTable
from isogloss.lm import LanguageModel
from isogloss.nbest import NbestStore
from search.exhaustive import Lattice, derivations
from search.random_cases import Case, random_case

EXHAUSTIVE = {
    "beam_size": 0,
    "pop_limit": 0,
    "max_options": 0,
    "max_scanned": 0,
    "diversity": False,
}


def decode(case: Case, folder: Path) -> NbestStore:
    # A table is never empty: one rule that matches nowhere.
    lines = [f"[X] ||| nowhere ||| w ||| {' '.join(f'{name}=0' for name in case.grammar.columns)}\n"]
    for rule in case.grammar.rules:
        gaps = iter(range(1, 3))
        source = [f"[X,{next(gaps)}]" if symbol is None else symbol for symbol in rule.source]
        order = [f"[X,{i}]" for i in range(1, rule.source.count(None) + 1)]
        target = [*rule.target, *(reversed(order) if rule.swapped else order)]
        scores = " ".join(f"{n}={v!r}" for n, v in zip(case.grammar.columns, rule.scores, strict=True))
        lines.append(f"[X] ||| {' '.join(source)} ||| {' '.join(target)} ||| {scores}\n")
    (folder / "grammar").write_text("".join(lines))
    (folder / "model.arpa").write_text(case.arpa)
    import_rules(folder / "grammar", folder / "table", format="hiero")
    table = RuleTable.open(folder / "table")
    model = LanguageModel.load(folder / "model.arpa")
    options = case.options
    decoder = _engine.Decoder(
        table=table.engine,
        source_words=table.source_words,
        target_words=table.target_words,
        language_model=model._engine,
        column_names=list(table.columns),
        options={
            **EXHAUSTIVE,
            "hierarchical": options.hierarchical,
            "max_span": options.max_span,
            "distortion_limit": options.distortion_limit,
            "gap_rules": options.gap_rules,
            "reordering_glue": options.reordering_glue,
            "phrase_order": options.phrase_order,
        },
    )
    names = decoder.feature_names()
    decoder.set_weights([case.weights.get(name, 0.0) for name in names])
    source: Any = case.source
    if isinstance(source, Lattice):
        source = (source.last + 1, [(a.begin, a.end, a.word, a.score) for a in source.arcs])
    else:
        source = list(source)
    return NbestStore.from_columns(decoder.translate([source], nbest=100_000, distinct=False))


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
