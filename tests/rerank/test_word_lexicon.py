"""The discriminative word lexicon against a slow version of itself, and as a feature."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from isogloss.io.errors import DataFormatError, ModelFormatError
from isogloss.rerank.features import FeatureContext, computed
from isogloss.rerank.naming import parse_features
from isogloss.rerank.word_lexicon import LexiconOptions, WordLexicon
from support.rerank_lists import store_of

PAIRS = [
    ("das haus", "the house"),
    ("ein haus", "a house"),
    ("das buch", "the book"),
    ("ein rotes buch", "a red book"),
]
SOURCE, TARGET = [source for source, _ in PAIRS], [target for _, target in PAIRS]
SMALL = LexiconOptions(min_source=1, min_target=1, epochs=3, update_size=4)


def slow(options: LexiconOptions) -> dict[tuple[str, str], float]:
    """AdaGrad, one weight after the other; with one batch per pass, the order does not matter."""
    sources = sorted({word for line in SOURCE for word in line.split()})
    targets = sorted({word for line in TARGET for word in line.split()})
    share = {e: sum(e in line.split() for line in TARGET) / len(TARGET) for e in targets}
    bias = {e: math.log(share[e] / (1 - share[e])) for e in targets}
    weights = {(f, e): 0.0 for f in sources for e in targets}
    squares = dict.fromkeys(weights, 0.1)
    for _ in range(options.epochs):
        gradient = dict.fromkeys(weights, 0.0)
        for source, target in PAIRS:
            for e in targets:
                z = bias[e] + sum(weights[f, e] for f in source.split())
                for f in source.split():
                    gradient[f, e] += 1 / (1 + math.exp(-z)) - (e in target.split())
        for key, value in gradient.items():
            squares[key] += value * value
            weights[key] -= options.rate * value / math.sqrt(squares[key])
    return {(f, e): weights[f, e] for f, e in weights} | {("", e): bias[e] for e in targets}


def test_weights_are_those_of_a_slow_version() -> None:
    lexicon, expected = WordLexicon.train(SOURCE, TARGET, SMALL), slow(SMALL)
    for row, f in enumerate(lexicon.source):
        for column, e in enumerate(lexicon.target):
            assert lexicon.weights[row, column] / 1024 == pytest.approx(expected[f, e], abs=1e-3)
            assert lexicon.bias[column] == pytest.approx(expected["", e], abs=1e-5)
    assert lexicon.losses[0] > lexicon.losses[-1]


def test_stored_lexicons(tmp_path: Path) -> None:
    lexicon = WordLexicon.train(SOURCE, TARGET, SMALL)
    lexicon.save(tmp_path / "lexicon")
    again = WordLexicon.load(tmp_path / "lexicon")
    np.testing.assert_array_equal(again.odds(["das", "haus"]), lexicon.odds(["das", "haus"]))
    assert again.target == lexicon.target
    with pytest.raises(ModelFormatError):
        WordLexicon.load(tmp_path)


def test_the_feature_prefers_words_that_the_source_calls_for(tmp_path: Path) -> None:
    options = LexiconOptions(min_source=1, min_target=1, epochs=30)
    lexicon = WordLexicon.train(SOURCE, TARGET, options)
    lexicon.save(tmp_path / "lexicon")
    store = store_of({0: ["the red book", "the book", "the book the", "a book unseen"]})
    context = FeatureContext(store=store, source=["das rotes buch"])
    groups, values, _ = computed(store, parse_features([f"lexicon:{tmp_path / 'lexicon'}"]), context)
    assert [group.name for group in groups] == ["LexiconOdds", "LexiconWords"]
    assert values[1, 0] > values[3, 0]
    assert values[1].tolist() == values[2].tolist()  # a word counts once
    odds = dict(zip(lexicon.target, lexicon.odds(["das", "rotes", "buch"]).tolist(), strict=True))
    assert values[1, 0] == pytest.approx(odds["the"] + odds["book"])
    assert values[1, 1] == pytest.approx(-sum(math.log1p(math.exp(-odds[e])) for e in ("the", "book")))


def test_text_that_does_not_fit() -> None:
    with pytest.raises(DataFormatError, match="3 lines found, but the source has 4"):
        WordLexicon.train(SOURCE, TARGET[1:])
    with pytest.raises(DataFormatError, match="too little text"):
        WordLexicon.train(["a"], ["b"])
