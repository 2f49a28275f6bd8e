"""Sparse features inside the engine's search against the exhaustive decoder and the features' definitions."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from isogloss import _engine
from isogloss.decoder.search_result import Searched
from isogloss.features import (
    ALL_TEMPLATES,
    SPELLING_TYPES,
    SparseModel,
    SparseOptions,
    SparseWeights,
    TokenColumn,
)
from isogloss.nbest import NbestStore
from support.engine_search import (
    dense_weights,
    engine_source,
    make_decoder,
    make_model,
    make_table,
    search_all,
)
from support.exhaustive import Derivation, derivations
from support.random_cases import LONG_WORDS, Case, number, random_case, with_links
from support.sparse_oracle import TokenTypes, Word, events, feature_counts

COLUMNS = {
    "tag": {LONG_WORDS["a"]: ("N", "V|x"), LONG_WORDS["c"]: ("N",), LONG_WORDS["new"]: ("Z",)},
    "class": {word: (str(i % 3),) for i, word in enumerate(LONG_WORDS.values())},
    "ne_tag-2": {LONG_WORDS["w"]: ("N", "V|x", "="), LONG_WORDS["y"]: ("V|x",), LONG_WORDS["7"]: ("Z",)},
}
WIDE = ("pair_bigram",)
"""Templates with many positions see few types, so that a case has thousands of features, not millions."""


def random_types(rng: random.Random) -> tuple[SparseModel, TokenTypes, tuple[str, ...]]:
    """The same choice of templates and token types for the engine and for the oracle."""
    every = rng.random() < 0.4
    templates = tuple(name for name in ALL_TEMPLATES if every or rng.random() < 0.5) or ("pair",)

    def some(names: tuple[str, ...], most: int) -> tuple[str, ...]:
        kept = [name for name in names if rng.random() < 0.7][:most]
        rng.shuffle(kept)
        return tuple(kept)

    source_types = some((*SPELLING_TYPES, "tag", "class"), 5)
    target_types = some((*SPELLING_TYPES, "ne_tag-2"), 5)
    template_types = {
        name: (some(source_types, 2), some(target_types, 2))
        for name in templates
        if name in WIDE or rng.random() < 0.3
    }
    options = SparseOptions(
        templates=templates,
        source_types=source_types,
        target_types=target_types,
        template_types=template_types,
    )
    columns = [{name: COLUMNS[name] for name in names} for names in (("tag", "class"), ("ne_tag-2",))]
    source_columns, target_columns = columns
    model = SparseModel(
        options,
        source_columns={name: TokenColumn(values) for name, values in source_columns.items()},
        target_columns={name: TokenColumn(values) for name, values in target_columns.items()},
    )
    oracle = TokenTypes(source_types, target_types, source_columns, target_columns, template_types)
    return model, oracle, templates


def everything_else(types: TokenTypes, templates: tuple[str, ...], case: Case) -> set[str]:
    """Features that a case could have: the search must not score what does not fire."""
    source = {Word(arc.word, False) for arc in case.lattice.arcs}
    target = {Word(word, True) for rule in case.grammar.rules for word in rule.target}
    sides: dict[str, tuple[set[Word], set[Word]]] = {
        "pair": (target, source),
        "insertion": (target, source),
        "deletion": (target, source),
        "target_bigram": (target, target),
        "hierarchical": (source, source),
    }
    return {
        name
        for template in set(sides).intersection(templates)
        for event in itertools.product(*sides[template])
        for name in types.names((template, event))
    }


def random_sparse_weights(rng: random.Random, names: list[str]) -> dict[str, float]:
    kept = [name for name in names if rng.random() < 0.6]
    return {name: number(rng, -1, 1) for name in kept}


def candidates(searched: Searched, count: int) -> list[dict[str, float]]:
    """Named counts of all candidates of the only sentence."""
    rows = searched.sparse(0, range(count))
    offsets, features, counts = rows.offsets, rows.features, rows.counts
    names = searched.names(0, range(count), np.unique(features))
    assert {_engine.feature_number(name) for name in names.values()} == set(names)
    assert list(_engine.feature_numbers(list(names.values()))) == list(names)
    return [
        {names[int(f)]: float(c) for f, c in zip(features[b:e], counts[b:e], strict=True)}
        for b, e in itertools.pairwise(offsets)
    ]


def rescored(found: list[Derivation], fired: list[Counter[str]], weights: dict[str, float]) -> list[float]:
    return [
        math.fsum([d.score, *(weights.get(name, 0.0) * count for name, count in counts.items())])
        for d, counts in zip(found, fired, strict=True)
    ]


@pytest.mark.parametrize("lattice", [False, True], ids=["sentence", "lattice"])
@pytest.mark.parametrize("hierarchical", [True, False], ids=["hierarchical", "phrase"])
@pytest.mark.parametrize("seed", range(12))
def test_scores_order_and_features(seed: int, hierarchical: bool, lattice: bool, tmp_path: Path) -> None:
    rng = random.Random(seed)
    case = with_links(rng, random_case(rng, hierarchical=hierarchical, lattice=lattice, length=5, most=60))
    model, types, templates = random_types(rng)
    found = derivations(case.grammar, case.lm, case.source, case.options, case.weights)
    fired = [
        feature_counts(types, templates, events(case.lattice, d.steps, hierarchical=hierarchical))
        for d in found
    ]
    table = make_table(case.grammar, tmp_path)
    decoder = make_decoder(case, table, make_model(case.arpa, tmp_path), model.engine(table))
    names = sorted(everything_else(types, templates, case).union(*fired))
    # Twice with one decoder: what it remembers of the first weights must not show.
    for weights in (random_sparse_weights(rng, names), random_sparse_weights(rng, names)):
        decoder.set_weights(dense_weights(case, decoder), SparseWeights.from_names(weights).engine)
        check(case, decoder, found, fired, weights)


def check(
    case: Case,
    decoder: _engine.Decoder,
    found: list[Derivation],
    fired: list[Counter[str]],
    weights: dict[str, float],
) -> None:
    source = engine_source(case.source)
    searched = search_all(decoder, source)
    store = searched.store
    assert store.num_candidates == len(found)
    if not found:
        return
    expected = rescored(found, fired, weights)
    assert np.allclose(store.scores, sorted(expected, reverse=True), atol=2e-3)
    ours = candidates(searched, len(found))
    dense = store.dense @ np.array(dense_weights(case, decoder))
    sparse = [math.fsum(weights.get(name, 0.0) * c for name, c in counts.items()) for counts in ours]
    assert np.allclose(store.scores, dense + sparse, atol=2e-3)
    texts = [tuple(text.split()) for text in store.texts()]
    assert Counter((text, frozenset(counts.items())) for text, counts in zip(texts, ours, strict=True)) == (
        Counter((d.target, frozenset(counts.items())) for d, counts in zip(found, fired, strict=True))
    )
    best: dict[tuple[str, ...], float] = {}
    for derivation, score in zip(found, expected, strict=True):
        best[derivation.target] = max(score, best.get(derivation.target, -math.inf))
    different = NbestStore.from_columns(decoder.translate([source], nbest=10_000))
    assert np.allclose(different.scores, sorted(best.values(), reverse=True), atol=2e-3)
    assert np.allclose(different.scores, [best[tuple(t.split())] for t in different.texts()], atol=2e-3)


@pytest.mark.parametrize("hierarchical", [True, False], ids=["hierarchical", "phrase"])
def test_what_is_remembered_between_sentences_does_not_show(hierarchical: bool, tmp_path: Path) -> None:
    rng = random.Random(7)
    case = with_links(rng, random_case(rng, hierarchical=hierarchical, lattice=False, length=6, most=500))
    words = sorted({*LONG_WORDS.values(), "unheard"} - {LONG_WORDS["w"]})
    sources = [rng.choices(words, k=rng.randint(1, 5)) for _ in range(12)]
    options = SparseOptions(templates=ALL_TEMPLATES, template_types={"pair_bigram": (("surface",),) * 2})
    table, model = make_table(case.grammar, tmp_path), make_model(case.arpa, tmp_path)

    def fresh() -> _engine.Decoder:
        return make_decoder(case, table, model, SparseModel(options).engine(table))

    names: set[str] = set()
    for source in sources:
        searched = search_all(fresh(), source)
        names.update(*candidates(searched, searched.store.num_candidates))
    weights = SparseWeights.from_names(random_sparse_weights(rng, sorted(names))).engine
    alone = []
    for source in sources:
        decoder = fresh()
        decoder.set_weights(dense_weights(case, decoder), weights)
        alone.append(NbestStore.from_columns(decoder.translate([source], nbest=20)))
    decoder.set_weights(dense_weights(case, decoder), weights)
    for threads in (1, 2):
        store = NbestStore.from_columns(decoder.translate(sources, nbest=20, threads=threads))
        assert store.scores.tolist() == [score for one in alone for score in one.scores]
        assert list(store.texts()) == [text for one in alone for text in one.texts()]
