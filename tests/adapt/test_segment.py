"""Retrieval gives exactly what a comparison with every example gives."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss import _engine
from isogloss.adapt.options import RetrievalOptions
from isogloss.adapt.segment import Example, Segment, segment_columns
from isogloss.decoder.example_index import Frequencies, QueryTerms
from isogloss.io.errors import ModelFormatError
from support.properties import examples

WORDS = st.sampled_from(["a", "b", "c", "d", "e", "f", "g", "h", ".", ","])
SENTENCES = st.lists(WORDS, min_size=1, max_size=9)


def slow_distance(a: list[str], b: list[str]) -> int:
    row = list(range(len(b) + 1))
    for i, word in enumerate(a, start=1):
        above = row
        row = [i]
        for j, other in enumerate(b, start=1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (word != other)))
    return row[-1]


def slow_similarity(a: list[str], b: list[str], idf: dict[str, float], share: float) -> float:
    def vector(words: list[str]) -> dict[str, float]:
        return {word: count * idf[word] for word, count in Counter(words).items()}

    left, right = vector(a), vector(b)
    norms = math.hypot(*left.values()) * math.hypot(*right.values())
    cosine = sum(left[word] * right.get(word, 0.0) for word in left) / norms if norms else 0.0
    return share * (1 - slow_distance(a, b) / max(len(a), len(b))) + (1 - share) * cosine


def segment_of(sentences: list[list[str]], **facts: list) -> tuple[Segment, Frequencies]:
    frequencies = Frequencies.count(sentences)
    examples = [
        Example(
            source=" ".join(words), references=("x",), **{name: values[i] for name, values in facts.items()}
        )
        for i, words in enumerate(sentences)
    ]
    return Segment(segment_columns(examples, range(len(examples)), frequencies), "test"), frequencies


@examples(60)
@given(st.lists(WORDS, max_size=150), st.lists(WORDS, max_size=150))
def test_edit_distance(a: list[str], b: list[str]) -> None:
    number = {word: i for i, word in enumerate(sorted({*a, *b}))}
    left, right = (np.array([number[word] for word in side], np.uint16) for side in (a, b))
    assert _engine.edit_distance(left, right, terms=len(number)) == slow_distance(a, b)


@pytest.mark.peer
def test_edit_distance_is_rapidfuzz_s() -> None:
    levenshtein = pytest.importorskip("rapidfuzz.distance").Levenshtein
    rng = np.random.default_rng(1)
    for _ in range(300):
        a, b = (rng.integers(0, 6, rng.integers(0, 140)).astype(np.uint16) for _ in range(2))
        assert _engine.edit_distance(a, b, terms=6) == levenshtein.distance(a.tolist(), b.tolist())


@examples(80)
@given(
    st.lists(SENTENCES, min_size=1, max_size=60),
    SENTENCES,
    st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    st.integers(1, 8),
    st.sampled_from([0.0, 0.3]),
    st.booleans(),
)
def test_search_equals_comparison_with_all(
    sentences: list[list[str]], query: list[str], share: float, size: int, least: float, skip: bool
) -> None:
    segment, frequencies = segment_of(sentences)
    terms = QueryTerms.of(" ".join(query), frequencies)
    options = RetrievalOptions(size=size, edit_share=share, min_similarity=least, skip_identical=skip)
    every = segment.similarities(terms, share)
    idf = dict(zip(terms.words, terms.idf.tolist(), strict=True))
    idf |= {word: float(frequencies.idf([word])[0]) for words in sentences for word in words}
    slow = [slow_similarity(query, words, idf, share) for words in sentences]
    assert every.tolist() == pytest.approx(slow, abs=1e-12)

    wanted = [
        i
        for i in np.lexsort((-np.arange(len(every)), -every)).tolist()
        if every[i] > 0 and every[i] >= least and not (skip and sentences[i] == query)
    ][:size]
    positions, similarities = segment.search(terms, options, least)
    assert positions.tolist() == wanted
    assert similarities.tolist() == every[wanted].tolist()


def test_search_in_a_larger_corpus() -> None:
    """Posting lists long enough for every way through the search."""
    rng = np.random.default_rng(7)
    frequent = 1 / np.arange(1, 401)
    words = [f"w{i}" for i in range(400)]
    drawn = [rng.choice(400, rng.integers(1, 15), p=frequent / frequent.sum()) for _ in range(4000)]
    sentences = [[words[i] for i in row] for row in drawn]
    segment, frequencies = segment_of(
        sentences, document=[f"d{i % 7}" for i in range(4000)], date=list(range(4000))
    )
    for share in (0.1, 0.6):
        for row in range(0, 4000, 160):
            terms = QueryTerms.of(" ".join(sentences[row]), frequencies)
            every = segment.similarities(terms, share)
            allowed = (np.arange(4000) % 7 != 3) & (np.arange(4000) < 3500)
            order = np.lexsort((-np.arange(4000), -every))
            options = RetrievalOptions(size=25, edit_share=share)
            positions, found = segment.search(terms, options, 0.0)
            assert positions.tolist() == order[:25].tolist()
            assert found.tolist() == every[order[:25]].tolist()
            options = RetrievalOptions(size=25, edit_share=share, skip_document="d3", before=3500)
            positions, _ = segment.search(terms, options, 0.0)
            assert positions.tolist() == [i for i in order.tolist() if allowed[i]][:25]


def test_frequencies() -> None:
    frequencies = Frequencies.count([["a", "b", "a"], ["a"], ["c", "a"], []])
    assert frequencies.idf(["a", "b", "z"]).tolist() == pytest.approx(
        [math.log(4 / 3), math.log(4), math.log(4)]
    )
    assert Frequencies.count([]).idf(["a"]).tolist() == [math.log(2)]
    again = Frequencies.from_arrays(frequencies.arrays(), "x")
    assert again.idf(["a", "b", "z"]).tolist() == frequencies.idf(["a", "b", "z"]).tolist()


@pytest.mark.parametrize("name", ["offsets", "words", "postings", "posting_offsets"])
def test_damaged_numbers_are_refused(name: str) -> None:
    """Whatever stands in the files, the search stays inside them, and works again afterward."""
    sentences = [["a", "b"], ["a", "c"], ["b", "c", "d"]] * 20
    segment, frequencies = segment_of(sentences)
    terms = QueryTerms.of("a b d", frequencies)
    good = segment.search(terms, RetrievalOptions(size=5), 0.0)[0].tolist()
    for value in (2**31, -5):
        columns = {key: np.array(column) for key, column in segment.columns.items()}
        columns[name][1:] = np.array(value).astype(columns[name].dtype)
        broken = Segment(columns, "memory/index")
        with pytest.raises(ModelFormatError, match="damaged"):
            broken.search(terms, RetrievalOptions(size=5), 0.0)
        assert segment.search(terms, RetrievalOptions(size=5), 0.0)[0].tolist() == good


@pytest.mark.corpora
def test_real_text_gives_the_same_as_a_comparison_with_all_of_it(corpora: Path) -> None:
    sentences = (corpora / "tanaka" / "train.ja").read_text(encoding="utf-8").splitlines()
    queries = (corpora / "tanaka" / "test.ja").read_text(encoding="utf-8").splitlines()
    frequencies = Frequencies.count([sentence.split() for sentence in sentences])
    known = [Example(source=sentence, references=()) for sentence in sentences]
    segment = Segment(segment_columns(known, range(len(known)), frequencies), "tanaka")
    for query in queries[::10]:
        terms = QueryTerms.of(query, frequencies)
        every = segment.similarities(terms, 0.1)
        order = np.lexsort((-np.arange(len(every)), -every))[:100]
        positions, similarities = segment.search(terms, RetrievalOptions(), 0.0)
        assert positions.tolist() == order[every[order] > 0].tolist()
        assert similarities.tolist() == every[positions].tolist()
