"""Minimum Bayes risk on lists as users hold them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

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
        ConfigError,
        match="unknown utility 'wer'; choose one of: bleu, chrf, ter, python:FILE, or give a function",
    ):
        mbr([["a"]], "wer")
    with pytest.raises(ConfigError, match="scale must be at least 0, got -1"):
        mbr([["a"]], scale=-1)
    with pytest.raises(ConfigError, match="references must be at least 0, got -1"):
        mbr([["a"]], references=-1)
    with pytest.raises(ConfigError, match="is not a finite number for the candidate 'a'"):
        mbr([[], ["a"]], lambda candidate, reference: float("nan"))


@pytest.mark.parametrize("utility", ["bleu", "chrf", "ter"])
def test_expected_utilities_are_those_of_sacrebleu(utility: str) -> None:
    texts = ["a big house", "the big house", "A house is big", "tree"]
    score = {
        "bleu": lambda a, b: BLEU(tokenize="none", effective_order=True).sentence_score(a, [b]).score / 100,
        "chrf": lambda a, b: CHRF().sentence_score(a, [b]).score / 100,
        "ter": lambda a, b: 1 - TER().sentence_score(a, [b]).score / 100,
    }[utility]
    expected = [sum(score(a, b) for b in texts) / len(texts) for a in texts]
    found = mbr([texts], utility)
    assert [float(one.score or 0) for one in found[0]] == pytest.approx(sorted(expected, reverse=True))


@pytest.mark.parametrize("utility", ["bleu", "chrf"])
def test_the_mean_of_all_candidates_can_be_the_reference(utility: str) -> None:
    texts = [["a big house", "a big house", "the big house", "a house", "one tree"]]
    exact, mean = mbr(texts, utility), mbr(texts, utility, aggregate=True)
    assert mean.best() == exact.best() == ["a big house"]
    # With one candidate, the mean is that candidate.
    assert mbr([["a big old house"]], utility, aggregate=True).scores.tolist() == pytest.approx([1.0])
    with pytest.raises(ConfigError, match="aggregate is for the utilities bleu and chrf"):
        mbr(texts, "ter", aggregate=True)


def test_functions_in_batches_and_with_the_source() -> None:
    calls: list[int] = []

    def one(candidate: str, reference: str) -> float:
        return float(len(set(candidate.split()) & set(reference.split())))

    def many(sources: Sequence[str], candidates: Sequence[str], references: Sequence[str]) -> list[float]:
        calls.append(len(candidates))
        assert set(sources) <= {"x", "y"}
        return [one(a, b) for a, b in zip(candidates, references, strict=True)]

    texts = [["a b c", "b c", "c"], ["d", "d e"]]
    nbest = NbestList(texts, source=["x", "y"], scores=[[-1, -2, -3], [-1, -2]])
    assert mbr(nbest, many, batch_size=4).scores.tolist() == pytest.approx(mbr(nbest, one).scores.tolist())
    assert calls == [4, 4, 4, 1]
    with pytest.raises(ConfigError, match="needs the source text"):
        mbr(texts, many, batch_size=4)


def test_a_cheap_metric_prunes_and_an_expensive_one_decides() -> None:
    asked: list[str] = []

    def longest(candidate: str, reference: str) -> float:
        asked.append(candidate)
        return float(len(candidate))

    texts = [["a big house", "a big house too", "the big house", "zzzzzzzzzzzzzzzzzzzzzzz", "qqq"]]
    found = mbr(texts, longest, prune=3)
    assert found.best() == ["a big house too"]
    assert len(asked) == 9  # three candidates, three references
    assert {one.text for one in found[0][3:]} == {"zzzzzzzzzzzzzzzzzzzzzzz", "qqq"}


def test_samples_count_as_often_as_they_were_drawn() -> None:
    samples = ["a house"] * 5 + ["the tree here", "the tree there", "the tree"]
    assert mbr(NbestList.from_outputs([samples]), "chrf", scale=0).best() == ["a house"]
    assert mbr([sorted(set(samples))], "chrf").best() != ["a house"]


def test_a_utility_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def utility(candidate, reference):\n    return -len(candidate)\n", "utf-8")
    assert mbr([["aaa", "b"]], f"python:{file}").best() == ["b"]
    file.write_text("def utility(candidate, reference):\n    return 1 / 0\n", "utf-8")
    with pytest.raises(ConfigError, match=r"mine.py, line 2: ZeroDivisionError"):
        mbr([["aaa", "b"]], f"python:{file}")
    file.write_text("def utility(candidates, references):\n    return [1.0]\n", "utf-8")
    with pytest.raises(ConfigError, match="gave 1 numbers for 4 candidates"):
        mbr([["aaa", "b"]], f"python:{file}", batch_size=4)
