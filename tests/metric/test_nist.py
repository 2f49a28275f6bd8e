from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.io.streams import read_lines
from isogloss.metric import Nist, References
from support import metric_oracles as oracle
from support.properties import examples

words = st.sampled_from(["a", "b", "c", "d"])
sentences = st.lists(words, max_size=10)
nonempty = st.lists(words, min_size=1, max_size=10)


def ours(hypotheses: list[list[str]], references: list[list[list[str]]], order: int = 5) -> float:
    """NIST of hypotheses[sentence] against references[sentence][translator]."""
    streams = [[" ".join(line) for line in stream] for stream in zip(*references, strict=True)]
    metric = Nist(order=order)
    rows = metric.statistics([" ".join(line) for line in hypotheses], References(streams))
    return metric.score(rows.sum(axis=0))


@st.composite
def corpora_of_words(draw: st.DrawFn, most: int = 3) -> tuple[list[list[str]], list[list[list[str]]]]:
    count, translators = draw(st.integers(1, 5)), draw(st.integers(1, most))
    group = st.lists(nonempty, min_size=translators, max_size=translators)
    return (
        draw(st.lists(sentences, min_size=count, max_size=count)),
        draw(st.lists(group, min_size=count, max_size=count)),
    )


@examples(150)
@given(corpora_of_words(), st.integers(1, 6))
def test_nist_equals_the_definition(
    corpus: tuple[list[list[str]], list[list[list[str]]]], order: int
) -> None:
    hypotheses, references = corpus
    assert ours(hypotheses, references, order) == pytest.approx(
        oracle.nist(hypotheses, references, order), abs=1e-9
    )


def test_nist_of_a_small_example_by_hand() -> None:
    # Six words; "the" twice. Unigrams: log2(6/2) + 2 log2(6/1) over 3; bigrams: log2(2/1) + 0 over 2.
    unigrams = (np.log2(3) + 2 * np.log2(6)) / 3
    penalty = np.exp(-np.log(2) / np.log(1.5) ** 2 * np.log(0.5) ** 2)  # half as long as the reference
    expected = (unigrams + 1 / 2) * penalty
    assert ours([["the", "cat", "sat"]], [[["the", "cat", "sat", "on", "the", "mat"]]]) == pytest.approx(
        expected
    )


def test_two_thirds_of_the_length_keep_half_of_the_score() -> None:
    metric = Nist()
    row = np.array([2.0, 3.0, 4.0, 0, 0, 0, 0, 2.0, 1, 0, 0, 0])
    assert metric.score(row) == pytest.approx(0.5 * 4 / 2)
    assert metric.score(np.zeros(12)) == 0


def test_missing_references_leave_the_mean_of_the_others() -> None:
    metric = Nist()
    references = References([["a b", "a b c"], [None, "a"]])
    rows = metric.statistics(["a", "a"], references)
    assert rows[:, 1].tolist() == [2, 2]
    assert "nrefs:var" in metric.signature(references)


def test_candidates_of_an_nbest_list_share_the_weights_of_all_references() -> None:
    metric, references = Nist(), References([["a b c", "c d"]])
    rows = metric.statistics(["a b", "c", "c d"], references, [0, 1, 1])
    threaded = Nist(threads=2).statistics(["a b", "c", "c d"], references, [0, 1, 1])
    assert rows[0].tolist() == metric.statistics(["a b", "x"], references)[0].tolist()
    assert rows[2].tolist() == metric.statistics(["x", "c d"], references)[1].tolist()
    assert rows.tolist() == threaded.tolist()


@pytest.mark.corpora
def test_nist_equals_the_definition_on_four_references(corpora: Path) -> None:
    streams = [[line.split() for line in read_lines(corpora / f"fisher/dev.en.{i}")] for i in range(4)]
    complete = [group for group in zip(*streams, strict=True) if all(group)][:1500]
    hypotheses = [group[0] for group in complete]
    references = [list(group[1:]) for group in complete]
    assert ours(hypotheses, references) == pytest.approx(oracle.nist(hypotheses, references), abs=1e-9)


@pytest.mark.peer
@examples(50)
@given(corpora_of_words(most=1))
def test_nist_equals_nltks_with_one_reference(
    corpus: tuple[list[list[str]], list[list[list[str]]]],
) -> None:
    """With one reference the two definitions are the same, but for one case.

    NLTK divides by zero when no hypothesis is long enough for an order; mteval counts such an order as 0.
    A sentence of five words keeps every order filled.
    """
    corpus_nist = pytest.importorskip("nltk.translate.nist_score").corpus_nist
    hypotheses, references = corpus
    hypotheses, references = [*hypotheses, list("abcde")], [*references, [list("abxde")]]
    assert ours(hypotheses, references) == pytest.approx(corpus_nist(references, hypotheses), abs=1e-9)


@pytest.mark.peer
def test_where_nltks_nist_differs_with_several_references() -> None:
    """NLTK matches each order of a hypothesis against its one best reference, and takes that one's length.

    mteval clips each n-gram by whichever reference has it most and takes the mean length. Here the halves
    of the hypothesis stand in different references: mteval credits all four unigrams, NLTK only two.
    """
    corpus_nist = pytest.importorskip("nltk.translate.nist_score").corpus_nist
    hypotheses, references = [list("abcd")], [[list("abxy"), list("zwcd")]]
    assert ours(hypotheses, references, order=2) == pytest.approx(oracle.nist(hypotheses, references, 2))
    # Eight words, each once: every unigram is worth 3 bits, every bigram 0.
    assert ours(hypotheses, references, order=2) == pytest.approx(3.0)
    assert corpus_nist(references, hypotheses, 2) == pytest.approx(1.5)
