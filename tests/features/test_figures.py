"""The worked examples of watanabe2007, section 3: its two figures and its normalized tokens."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from isogloss import _engine
from isogloss.decoder import SearchOptions
from isogloss.features import ALL_TEMPLATES, SparseModel, SparseOptions
from support.small_search import fired, make_decoder, of_template

MONOTONE = SearchOptions(hierarchical=False, phrase_order="monotone")

# Figure 1, with f_{j-1} = f0 and e_{i-1} = e0: e1 is aligned with f2, e3 with f3, e4 with f1, e2 with none.
FIGURE_1 = ["f0 ||| e0 ||| 0-0", "f1 f2 f3 ||| e1 e2 e3 e4 ||| 1-0 2-2 0-3"]
# Figure 2, with f_{j-1} = f0.
FIGURE_2 = [
    "f0 [X,1] f4 ||| e0 e4 [X,1] ||| 0-0 2-1",
    "f1 f2 [X,1] ||| e1 e2 [X,1] ||| 0-0 1-1",
    "f3 ||| e3 ||| 0-0",
]


def surface(*templates: str) -> SparseModel:
    return SparseModel(
        SparseOptions(templates=templates, source_types=("surface",), target_types=("surface",))
    )


def counts(*names: str) -> dict[str, float]:
    return dict.fromkeys(names, 1.0)


def test_figure_1(tmp_path: Path) -> None:
    decoder = make_decoder(tmp_path, FIGURE_1, surface(*ALL_TEMPLATES), MONOTONE)
    features = dict(fired(decoder, ["f0", "f1", "f2", "f3"]))["e0 e1 e2 e3 e4"]
    assert of_template(features, "pair") == counts("e0|f0", "e1|f2", "e3|f3", "e4|f1")
    assert of_template(features, "pair_bigram") == counts(
        "<s>|<s>|e0|f0", "e0|f0|e1|f2", "e1|f2|e3|f3", "e3|f3|e4|f1", "e4|f1|</s>|</s>"
    )
    assert of_template(features, "insertion") == counts("e2|f0", "e2|f1", "e2|f2", "e2|f3")
    assert of_template(features, "target_bigram") == counts(
        "<s>|e0", "e0|e1", "e1|e2", "e2|e3", "e3|e4", "e4|</s>"
    )
    assert of_template(features, "deletion") == {}
    assert of_template(features, "hierarchical") == {}


def test_an_inserted_word_counts_once_for_each_word_of_the_sentence(tmp_path: Path) -> None:
    decoder = make_decoder(tmp_path, FIGURE_1, surface("insertion"), MONOTONE)
    features = dict(fired(decoder, ["f0", "f1", "f2", "f3", "f0", "new"]))["e0 e1 e2 e3 e4 e0 new"]
    assert features == {
        "insertion:e2|f0": 2.0,
        **counts("insertion:e2|f1", "insertion:e2|f2", "insertion:e2|f3", "insertion:e2|new"),
    }


def test_figure_2(tmp_path: Path) -> None:
    decoder = make_decoder(tmp_path, FIGURE_2, surface(*ALL_TEMPLATES))
    found = fired(decoder, ["f0", "f1", "f2", "f3", "f4"])
    [features] = [features for text, features in found if text == "e0 e4 e1 e2 e3"]
    assert of_template(features, "hierarchical") == counts(
        "f0|f1", "f0|f2", "f4|f1", "f4|f2", "f1|f3", "f2|f3"
    )
    assert of_template(features, "pair") == counts("e0|f0", "e4|f4", "e1|f1", "e2|f2", "e3|f3")
    assert of_template(features, "pair_bigram") == counts(
        "<s>|<s>|e0|f0", "e0|f0|e4|f4", "e4|f4|e1|f1", "e1|f1|e2|f2", "e2|f2|e3|f3", "e3|f3|</s>|</s>"
    )


def test_hierarchical_features_see_aligned_words_only(tmp_path: Path) -> None:
    rules = [FIGURE_2[0].replace("0-0 2-1", "0-0"), FIGURE_2[1].replace("0-0 1-1", "1-0 1-1"), FIGURE_2[2]]
    decoder = make_decoder(tmp_path, rules, surface("hierarchical", "deletion"))
    found = fired(decoder, ["f0", "f1", "f2", "f3", "f4"])
    [features] = [features for text, features in found if text == "e0 e4 e1 e2 e3"]
    assert of_template(features, "hierarchical") == counts("f0|f2", "f2|f3")
    assert of_template(features, "deletion") == counts("e0|f4", "e4|f4", "e1|f1", "e2|f1")


def test_glue_phrases_are_parents(tmp_path: Path) -> None:
    rules = ["a ||| x ||| 0-0", "b ||| y ||| 0-0", "c ||| z ||| 0-0"]
    decoder = make_decoder(tmp_path, rules, surface("hierarchical"))
    found = dict(fired(decoder, ["a", "b", "c"]))
    assert found["x y z"] == counts("hierarchical:a|b", "hierarchical:b|c")
    assert found["y x z"] == counts("hierarchical:b|a", "hierarchical:b|c")


@pytest.mark.parametrize(
    ("word", "forms"),
    [
        ("violate", ["violate", "viol+", "+late"]),
        ("2007/6/27", ["2007/6/27", "2007+", "+6/27", "@@@@/@/@@"]),
        ("four", ["four"]),
        ("4th", ["4th", "@th"]),
        ("Größe", ["Größe", "Größ+", "+röße"]),
        ("٢٠٠٧", ["٢٠٠٧", "@@@@"]),
        ("a+b", [r"a\+b"]),
    ],
)
def test_normalized_tokens(word: str, forms: list[str]) -> None:
    types = [(name, None) for name in ("surface", "prefix", "suffix", "digits")]
    assert _engine.token_forms(word, types) == forms


def test_all_combinations_of_violate_and_tnthk(tmp_path: Path) -> None:
    model = SparseModel(SparseOptions(templates=("pair",)))
    decoder = make_decoder(tmp_path, ["tnthk ||| violate ||| 0-0"], model)
    [(_, features)] = fired(decoder, ["tnthk"])
    pairs = itertools.product(("violate", "viol+", "+late"), ("tnthk", "tnth+", "+nthk"))
    assert features == counts(*(f"pair:{e}|{f}" for e, f in pairs))
