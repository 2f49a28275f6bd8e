"""Minimum Bayes risk on lists as users hold them."""

from __future__ import annotations

import numpy as np
import pytest
from sacrebleu.metrics import CHRF

from isogloss.io.errors import ConfigError
from isogloss.learn.mbr import consensus_rows
from isogloss.nbest import NbestList, make_nbest
from isogloss.rerank import mbr
from support.rerank_lists import sentences

STORE = make_nbest([line.split() for line in sentences(50)], candidates=7, seed=1)


@pytest.mark.parametrize("utility", ["bleu", "chrf"])
@pytest.mark.parametrize("references", [0, 3])
def test_the_choice_is_that_of_the_search(utility: str, references: int) -> None:
    found = mbr(STORE, utility, scale=0.5, references=references)
    rows = consensus_rows(STORE, utility=utility, scale=0.5, references=references)
    assert found.best() == list(STORE.texts(rows.tolist()))
    again = mbr(STORE, utility, scale=0.5, references=references, threads=2, progress=lambda items, *_: items)
    np.testing.assert_array_equal(again.scores, found.scores)


def test_a_function_is_a_utility_too() -> None:
    metric = CHRF()
    few = NbestList.from_store(STORE)[:5]
    calls = []

    def chrf(candidate: str, reference: str) -> float:
        calls.append((candidate, reference))
        return metric.sentence_score(candidate, [reference]).score / 100

    found = mbr(few, chrf, references=2)
    assert len(calls) == 5 * 7 * 2
    np.testing.assert_allclose(found.scores, mbr(few, "chrf", references=2).scores, atol=1e-12)


def test_scores_weigh_and_samples_without_scores_count_alike() -> None:
    candidates = [["a b", "c d", "c e"]]
    assert mbr(candidates, "chrf").best() == ["c d"]
    assert mbr(NbestList(candidates, scores=[[5, 0, 0]]), "chrf").best() == ["a b"]
    assert mbr(NbestList(candidates, scores=[[5, 0, 0]]), "chrf", scale=0).best() == ["c d"]
    texts = NbestList([["It's so.", "It's so!", "No."]], tokenizer="moses")
    assert mbr(texts, lambda candidate, reference: float("'s" in candidate)).best() == ["It's so."]
    assert mbr([[], ["x"]]).best() == ["", "x"]
    assert mbr([[]]).best() == [""]


def test_mistakes_are_explained() -> None:
    partly = NbestList([["a", "b"]], scores=[[1, None]])
    with pytest.raises(
        ConfigError, match="candidate 2 of the list has no score, but others have one; use scale=0"
    ):
        mbr(partly)
    assert mbr(partly, scale=0).best() == ["a"]
    with pytest.raises(
        ConfigError, match="unknown utility 'wer'; choose one of: bleu, chrf, or give a function"
    ):
        mbr([["a"]], "wer")
    with pytest.raises(ConfigError, match="scale must be at least 0, got -1"):
        mbr([["a"]], scale=-1)
    with pytest.raises(ConfigError, match="references must be at least 0, got -1"):
        mbr([["a"]], references=-1)
    with pytest.raises(ConfigError, match="a candidate of sentence 1 is not a finite number"):
        mbr([[], ["a"]], lambda candidate, reference: float("nan"))
