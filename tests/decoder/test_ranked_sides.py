"""What a decoder remembers between sentences must not change what it finds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss import _engine
from isogloss.decoder import SearchOptions, System, load
from isogloss.decoder.decoder import Decoder
from isogloss.features import SparseModel, SparseOptions
from isogloss.features.weights import SparseWeights
from isogloss.io.streams import read_lines
from support.small_search import fired, make_decoder

SEARCHES = pytest.mark.parametrize("search", ["hierarchical", "phrase"])


def quick(systems: Path, search: str, **weights: float) -> System:
    system = load(systems / search)
    options = replace(system.options, beam_size=10, pop_limit=20)
    return load(systems / search, options=options, weights={**system.weights, **weights})


@SEARCHES
@pytest.mark.parametrize("insertions", [0.0, -0.7, 0.7])
def test_a_sentence_after_a_thousand_others_is_translated_as_if_alone(
    systems: Path, search: str, insertions: float
) -> None:
    lines = list(read_lines(systems / "corpus" / "train.src"))[:1000]
    used = quick(systems, search, insertions=insertions)
    together = used.nbest(lines, nbest=1)
    texts = list(together.texts())
    for number in (0, 500, 999):
        alone = quick(systems, search, insertions=insertions).nbest([lines[number]], nbest=1)
        assert list(alone.texts()) == [texts[number]]
        assert alone.scores[0] == together.scores[number]
        assert (alone.dense[0] == together.dense[number]).all()
        assert used.nbest([lines[number]], nbest=1).equals(alone)


@SEARCHES
def test_weights_that_come_and_go_leave_no_trace(systems: Path, search: str) -> None:
    lines = list(read_lines(systems / "corpus" / "test.src"))[:20]
    decoder = quick(systems, search).decoder
    expected = decoder.nbest(lines, nbest=3)
    others = {name: 0.5 * weight for name, weight in decoder.weights.items()}
    with decoder.using(others):
        changed = decoder.nbest(lines, nbest=3)
        assert decoder.nbest(lines[:1], nbest=3).scores[0] == changed.scores[0]
    assert not changed.equals(expected)
    assert decoder.nbest(lines, nbest=3).equals(expected)


@SEARCHES
def test_constraints_and_searches_without_them_share_what_is_remembered(systems: Path, search: str) -> None:
    lines = list(read_lines(systems / "corpus" / "test.src"))[:10]
    references = [[line] for line in read_lines(systems / "corpus" / "test.tgt.0")][:10]
    decoder = quick(systems, search).decoder
    free = decoder.nbest(lines, nbest=3)
    oracle = decoder.oracle(lines, references).store
    assert oracle.equals(quick(systems, search).decoder.oracle(lines, references).store)
    assert decoder.nbest(lines, nbest=3).equals(free)


def test_sparse_features_of_unaligned_words_are_those_of_the_sentence(systems: Path) -> None:
    own = quick(systems, "phrase").decoder
    sparse = SparseModel(SparseOptions(templates=("insertion", "pair")))
    lines = list(read_lines(systems / "corpus" / "test.src"))[:30]
    learned = _engine.LearnedWeights()
    rng = np.random.default_rng(1)

    def decoder() -> Decoder:
        made = Decoder(own._rules, own._lm, own.options, own.weights, sparse=sparse)
        made.set_weights(own.weights, learned)
        return made

    found = decoder().search(lines, nbest=1)
    for sentence in range(len(lines)):
        features = found.sparse(sentence, [0]).features
        learned.add(features, rng.normal(0, 0.1, len(features)).astype(np.float32))
    together = decoder().nbest(lines, nbest=1)
    for number in (0, 10, 29):
        assert decoder().nbest([lines[number]], nbest=1).scores[0] == together.scores[number]


def test_features_of_the_sentence_choose_among_twice_as_many_options(tmp_path: Path) -> None:
    words = ("surface",)
    model = SparseModel(SparseOptions(templates=("insertion",), source_types=words, target_types=words))
    options = SearchOptions(beam_size=0, pop_limit=0, max_options=1, max_scanned=0)
    # All rules are equally good, so the first of the table come first.
    rules = [f"a ||| {word} ||| " for word in "xyz"]
    every = make_decoder(tmp_path, rules, model)
    names = {text: next(iter(features)) for text, features in fired(every, ["a"])}
    decoder = make_decoder(tmp_path, rules, model, options)
    for liked, expected in (("x", "x"), ("y", "y"), ("z", "x")):
        weights = SparseWeights.from_names({names[liked]: 5.0}, signature=model.signature)
        decoder.set_weights(dict.fromkeys(decoder.names, 0.0), weights)
        assert list(decoder.nbest(["a"], nbest=1).texts()) == [expected]


def test_sparse_features_of_a_step_decide_among_more_cubes_than_pops(tmp_path: Path) -> None:
    words = ("surface",)
    model = SparseModel(SparseOptions(templates=("distortion",), source_types=words, target_types=words))
    rules = ["a ||| x ||| 0-0", "a ||| w ||| 0-0", "b ||| y ||| 0-0", "c ||| z ||| 0-0"]
    phrases = SearchOptions(hierarchical=False, beam_size=0, pop_limit=0)
    every = dict(fired(make_decoder(tmp_path, rules, model, phrases), ["a", "b", "c"]))
    first = {name for text, features in every.items() if text.startswith("y") for name in features}
    first -= {name for text, features in every.items() if not text.startswith("y") for name in features}
    assert first
    # At the start there are three cubes and two pops: without the features both go to the options of "a".
    decoder = make_decoder(tmp_path, rules, model, replace(phrases, beam_size=2, pop_limit=2))
    weights = SparseWeights.from_names(dict.fromkeys(first, 5.0), signature=model.signature)
    decoder.set_weights(dict.fromkeys(decoder.names, 0.0), weights)
    (text,) = decoder.nbest(["a b c"], nbest=1).texts()
    assert text.startswith("y")
