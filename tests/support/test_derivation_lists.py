"""Questions to a list of derivations, against answers worked by hand and sacreBLEU."""

from __future__ import annotations

import math
import random

import pytest
from sacrebleu.metrics.bleu import BLEU

from support.derivation_lists import (
    best_bleu,
    distinct,
    ngram_expectation,
    ngram_posterior,
    probabilities,
    sentence_bleu,
    string_posterior,
)
from support.exhaustive import Derivation, Words


def listed(*scored: tuple[float, str]) -> list[Derivation]:
    return [Derivation(score, tuple(words.split()), {}, ()) for score, words in scored]


FOUND = listed((math.log(4), "a b a"), (math.log(3), "b b"), (math.log(2), "a b a"), (0.0, ""))


def test_distinct_keeps_the_best_derivation_of_each_string() -> None:
    assert distinct(FOUND) == [FOUND[0], FOUND[1], FOUND[3]]
    assert distinct(FOUND, 2) == FOUND[:2]
    assert distinct(FOUND, 0) == []
    assert distinct(FOUND, 100) == distinct(FOUND)


@pytest.mark.parametrize(
    ("scale", "shares"),
    [(1, [4, 3, 2, 1]), (0, [1, 1, 1, 1]), (2, [16, 9, 4, 1]), (-1, [1 / 4, 1 / 3, 1 / 2, 1])],
)
def test_probabilities(scale: float, shares: list[float]) -> None:
    assert probabilities(FOUND, scale) == pytest.approx([share / sum(shares) for share in shares])


def test_huge_scores_do_not_overflow() -> None:
    assert probabilities(listed((5000.0, "a"), (5000.0, "b"), (-5000.0, "c"))) == [0.5, 0.5, 0.0]


def test_posteriors() -> None:
    assert string_posterior(FOUND, ("a", "b", "a")) == pytest.approx(0.6)
    assert string_posterior(FOUND, ()) == pytest.approx(0.1)
    assert string_posterior(FOUND, ("a",)) == 0
    assert string_posterior(FOUND, ("b", "b"), scale=2) == pytest.approx(9 / 30)
    assert ngram_posterior(FOUND, ("a",)) == pytest.approx(0.6)
    assert ngram_posterior(FOUND, ("b",)) == pytest.approx(0.9)
    assert ngram_posterior(FOUND, ("b", "a")) == pytest.approx(0.6)
    assert ngram_posterior(FOUND, ("a", "a")) == 0
    assert ngram_expectation(FOUND, ("a",)) == pytest.approx(1.2)
    assert ngram_expectation(FOUND, ("b",)) == pytest.approx(0.6 + 2 * 0.3)


def test_sentence_bleu_equals_sacrebleu() -> None:
    rng = random.Random(1)
    metric = BLEU(effective_order=True, tokenize="none")
    for _ in range(300):
        hypothesis, *references = (
            tuple(rng.choices("abc", k=rng.randint(least, 7))) for least in (0, 1, 1)[: rng.randint(2, 3)]
        )
        expected = metric.sentence_score(" ".join(hypothesis), [" ".join(r) for r in references]).score
        assert 100 * sentence_bleu(hypothesis, references) == pytest.approx(expected, abs=1e-9)


def test_best_bleu_prefers_the_higher_score_among_equals() -> None:
    found = listed((3.0, "x y"), (2.0, "a b c"), (1.0, "a b c"), (0.0, "a b"))
    assert best_bleu(found, [("a", "b", "c")]) == (1.0, found[1])
    assert best_bleu(found, [("q",)]) == (0.0, found[0])


def test_best_bleu_by_another_measure() -> None:
    def shortness(words: Words, _references: object) -> float:
        return -len(words)

    assert best_bleu(FOUND, [], shortness) == (0, FOUND[3])
