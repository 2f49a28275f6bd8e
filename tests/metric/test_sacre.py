from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.metrics.base import Metric as Theirs

from isogloss.io.errors import ConfigError
from isogloss.metric import Metric, References, SacreMetric, sacre_bleu, sacre_chrf, sacre_ter
from support.properties import examples

words = st.sampled_from(["a", "bc", "Def", "bc.", "d!"])
sentences = st.lists(words, max_size=8).map(" ".join)
nonempty = st.lists(words, min_size=1, max_size=8).map(" ".join)

PAIRS = [
    (lambda: sacre_bleu(), lambda: BLEU()),
    (lambda: sacre_bleu(tokenize="intl", lowercase=True), lambda: BLEU(tokenize="intl", lowercase=True)),
    (lambda: sacre_chrf(lowercase=True), lambda: CHRF(lowercase=True)),
    (lambda: sacre_ter(), lambda: TER()),
    (lambda: SacreMetric(CHRF(word_order=2), "chrF2++"), lambda: CHRF(word_order=2)),
]


@examples(25)
@given(st.data())
@pytest.mark.parametrize("pair", PAIRS)
def test_scores_and_signatures_are_sacrebleus(pair, data: st.DataObject) -> None:  # type: ignore[no-untyped-def]
    ours: Metric = pair[0]()
    theirs: Theirs = pair[1]()
    count = data.draw(st.integers(1, 4))
    hypotheses = data.draw(st.lists(sentences, min_size=count, max_size=count))
    first = data.draw(st.lists(nonempty, min_size=count, max_size=count))
    second = data.draw(st.lists(st.none() | nonempty, min_size=count, max_size=count))
    references = References([first, second])
    rows = ours.statistics(hypotheses, references)
    expected = theirs.corpus_score(hypotheses, [first, second])
    assert ours.score(rows.sum(axis=0)) == pytest.approx(expected.score, abs=1e-9)
    assert ours.scores(rows) == pytest.approx([ours.score(row) for row in rows], abs=1e-9)
    assert ours.name == expected.name
    assert ours.signature(references) == str(theirs.get_signature())


def test_an_nbest_list_can_be_scored() -> None:
    metric, references = sacre_chrf(), References([["one two", "three"]])
    rows = metric.statistics(["one", "one two", "three"], references, [0, 0, 1])
    assert metric.scores(rows)[1:].tolist() == [100.0, 100.0]
    assert metric.scores(rows)[0] < 100


def test_statistics_follow_the_references_they_are_given() -> None:
    metric = sacre_bleu(tokenize="none")
    first, second = References([["a b c d e"]]), References([["v w x y z"]])
    for references, expected in ((first, 100.0), (second, 0.0), (first, 100.0)):
        assert metric.score(metric.statistics(["a b c d e"], references)[0]) == pytest.approx(expected)


def test_direction_is_known() -> None:
    assert sacre_bleu().higher_is_better
    assert sacre_chrf().higher_is_better
    assert not sacre_ter().higher_is_better


def test_scoring_does_not_change_the_statistics() -> None:
    metric = SacreMetric(BLEU(smooth_method="add-k", effective_order=True), "BLEU")
    rows = metric.statistics(["a b"], References([["a b c"]]))
    before = rows.copy()
    assert metric.score(rows[0]) == metric.score(rows[0])
    assert np.array_equal(rows, before)


def test_an_unknown_tokenizer_is_refused_with_the_choices() -> None:
    with pytest.raises(ConfigError, match=r"unknown tokenizer 'moses'; choose one of: .*13a.*none.*zh"):
        sacre_bleu(tokenize="moses")
