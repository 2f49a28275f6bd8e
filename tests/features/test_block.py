"""The features of blocks on the example of tillmann2006: orientation, phrase bigrams, word pairs, n-grams."""

from __future__ import annotations

from pathlib import Path

import pytest

from isogloss.decoder import SearchOptions
from isogloss.features import SparseModel
from isogloss.features.block import block_features
from isogloss.io.errors import ConfigError
from support.small_search import fired, make_decoder, of_template

# Figure 1 has four blocks; the second source phrase is translated first, and then the first one.
BLOCKS = [
    "AlTA}rAt AlHrbyp ||| warplanes ||| 1-0",
    "AlAsrA}ylyp ||| Israeli ||| 0-0",
    "tnthk ||| violate ||| 0-0",
    "AlmjAl AljwY AllbnAny ||| Lebanese airspace ||| 0-1 2-0",
]
SENTENCE = ["AlTA}rAt", "AlHrbyp", "AlAsrA}ylyp", "tnthk", "AlmjAl", "AljwY", "AllbnAny"]


def features_of(folder: Path, kind: str) -> dict[str, float]:
    order = SearchOptions(hierarchical=False, phrase_order="swap", beam_size=0, pop_limit=0)
    decoder = make_decoder(folder, BLOCKS, SparseModel(block_features(kind)), order)  # type: ignore[arg-type]
    found = dict(fired(decoder, SENTENCE))
    return found["Israeli warplanes violate Lebanese airspace"]


def test_orientations_of_figure_1(tmp_path: Path) -> None:
    found = of_template(features_of(tmp_path, "phrase"), "block_orientation")
    assert found == dict.fromkeys(
        (
            r"#N|(AlAsrA}ylyp)|(Israeli)",
            r"#L|(AlTA}rAt_AlHrbyp)|(warplanes)",
            r"#N|(tnthk)|(violate)",
            r"#R|(AlmjAl_AljwY_AllbnAny)|(Lebanese_airspace)",
        ),
        1.0,
    )


def test_blocks_and_pairs_of_neighbors(tmp_path: Path) -> None:
    found = features_of(tmp_path, "phrase")
    assert of_template(found, "rule")["(tnthk)|(violate)"] == 1
    assert set(of_template(found, "target_phrase_bigram")) == {
        "<s>|(Israeli)",
        "(Israeli)|(warplanes)",
        "(warplanes)|(violate)",
        "(violate)|(Lebanese_airspace)",
        "(Lebanese_airspace)|</s>",
    }
    assert "(AlAsrA}ylyp)|(AlTA}rAt_AlHrbyp)" in of_template(found, "source_phrase_bigram")
    assert {name.partition(":")[0] for name in found} == set(block_features("phrase").templates)


def test_words(tmp_path: Path) -> None:
    found = features_of(tmp_path, "word")
    pairs = of_template(found, "block_pair")
    assert "Lebanese|AllbnAny" in pairs
    assert "Lebanese|AlmjAl" in pairs  # aligned or not
    assert "violate|AllbnAny" not in pairs  # another block
    assert "warplanes|violate|Lebanese" in of_template(found, "target_trigram")
    assert len(of_template(found, "target_word")) == 5
    assert of_template(found, "distortion")["#-2..-3"] == 1  # back over three words
    assert {name.partition(":")[0] for name in found} == set(block_features("word").templates)


def test_orders_and_kinds() -> None:
    both = block_features("both", swap=False).templates
    assert set(block_features().templates) - set(both) == {"block_orientation", "distortion"}
    assert set(both) == {
        *block_features("phrase", swap=False).templates,
        *block_features("word", swap=False).templates,
    }
    with pytest.raises(ConfigError, match="features of blocks are"):
        block_features("letters")  # type: ignore[arg-type]
