"""Names of features: printed by the search, read back to the numbers that it fires."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss import _engine
from isogloss.decoder import Decoder, SearchOptions
from isogloss.features import SPELLING_TYPES, SparseModel, SparseOptions, SparseWeights, TokenColumn
from support.exhaustive import Arc, Lattice, Match, Rule, Step
from support.properties import examples
from support.small_search import fired, make_decoder, of_template
from support.sparse_oracle import TokenTypes, escaped, events, feature_counts

LETTERS = r"|:#()_+@=~\<>/.,-ab9ZéßЖяعربي٣中文字ไทย๗हि७한글０'" + "\U0001f600\u0301"
words = st.text(LETTERS, min_size=1, max_size=9)
TEMPLATES = ("pair", "target_bigram", "rule", "source_phrase", "distortion", "hierarchical")
NUMBERS = {
    "pair:viol+|tnthk": 0x228BD8185C509AA3,
    "target_bigram:the|class=7": 0x891505F107AB36A1,
    "rule:(der_~)|(the)|#swapped": 0x4B698E326A9BE00E,
    "distortion:#-2..-3": 0x5F6A2AA26BA53DAB,
    "pair:@@@@/@/@@|+6/27": 0xC644E293AF61C4F1,
    r"pair:a\+b|\\": 0xEC24C30D832D4D82,
}
COLUMN = {"a": ("x", "|"), "+": ("a=b", "~", "@1"), "|": ("\\",), "<s>": ("<s>",), "</s>": ()}


@pytest.fixture(scope="module")
def decoder(tmp_path_factory: pytest.TempPathFactory) -> Decoder:
    types = (*SPELLING_TYPES, "my_column")
    model = SparseModel(
        SparseOptions(templates=TEMPLATES, source_types=types, target_types=types),
        source_columns={"my_column": TokenColumn(COLUMN)},
        target_columns={"my_column": TokenColumn(COLUMN)},
    )
    folder = tmp_path_factory.mktemp("names")
    options = SearchOptions(hierarchical=False, phrase_order="monotone")
    return make_decoder(folder, ["nowhere ||| nothing ||| 0-0"], model, options)


@examples(60)
@given(st.lists(st.one_of(words, st.sampled_from(sorted(COLUMN))), min_size=1, max_size=4))
def test_any_words_have_names_that_read_back(decoder: Decoder, sentence: list[str]) -> None:
    types = (*SPELLING_TYPES, "my_column")
    oracle = TokenTypes(types, types, {"my_column": COLUMN}, {"my_column": COLUMN})
    arcs = [Arc(i, i + 1, word) for i, word in enumerate(sentence)]
    steps = [
        Step("phrase", (i, i + 1), Match(Rule((arc.word,), (arc.word,)), None, i, i + 1, (arc,), ()), ())
        for i, arc in enumerate(arcs)
    ]
    lattice = Lattice(len(arcs), tuple(arcs))
    expected = feature_counts(oracle, TEMPLATES, events(lattice, steps, hierarchical=False))
    [(_, features)] = fired(decoder, sentence)  # which reads every name back
    assert features == expected


@examples(60)
@given(st.lists(words, min_size=2, max_size=2, unique=True))
def test_different_words_have_different_numbers(pair: list[str]) -> None:
    first, second = map(escaped, pair)
    names = [
        f"pair:{first}|{second}",
        f"pair:{second}|{first}",
        f"pair:{first}+|{second}",
        f"x:{first}|{second}",
    ]
    names += [f"pair:({first}_{second})|{first}", f"pair:({first})|{second}", f"pair:#{first}|{second}"]
    assert len(set(_engine.feature_numbers(names))) == len(names)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "a template's name and ':' are expected"),
        ("pair", "a template's name and ':' are expected"),
        (":a|b", "a template's name and ':' are expected"),
        ("pair:", "a word is missing"),
        ("pair:a|", "a word is missing"),
        ("pair:|a", "a word is missing"),
        ("pair:+|a", "a word is missing"),
        ("rule:()|a", "a word is missing"),
        ("rule:(a__b)|a", "a word is missing"),
        ("pair:tag=|a", "a value is missing"),
        ("pair:=N|a", "it mixes"),
        ("pair:a+b|c", "it mixes"),
        ("pair:+a+|c", "it mixes"),
        ("pair:a|b|c|d|e", "it has too many parts"),
        ("rule:(a_b|c", "a ')' is missing"),
        ("rule:(a)b|c", "it has too many parts"),
        ("pair:a|b\\", "it ends in a backslash"),
    ],
)
def test_what_is_no_name_is_refused(name: str, why: str) -> None:
    with pytest.raises(
        ValueError, match=f"'{re.escape(name)}' is not the name of a sparse feature: {re.escape(why)}"
    ):
        _engine.feature_number(name)


def test_numbers_are_part_of_the_file_format() -> None:
    assert _engine.feature_numbers(list(NUMBERS)).tolist() == list(NUMBERS.values())


def test_the_end_of_a_sentence_is_no_word(tmp_path: Path) -> None:
    model = SparseModel(
        SparseOptions(templates=("target_bigram", "target_phrase"), target_types=("surface",))
    )
    decoder = make_decoder(tmp_path, ["a ||| <s> ||| 0-0", "b ||| </s> ||| 0-0"], model)
    [(_, features)] = [found for found in fired(decoder, ["a", "b"]) if found[0] == "<s> </s>"]
    assert of_template(features, "target_bigram") == {r"<s>|\<s>": 1, r"\<s>|\</s>": 1, r"\</s>|</s>": 1}
    assert of_template(features, "target_phrase") == {r"(\<s>)": 1, r"(\</s>)": 1}
    weights = {
        r"target_bigram:<s>|\<s>": 1.0,
        "target_bigram:<s>|<s>": 10.0,
        r"target_bigram:\</s>|</s>": 2.0,
    }
    decoder.set_weights(dict.fromkeys(decoder.names, 0.0), SparseWeights.from_names(weights))
    assert decoder.nbest(["a b"]).scores[0] == 3


def test_phrases_with_too_many_readings_are_not_seen_in_that_type(tmp_path: Path) -> None:
    column = TokenColumn({"x": tuple("123456789"), "y": ("1",)})
    model = SparseModel(
        SparseOptions(templates=("target_phrase",), target_types=("tag",)), target_columns={"tag": column}
    )
    decoder = make_decoder(tmp_path, ["a ||| x x ||| ", "b ||| x x x ||| ", "c ||| x y ||| "], model)
    assert [len(fired(decoder, [word])[0][1]) for word in "abc"] == [81, 0, 9]


def test_a_gap_is_no_word(tmp_path: Path) -> None:
    model = SparseModel(SparseOptions(templates=("rule", "source_phrase")))
    rules = ["a [X,1] ||| x [X,1] ||| ", "a ~ ||| x ||| "]
    found = dict(fired(make_decoder(tmp_path, rules, model), ["a", "~"]))
    assert found["x"] == {r"rule:(a_\~)|(x)": 1, r"source_phrase:(a_\~)": 1}
    assert found["x ~"] == {
        "rule:(a_~)|(x)": 1,
        "source_phrase:(a_~)": 1,
        r"rule:(\~)|(\~)": 1,
        r"source_phrase:(\~)": 1,
    }
