"""Sampling against what its definition says, done slowly."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from isogloss.io.errors import ConfigError
from isogloss.lm import LanguageModel, LmOptions, build
from isogloss.selection import Chosen, SampleOptions, choose
from isogloss.selection.perplexity import perplexities


def ngrams(words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def precision(sentence: str, text: str, order: int) -> Fraction:
    total = Fraction(0)
    for n in range(1, order + 1):
        own, other = ngrams(sentence.split(), n), ngrams(text.split(), n)
        if own:
            total += Fraction((own & other).total(), own.total())
    return total / order


def greedy(corpus: list[str], text: list[str], order: int, coverage: int) -> dict[int, float]:
    """For each sentence of the text: by falling precision, as long as an n-gram is not covered."""
    chosen: dict[int, float] = {}
    for sentence in text:
        wanted = {gram: coverage for n in range(1, order + 1) for gram in ngrams(sentence.split(), n)}
        ranked = sorted(range(len(corpus)), key=lambda i: (-precision(corpus[i], sentence, order), i))
        for i in ranked:
            own = {gram for n in range(1, order + 1) for gram in ngrams(corpus[i].split(), n)} & wanted.keys()
            if any(wanted[gram] > 0 for gram in own):
                chosen[i] = max(chosen.get(i, 0.0), float(precision(corpus[i], sentence, order)))
                for gram in own:
                    wanted[gram] -= 1
    return chosen


def random_text(rng: random.Random, sentences: int, vocabulary: str = "abcdefg") -> list[str]:
    return [
        " ".join(rng.choices(vocabulary, weights=range(len(vocabulary), 0, -1), k=rng.randrange(9)))
        for _ in range(sentences)
    ]


def chosen(corpus: list[str], text: list[str], threads: int = 1, **options: object) -> Chosen:
    return choose(lambda: iter(corpus), text, SampleOptions(**options), threads=threads)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(8))
def test_ngrams_are_covered_greedily(seed: int) -> None:
    rng = random.Random(seed)
    corpus, text = random_text(rng, 60, "abcdefghij"), [*random_text(rng, 8), "", "zz"]
    order, coverage = rng.randint(1, 4), rng.randint(1, 4)
    found = chosen(corpus, text, order=order, coverage=coverage)
    expected = greedy(corpus, text, order, coverage)
    assert found.numbers.tolist() == sorted(expected)
    assert found.scores.tolist() == pytest.approx([expected[i] for i in sorted(expected)])


def test_threads_make_no_difference() -> None:
    rng = random.Random(3)
    corpus, text = random_text(rng, 3000), random_text(rng, 1500)  # several shards and chunks
    one, three = (chosen(corpus, text, threads=threads, coverage=2) for threads in (1, 3))
    assert one.numbers.tolist() == three.numbers.tolist()
    assert one.scores.tolist() == three.scores.tolist()
    assert one.ngrams == three.ngrams


def test_a_size_is_filled_with_what_a_smaller_coverage_brings_first() -> None:
    rng = random.Random(5)
    corpus, text = random_text(rng, 200, "abcdefghijklmnop"), random_text(rng, 5)
    for coverage in (1, 2, 3):
        inner = chosen(corpus, text, coverage=coverage)
        larger = chosen(corpus, text, coverage=1, size=len(inner.numbers) + 5)
        assert set(inner.numbers.tolist()) < set(larger.numbers.tolist())
        assert len(larger.numbers) == len(inner.numbers) + 5
    related = sum(bool({*sentence.split()} & {*" ".join(text).split()}) for sentence in corpus)
    everything = chosen(corpus, text, size=200)
    assert len(everything.numbers) == related < 200  # what shares no word is never chosen


def test_ngrams_of_the_text_are_counted() -> None:
    found = chosen(["a b", "b a", ""], ["a b c", "a b c"], order=2, coverage=1)
    assert found.ngrams == ((3, 2), (2, 1))
    assert found.sentences == 3
    assert found.numbers.tolist() == [0]


def test_cross_entropy_difference(tmp_path: Path) -> None:
    rng = random.Random(2)
    text = random_text(rng, 40, "abcd")
    inside, outside = random_text(rng, 60, "abcd"), random_text(rng, 60, "wxyzabcd")
    corpus = [*inside, *outside]
    found = chosen(corpus, text, method="cross-entropy", size=60, order=2)
    assert np.mean(found.numbers < 60) > 0.7
    assert found.sentences == 120
    # The same by hand: the models' own tools, on text whose rare words are replaced.
    counts = Counter(word for line in text for word in line.split())
    assert {word for word in counts if counts[word] < 2} == set()
    everything = chosen(corpus[:20], text, method="cross-entropy", size=20, order=2)
    models = []
    for name, lines in (("text", text), ("corpus", corpus[:20])):
        kept = [line for line in lines if line.split()]
        (tmp_path / name).write_text("".join(line + "\n" for line in kept))
        build([tmp_path / name], options=LmOptions(order=2), binary=tmp_path / f"{name}.lm")
        models.append(LanguageModel.load(tmp_path / f"{name}.lm"))
    for number, score in zip(everything.numbers.tolist(), everything.scores.tolist(), strict=True):
        sentence = corpus[number]
        difference = (models[1].score(sentence) - models[0].score(sentence)) / (len(sentence.split()) + 1)
        assert score == pytest.approx(difference / math.log10(2), abs=1e-5)
    assert not {number for number in range(20) if not corpus[number]} & set(everything.numbers.tolist())


def test_random_samples() -> None:
    corpus = [str(i) for i in range(100)]
    first, again, other = (chosen(corpus, [], method="random", share=0.25, seed=seed) for seed in (1, 1, 2))
    assert len(first.numbers) == 25
    assert first.numbers.tolist() == again.numbers.tolist() == sorted(set(first.numbers.tolist()))
    assert first.numbers.tolist() != other.numbers.tolist()


def test_perplexities_spread_probability_over_the_same_words(tmp_path: Path) -> None:
    (tmp_path / "all").write_text("a b\nc d\na c\n")
    (tmp_path / "some").write_text("a b\n")
    found = perplexities({"all": tmp_path / "all", "some": tmp_path / "some"}, ["a e", "b"], order=1)
    model = LanguageModel.load(_built(tmp_path, "some"))
    shares = [model.score_words("a e")[1].log10 - math.log10(3)]  # e is one of the three words c, d, e
    shares += [word.log10 for word in (*model.score_words("a"), *model.score_words("b"))]
    assert found["some"].perplexity == pytest.approx(10 ** (-sum(shares) / 5))
    assert (found["some"].unknown, found["all"].unknown) == (1, 1)
    assert (found["some"].sentences, found["some"].words) == (1, 2)


def _built(folder: Path, name: str) -> Path:
    build([folder / name], options=LmOptions(order=1), binary=folder / f"{name}.lm")
    return folder / f"{name}.lm"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"method": "best"}, "method must be one of ngrams, cross-entropy, random, got 'best'"),
        ({"method": "random"}, "the method 'random' needs a `size` or a `share`"),
        ({"coverage": 0}, "coverage must be at least 1, got 0"),
        ({"order": 8}, "order must be between 1 and 7, got 8"),
        ({"share": 1.0}, "share must be at least 0 and below 1, got 1.0"),
        ({"size": 3, "share": 0.5}, "give either `size` or `share`, not both"),
    ],
)
def test_options_that_cannot_work(options: dict[str, object], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        SampleOptions(**options)  # type: ignore[arg-type]


def test_a_text_without_words() -> None:
    with pytest.raises(ConfigError, match="has no words"):
        chosen(["a"], ["", " "])
