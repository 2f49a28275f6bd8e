"""The neural joint model inside the search against the exhaustive decoder and the model's definition."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from isogloss.nbest import NbestStore
from isogloss.neural import JointOptions
from support.engine_search import dense_weights, engine_source, make_decoder, make_model, make_table
from support.exhaustive import derivations
from support.joint_oracle import JointOracle
from support.random_cases import random_case, with_links

WEIGHT = 0.7


@pytest.mark.parametrize("lattice", [False, True], ids=["sentence", "lattice"])
@pytest.mark.parametrize("hierarchical", [True, False], ids=["hierarchical", "phrase"])
@pytest.mark.parametrize("seed", range(12))
def test_all_derivations_have_the_score_of_the_definition(
    seed: int, hierarchical: bool, lattice: bool, tmp_path: Path
) -> None:
    rng = random.Random(seed)
    case = with_links(rng, random_case(rng, hierarchical=hierarchical, lattice=lattice, most=150))
    found = derivations(case.grammar, case.lm, case.source, case.options, case.weights)
    # Some words of the text are left to be rare.
    source_words = sorted({symbol for rule in case.grammar.rules for symbol in rule.source if symbol})[1:]
    target_words = sorted({word for rule in case.grammar.rules for word in rule.target})[1:]
    options = JointOptions(window=3, history=1 + seed % 3, embedding=16, hidden=16)
    oracle = JointOracle(source_words, target_words, options, seed)
    decoder = make_decoder(
        case, make_table(case.grammar, tmp_path), make_model(case.arpa, tmp_path), joint=oracle.model().engine
    )
    names = decoder.feature_names()
    assert names[-1] == "joint"
    for weight in (0.0, WEIGHT):
        decoder.set_weights([*dense_weights(case, decoder)[:-1], weight])
        store = NbestStore.from_columns(
            decoder.translate([engine_source(case.source)], nbest=100_000, distinct=False)
        )
        expected = sorted(
            ((d.score + weight * oracle.derivation(case.source, d.steps), d.target) for d in found),
            reverse=True,
        )
        assert np.allclose(store.scores, [score for score, _ in expected], atol=2e-3)
        joint = sorted(oracle.derivation(case.source, d.steps) for d in found)
        assert np.allclose(np.sort(store.dense[:, -1]), joint, atol=1e-4)


def test_a_decoder_without_the_model_has_no_such_feature(tmp_path: Path) -> None:
    case = random_case(random.Random(1), hierarchical=True, lattice=False, most=50)
    decoder = make_decoder(case, make_table(case.grammar, tmp_path), make_model(case.arpa, tmp_path))
    assert "joint" not in decoder.feature_names()
