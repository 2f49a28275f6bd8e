from __future__ import annotations

import logging
import random
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from isogloss import _engine
from isogloss.io.errors import ConfigError
from isogloss.io.streams import read_lines
from isogloss.metric import SENTENCE_BLEU, Bleu, BleuOptions, DocumentBleu, References, bleu_scores
from support import metric_oracles as oracle
from support.properties import examples

# Few words, so that n-grams repeat and match.
words = st.sampled_from(["a", "b", "c", "d", "ä", "的", "e\u0301"])
sentences = st.lists(words, max_size=12).map(" ".join)
nonempty = st.lists(words, min_size=1, max_size=12).map(" ".join)


@st.composite
def corpora_of_words(draw: st.DrawFn) -> tuple[list[str], list[list[str | None]]]:
    """Hypotheses, and references by translator; some references are missing."""
    count = draw(st.integers(1, 5))
    hypotheses = draw(st.lists(sentences, min_size=count, max_size=count))
    first = draw(st.lists(nonempty, min_size=count, max_size=count))
    others = draw(
        st.lists(st.lists(st.none() | nonempty, min_size=count, max_size=count), min_size=0, max_size=3)
    )
    return hypotheses, [first, *others]


@pytest.fixture(autouse=True)
def quiet_sacrebleu() -> Iterator[None]:
    """It recommends effective order at every sentence score without it."""
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    yield
    logging.getLogger("sacrebleu").setLevel(logging.NOTSET)


@examples(150)
@given(
    corpora_of_words(),
    st.integers(1, 6),
    st.sampled_from(
        [("none", None), ("exp", None), ("floor", None), ("floor", 0.03), ("add-k", None), ("add-k", 0.5)]
    ),
    st.booleans(),
)
def test_engine_bleu_equals_sacrebleu(
    corpus: tuple[list[str], list[list[str | None]]],
    order: int,
    smoothing: tuple[str, float | None],
    effective_order: bool,
) -> None:
    hypotheses, streams = corpus
    references = References(streams)
    method, value = smoothing
    options = BleuOptions(
        order=order, smoothing=method, smoothing_value=value, effective_order=effective_order
    )
    theirs = BLEU(
        tokenize="none",
        smooth_method=method,
        smooth_value=value,
        max_ngram_order=order,
        effective_order=effective_order,
        force=True,
    )
    ours = Bleu(options)
    rows = ours.statistics(hypotheses, references)
    assert rows.dtype == np.int32
    assert rows.tolist() == theirs._extract_corpus_statistics(hypotheses, streams)
    corpus_score = theirs.corpus_score(hypotheses, streams).score
    assert ours.score(rows.sum(axis=0)) == pytest.approx(corpus_score, abs=1e-9)
    sentence_scores = [
        theirs.sentence_score(line, references.of(i)).score for i, line in enumerate(hypotheses)
    ]
    assert ours.scores(rows) == pytest.approx(sentence_scores, abs=1e-9)


@examples(150)
@given(corpora_of_words(), st.integers(1, 6), st.sampled_from(["closest", "shortest", "average"]))
def test_statistics_and_unsmoothed_score_equal_the_definition(
    corpus: tuple[list[str], list[list[str | None]]], order: int, length: str
) -> None:
    hypotheses, streams = corpus
    references = References(streams)
    metric = Bleu(BleuOptions(order=order, length=length, smoothing="none"))
    rows = metric.statistics(hypotheses, references)
    expected = [
        oracle.bleu_row(line.split(), [r.split() for r in references.of(i)], order, length)
        for i, line in enumerate(hypotheses)
    ]
    assert rows.tolist() == expected
    assert metric.scores(rows) / 100 == pytest.approx([oracle.bleu(row) for row in expected], abs=1e-12)


@examples(60)
@given(st.lists(st.lists(sentences, max_size=5), min_size=1, max_size=4), st.data())
def test_an_nbest_list_is_scored_like_its_candidates_one_by_one(
    lists: list[list[str]], data: st.DataObject
) -> None:
    references = References([data.draw(st.lists(nonempty, min_size=len(lists), max_size=len(lists)))])
    metric = Bleu(BleuOptions())
    flat = [line for candidates in lists for line in candidates]
    owner = [i for i, candidates in enumerate(lists) for _ in candidates]
    together = metric.statistics(flat, references, owner)
    threaded = Bleu(BleuOptions(), threads=3).statistics(flat, references, owner)
    single = [
        Bleu(BleuOptions()).statistics([line], References([[references.of(i)[0]]]))[0].tolist()
        for i, line in zip(owner, flat, strict=True)
    ]
    assert together.tolist() == threaded.tolist() == single


def test_of_two_equally_close_references_the_shorter_counts() -> None:
    metric = Bleu(BleuOptions())
    rows = metric.statistics(["a a a"], References([["a a a a"], ["a a"]]))
    assert rows[0, 1] == 2


