"""Dense scores as binary features: the same order of candidates, the same translations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import isogloss
from isogloss.corpus.synthetic.text import write_corpus
from isogloss.decoder.decoder import Decoder
from isogloss.features import SparseModel
from isogloss.features.binary_scores import binary_scores
from isogloss.features.block import block_features
from isogloss.features.weights import SparseWeights
from isogloss.grammar.table import RuleTable
from isogloss.io.errors import ConfigError
from isogloss.lm import LanguageModel, LmOptions, build
from isogloss.pipeline import train

WEIGHTS = {
    "lm": 0.5,
    "target_given_source": 0.2,
    "source_given_target": 0.3,
    "target_given_source_lexical": 0.1,
    "words": 0.6,
    "rules": -0.1,
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("binary")
    write_corpus(folder / "corpus", pairs=300, seed=5, dev=20, test=20)
    corpus = folder / "corpus"
    train(
        str(folder / "system"),
        source=corpus / "train.src",
        target=corpus / "train.tgt",
        tokenizer="none",
        search="block",
        method="none",
        lm={"order": 3},
    )
    return folder


def decoder_and_text(place: Path) -> tuple[Decoder, Path, list[str]]:
    work = place / "system" / "work"
    rules, lm = RuleTable.open(work / "rules"), LanguageModel.load(work / "lm")
    # Without limits, because the search estimates what is to come by dense weights.
    options = replace(
        isogloss.load(str(place / "system")).decoder.options,
        max_options=0,
        max_scanned=0,
        beam_size=500,
        pop_limit=2000,
    )
    decoder = Decoder(rules, lm, options, sparse=SparseModel(block_features("both")))
    arpa = place / "lm.arpa"
    if not arpa.exists():
        build([work / "tokens" / "target"], options=LmOptions(order=3, special_words="unknown"), arpa=arpa)
    lines = (place / "corpus" / "test.src").read_text().splitlines()
    known = set(rules.source_words.words())
    return decoder, arpa, [line for line in lines if set(line.split()) <= known]


def test_scores_of_candidates_differ_by_one_constant(place: Path) -> None:
    decoder, arpa, lines = decoder_and_text(place)
    zero = dict.fromkeys(decoder.names, 0.0)
    decoder.set_weights({**zero, **WEIGHTS})
    found = decoder.search(lines, nbest=20)
    weights = SparseWeights.from_names(binary_scores(decoder.rules, arpa, WEIGHTS).features)
    store = found.store
    assert store.num_candidates > 4 * len(lines) > 30
    differences = []
    for place_, sentence in enumerate(store.sentence_ids.tolist()):
        rows = store.rows_of(place_)
        features = found.sparse(sentence, range(len(rows)))
        differences += (
            store.scores[list(rows)] - features.sums(weights.engine.weights(features.features))
        ).tolist()
    # b(<s>) and p(</s>) are not in the features, and are the same for all.
    assert np.ptp(differences) < 1e-3
    assert abs(differences[0]) > 0.1


def test_the_search_finds_translations_that_are_as_good(place: Path) -> None:
    decoder, arpa, lines = decoder_and_text(place)
    zero = dict.fromkeys(decoder.names, 0.0)
    decoder.set_weights({**zero, **WEIGHTS})
    dense = decoder.search(lines)
    made = binary_scores(decoder.rules, arpa, WEIGHTS)
    weights = SparseWeights.from_names(made.features)
    decoder.set_weights({**zero, "unknown": made.unknown}, weights)
    binary = decoder.search(lines)
    best = [dense.sparse(number, [0]) for number in range(len(lines))]
    expected = [float(row.sums(weights.engine.weights(row.features))[0]) for row in best]
    assert binary.store.scores.tolist() == pytest.approx(expected, abs=1e-3)
    same = sum(a == b for a, b in zip(dense.store.texts(), binary.store.texts(), strict=True))
    assert same > len(lines) / 2  # others are ties


def test_distances_get_the_weight_of_their_bin(place: Path) -> None:
    decoder, arpa, _ = decoder_and_text(place)
    found = binary_scores(decoder.rules, arpa, {"backtrack": -0.2}).features
    bins = {name: value for name, value in found.items() if name.startswith("distortion:") and value}
    assert bins["distortion:#-1"] == bins["distortion:#1"] == pytest.approx(-0.2)
    assert bins["distortion:#4..6"] == pytest.approx(-1.0)
    assert "distortion:#0" not in bins


def test_what_cannot_be_expressed(place: Path) -> None:
    decoder, arpa, _ = decoder_and_text(place)
    with pytest.raises(ConfigError, match="cannot express the dense feature 'insertions'"):
        binary_scores(decoder.rules, arpa, {"insertions": 1.0})
    longer = arpa.with_name("longer.arpa")
    longer.write_text(arpa.read_text().replace("\\3-grams:", "\\4-grams:"))
    with pytest.raises(ConfigError, match="up to three words"):
        binary_scores(decoder.rules, longer, WEIGHTS)
