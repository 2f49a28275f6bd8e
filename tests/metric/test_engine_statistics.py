"""chrF and TER of the engine are those of sacreBLEU, number for number."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF, TER

from isogloss.learn.metrics import list_statistics
from isogloss.metric import References, SacreMetric, metric_named
from isogloss.nbest import NbestList
from support.properties import examples

few_words = st.lists(st.sampled_from(["a", "b", "c", "D", "d.", "ab", "ß", "é"]), max_size=30).map(" ".join)
nonempty = few_words.map(lambda line: line or "x")


def theirs(name: str, lowercase: bool = False) -> SacreMetric:
    return SacreMetric(CHRF(lowercase=lowercase) if name == "chrf" else TER(), name)


@examples(60)
@given(st.data())
@pytest.mark.parametrize("name", ["chrf", "ter"])
def test_statistics_are_those_of_sacrebleu(name: str, data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 3))
    hypotheses = data.draw(st.lists(few_words, min_size=count, max_size=count))
    first = data.draw(st.lists(nonempty, min_size=count, max_size=count))
    second = data.draw(st.lists(st.none() | nonempty, min_size=count, max_size=count))
    references = References([first, second])
    ours = metric_named(name).statistics(hypotheses, references)
    assert ours.tolist() == theirs(name).statistics(hypotheses, references).tolist()


def shuffled(words: list[str], rng: random.Random) -> list[str]:
    """A long sentence with moved phrases, other, missing and doubled words."""
    made = list(words)
    for _ in range(rng.randrange(6)):
        at, size, to = rng.randrange(len(made)), rng.randrange(1, 12), rng.randrange(len(made))
        phrase = made[at : at + size]
        del made[at : at + size]
        made[to:to] = phrase
    return [word for word in made if rng.random() > 0.1] + rng.choices(words, k=rng.randrange(5))


@pytest.mark.parametrize("length", [5, 23, 24, 25, 26, 40, 90])
def test_long_sentences_with_shifts(length: int) -> None:
    rng = random.Random(length)
    lines = [[f"w{rng.randrange(max(length // 2, 4))}" for _ in range(length)] for _ in range(8)]
    hypotheses = [" ".join(shuffled(line, rng)) for line in lines]
    hypotheses[0], hypotheses[1] = "", "w1"  # lengths that have nothing in common
    references = References([[" ".join(line) for line in lines]])
    for name in ("chrf", "ter"):
        ours = metric_named(name).statistics(hypotheses, references)
        assert ours.tolist() == theirs(name).statistics(hypotheses, references).tolist()


def test_lists_are_scored_by_their_words() -> None:
    texts = [["A house", "Ein\u00a0Haus b", ""], ["the Tree", "tree the"]]
    nbest, references = NbestList(texts), References([["a house", "The tree"]])
    for name, lowercase in (("chrf", False), ("chrf", True), ("ter", False)):
        metric = metric_named(name, lowercase=lowercase)
        rows = list_statistics(nbest.store, references, metric)
        expected = theirs(name, lowercase).statistics(nbest.texts(), references, [0, 0, 0, 1, 1])
        assert rows.tolist() == expected.tolist()


def test_scores_are_fast_and_the_same() -> None:
    references = References([["a b c d", "e f g"]])
    for name in ("chrf", "ter"):
        metric = metric_named(name)
        rows = metric.statistics(["a c b", "e f g"], references)
        assert np.asarray(metric.scores(rows)) == pytest.approx([metric.score(row) for row in rows])