def test_average_reference_length_rounds_halves_upwards() -> None:
    references = References([["a"], ["a a"]])
    assert Bleu(BleuOptions(length="average")).statistics(["a"], references)[0, 1] == 2
    references = References([["a"], ["a"], ["a a"]])
    assert Bleu(BleuOptions(length="average")).statistics(["a"], references)[0, 1] == 1


def test_unknown_words_match_nothing_not_even_each_other() -> None:
    rows = Bleu(BleuOptions(order=1)).statistics(["x x", "y"], References([["a a", "a"]]))
    assert rows.tolist() == [[2, 2, 0, 2], [1, 1, 0, 1]]


def test_words_end_at_every_unicode_space() -> None:
    hypotheses, reference = ["a\u00a0b\u3000c\u2028d\x1fe"], ["a b c d e"]
    rows = Bleu().statistics(hypotheses, References([reference]))
    assert rows.tolist() == BLEU(tokenize="none")._extract_corpus_statistics(hypotheses, [reference])
    assert rows[0, 2] == 5


def test_tokenizer_and_case_are_sacrebleus() -> None:
    hypotheses, reference = ["Hello, World! It's 3.5 km."], ["hello, world ! it's 3.5 km ."]
    metric = Bleu(BleuOptions(), tokenize="13a", lowercase=True)
    rows = metric.statistics(hypotheses, References([reference]))
    theirs = BLEU(tokenize="13a", lowercase=True)
    assert rows.tolist() == theirs._extract_corpus_statistics(hypotheses, [reference])
    assert "case:lc" in metric.signature(References([reference]))


def test_no_match_is_zero_under_every_smoothing() -> None:
    row = np.array([[3, 3, 0, 0, 0, 0, 3, 2, 1, 0]], dtype=np.int32)
    for smoothing in ("none", "exp", "floor", "add-k"):
        assert bleu_scores(row, BleuOptions(smoothing=smoothing, effective_order=True))[0] == 0


def test_zero_sentences_counts_what_unsmoothed_bleu_calls_zero() -> None:
    metric = Bleu(SENTENCE_BLEU)
    references = References([["a b c d", "a b c d", "a b c"]])
    rows = metric.statistics(["a b c d", "a b x d", "a b c"], references)
    assert metric.zero_sentences(rows) == 2


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"hypothesis_offsets": [0, 2, 1]}, "hypothesis offsets: number 2 is 1 after 2"),
        ({"hypothesis_offsets": [0, 2, 9]}, "hypothesis offsets: the last is 9, past the end at 3"),
        ({"hypothesis_offsets": [-1, 2, 3]}, "hypothesis offsets: the first is negative"),
        ({"hypothesis_offsets": []}, "hypothesis offsets: empty"),
        ({"sentence_offsets": [0, 1, 3]}, "hypothesis sentence offsets: the last is 3"),
        ({"reference_offsets": [0, 2**40, 3]}, "reference offsets: number 1 is 1099511627776"),
        ({"reference_sentence_offsets": [0, 2]}, "hypotheses for 2 sentences but references for 1"),
        ({"reference_sentence_offsets": [0, 0, 2]}, "sentence 0 (counted from 0) has no reference"),
    ],
)
def test_offsets_are_checked_before_they_are_used(change: dict[str, list[int]], problem: str) -> None:
    arguments = {
        "hypothesis_ids": [0, 1, 2],
        "hypothesis_offsets": [0, 2, 3],
        "sentence_offsets": [0, 1, 2],
        "reference_ids": [0, 1, 2],
        "reference_offsets": [0, 2, 3],
        "reference_sentence_offsets": [0, 1, 2],
    } | change
    arrays = [
        np.array(values, dtype=np.uint32 if name.endswith("ids") else np.int64)
        for name, values in arguments.items()
    ]
    for function in (_engine.bleu_statistics, _engine.nist_statistics):
        with pytest.raises(ValueError, match=re.escape(problem)):
            function(*arrays)


def test_arguments_out_of_range_are_refused() -> None:
    one, none = np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.uint32)
    empty = (none, one, one, none, one, one)
    assert _engine.bleu_statistics(*empty).shape == (0, 10)
    with pytest.raises(ValueError, match="order must be between 1 and 16, got 17"):
        _engine.bleu_statistics(*empty, order=17)
    with pytest.raises(ValueError, match="length must be closest, shortest or average, got 'best'"):
        _engine.bleu_statistics(*empty, length="best")
    with pytest.raises(ValueError, match=r"2 \+ 2 \* order columns, got 3"):
        _engine.bleu_scores(np.zeros((1, 3), dtype=np.int32))
    with pytest.raises(ValueError, match="background has 3 numbers"):
        _engine.bleu_scores(np.zeros((1, 4), dtype=np.int32), background=np.zeros(3))
    with pytest.raises(ValueError, match="smoothing must be none, exp, floor or add-k, got 'x'"):
        _engine.bleu_scores(np.zeros((1, 4), dtype=np.int32), smoothing="x")


@pytest.mark.parametrize(
    "wrong", [{"order": 0}, {"length": "best"}, {"smoothing": "laplace"}, {"smoothing_value": -1.0}]
)
def test_options_are_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=str(next(iter(wrong)))):
        BleuOptions(**wrong)  # type: ignore[arg-type]


def test_sentence_numbers_must_fit() -> None:
    metric, references = Bleu(), References([["a", "b"]])
    with pytest.raises(ConfigError, match="1 hypotheses for 2 sentences"):
        metric.statistics(["a"], references)
    with pytest.raises(ConfigError, match="1 hypotheses but 2 sentence numbers"):
        metric.statistics(["a"], references, [0, 1])
    for wrong in ([1, 0], [0, 2], [-1, 0]):
        with pytest.raises(ConfigError, match="between 0 and 1"):
            metric.statistics(["a", "b"], references, wrong)


rows_of_statistics = st.lists(
    st.tuples(sentences, nonempty).map(lambda pair: Bleu().statistics([pair[0]], References([[pair[1]]]))[0]),
    min_size=1,
    max_size=6,
)


@examples(60)
@given(rows_of_statistics, rows_of_statistics, st.data())
def test_document_bleu_is_bleu_with_one_row_exchanged(
    document_rows: list[np.ndarray], candidates: list[np.ndarray], data: st.DataObject
) -> None:
    document = DocumentBleu(np.array(document_rows), BleuOptions(smoothing="exp"))
    for _ in range(3):
        sentence = data.draw(st.integers(0, len(document_rows) - 1))
        expected = []
        for candidate in candidates:
            exchanged = [*document_rows[:sentence], candidate, *document_rows[sentence + 1 :]]
            expected.append(
                bleu_scores(np.sum(exchanged, axis=0)[np.newaxis], BleuOptions(smoothing="exp"))[0]
            )
        found = document.scores(sentence, np.array(candidates))
        assert found.tolist() == expected
        best = int(np.argmax(found))
        document.replace(sentence, candidates[best])
        document_rows[sentence] = candidates[best]
        assert document.score() == found[best]
        assert document.statistics.tolist() == np.sum(document_rows, axis=0).tolist()
        assert document.row(sentence).tolist() == candidates[best].tolist()


def test_document_bleu_refuses_statistics_of_another_order() -> None:
    with pytest.raises(ConfigError, match=r"10 columns, got an array of shape \(2, 6\)"):
        DocumentBleu(np.zeros((2, 6)))


def noised(lines: list[str], seed: int) -> list[str]:
    """Some words dropped, doubled or exchanged for others of the text."""
    rng = random.Random(seed)
    vocabulary = sorted({word for line in lines for word in line.split()})
    result = []
    for line in lines:
        words = [w for word in line.split() for w in [word] * rng.choice([0, 1, 1, 1, 1, 1, 2])]
        result.append(" ".join(rng.choice(vocabulary) if rng.random() < 0.15 else word for word in words))
    return result


def assert_equal_to_sacrebleu(hypotheses: list[str], streams: list[list[str | None]]) -> None:
    references = References(streams)
    streams = references.streams  # with None for empty lines
    rows = Bleu().statistics(hypotheses, references)
    expected = BLEU(tokenize="none", force=True)._extract_corpus_statistics(hypotheses, streams)
    assert rows.tolist() == expected
    for method in ("none", "exp", "floor", "add-k"):
        ours = Bleu(BleuOptions(smoothing=method, effective_order=True))
        theirs = BLEU(tokenize="none", smooth_method=method, effective_order=True, force=True)
        score = theirs._aggregate_and_compute(expected).score
        assert ours.score(rows.sum(axis=0)) == pytest.approx(score, abs=1e-9)
        single = [theirs._compute_score_from_stats(list(row)).score for row in expected]
        assert ours.scores(rows) == pytest.approx(single, abs=1e-9)
    assert Bleu().score(rows.sum(axis=0)) == pytest.approx(
        BLEU(tokenize="none", force=True).corpus_score(hypotheses, streams).score, abs=1e-9
    )


@pytest.mark.corpora
def test_equal_to_sacrebleu_on_multi30k(corpora: Path) -> None:
    english = list(read_lines(corpora / "multi30k-tok/test_2016.en"))
    german = list(read_lines(corpora / "multi30k-tok/test_2016.de"))
    assert_equal_to_sacrebleu(german, [english, noised(english, 1)])
    assert_equal_to_sacrebleu(noised(english, 2), [english])


@pytest.mark.corpora
def test_equal_to_sacrebleu_on_four_references(corpora: Path) -> None:
    streams = [list(read_lines(corpora / f"fisher/dev.en.{i}")) for i in range(4)]
    assert_equal_to_sacrebleu(streams[0], streams[1:])
    assert_equal_to_sacrebleu(noised(streams[0], 3), streams)
