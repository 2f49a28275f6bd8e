"""The engine's clustering against a slow, obvious one, and what inducing classes promises."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss._engine import BigramCounter, ExchangeClustering, Vocabulary
from isogloss.classes import ClassOptions, WordClasses, class_perplexity, induce_classes
from isogloss.io.errors import ConfigError, DataFormatError
from support.properties import examples

Sentences = Sequence[Sequence[str]]
STEPS_PER_BIT = 1 << 24

corpora_of_few_words = st.lists(
    st.lists(st.sampled_from("abcdefg"), max_size=8), min_size=1, max_size=8
).filter(any)


def f(count: int) -> int:
    return round(count * math.log2(count) * STEPS_PER_BIT) if count > 1 else 0


def likelihood(sentences: Sentences, class_of: dict[str, int]) -> int:
    """By the definition, in the engine's fixed point."""
    pairs: Counter[tuple[int, int]] = Counter()
    classes: Counter[int] = Counter()
    words: Counter[str] = Counter()
    for sentence in filter(None, sentences):
        path = [-1, *(class_of[word] for word in sentence), -1]
        pairs.update(itertools.pairwise(path))
        classes.update(path[1:])
        words.update([*sentence, "</s>"])
    return sum(map(f, pairs.values())) - 2 * sum(map(f, classes.values())) + sum(map(f, words.values()))


def slow_exchange(sentences: Sentences, class_of: dict[str, int], classes: int) -> Iterator[dict[str, int]]:
    """Move each word to its best class, as the dictionary has them; yield after each word."""
    for word in class_of:
        home = class_of[word]
        scores = [likelihood(sentences, {**class_of, word: target}) for target in range(classes)]
        best = max(range(classes), key=lambda target: (scores[target], target == home, -target))
        class_of = {**class_of, word: best}
        yield class_of


class Engine:
    """The engine's clustering, spoken to in words."""

    def __init__(self, sentences: Sentences, classes: int, initial: dict[str, int] | None = None) -> None:
        self.vocabulary, counter = Vocabulary(), BigramCounter()
        counter.add(*self.vocabulary.encode(sentences))
        self.words = self.vocabulary.words()
        self.initial = initial or {word: i % classes for i, word in enumerate(self.words)}
        units = np.arange(len(self.words), dtype=np.uint32)
        bigrams = counter.units(units, len(units))
        start = np.array([self.initial[word] for word in self.words], dtype=np.uint32)
        self.state = ExchangeClustering(bigrams, start, classes=classes)

    def class_of(self) -> dict[str, int]:
        return dict(zip(self.words, self.state.class_of().tolist(), strict=True))


@examples(60)
@given(corpora_of_few_words, st.integers(1, 4))
def test_moves_as_the_slow_algorithm_does(sentences: Sentences, classes: int) -> None:
    engine = Engine(sentences, classes)
    slow = engine.initial
    assert engine.state.likelihood_steps == likelihood(sentences, slow)
    for _ in range(3):
        for unit, moved in enumerate(slow_exchange(sentences, slow, classes)):
            engine.state.exchange(unit, unit + 1)
            assert engine.class_of() == moved
            assert engine.state.likelihood_steps == likelihood(sentences, moved)
        slow = moved


@examples(60)
@given(corpora_of_few_words, st.integers(1, 4))
def test_gain_of_every_move_is_the_difference_of_two_likelihoods(sentences: Sentences, classes: int) -> None:
    engine = Engine(sentences, classes)
    before = likelihood(sentences, engine.initial)
    for unit, word in enumerate(engine.words):
        for target in range(classes):
            after = likelihood(sentences, {**engine.initial, word: target})
            assert engine.state.gain_steps(unit, target) == after - before
    assert engine.class_of() == engine.initial


@examples(60)
@given(corpora_of_few_words, st.integers(1, 4))
def test_passes_never_lower_the_likelihood_and_end_where_no_move_helps(
    sentences: Sentences, classes: int
) -> None:
    result = induce_classes(sentences, ClassOptions(classes=classes, restarts=2))
    for _, passes in itertools.groupby(result.passes, key=lambda step: step.descent):
        likelihoods = [step.log_likelihood for step in passes]
        assert likelihoods == sorted(likelihoods)
    class_of = {word: result.classes[word] - 2 for word in result.classes}
    reached = likelihood(sentences, class_of)
    assert result.log_likelihood == pytest.approx(reached / STEPS_PER_BIT)
    for word, target in itertools.product(class_of, range(classes)):
        assert likelihood(sentences, {**class_of, word: target}) <= reached


def test_finds_the_best_of_all_clusterings_of_a_tiny_corpus() -> None:
    rng = np.random.default_rng(3)
    for _ in range(10):
        sentences = [list(rng.choice(list("abcdef"), size=rng.integers(1, 7))) for _ in range(6)]
        words = sorted({word for sentence in sentences for word in sentence})
        every = itertools.product(range(3), repeat=len(words))
        best = max(likelihood(sentences, dict(zip(words, point, strict=True))) for point in every)
        found = induce_classes(sentences, ClassOptions(classes=3, restarts=20))
        assert found.log_likelihood == pytest.approx(best / STEPS_PER_BIT)


def grammar_text(sentences: int) -> Sentences:
    rng = np.random.default_rng(11)
    roles = [["the", "a"], ["cat", "dog", "cow", "pig"], ["sees", "hears", "smells"]]
    pattern = [0, 1, 2, 0, 1]
    return [[str(rng.choice(roles[role])) for role in pattern] for _ in range(sentences)]


def test_finds_the_classes_a_text_was_made_from() -> None:
    result = induce_classes(grammar_text(300), ClassOptions(classes=3))
    groups = {frozenset(words) for words in result.classes.members().values()}
    assert groups == {
        frozenset({"the", "a"}),
        frozenset({"cat", "dog", "cow", "pig"}),
        frozenset({"sees", "hears", "smells"}),
    }
    assert result.tokens == 1500
    assert result.sentences == 300
    assert dict(zip(result.classes, result.counts, strict=True))["the"] > 250
    assert class_perplexity(grammar_text(300), result.classes) == pytest.approx(result.perplexity)


def zipf_text(sentences: int) -> Sentences:
    rng = np.random.default_rng(5)
    return [[f"w{n % 400}" for n in rng.zipf(1.3, size=12)] for _ in range(sentences)]


def test_result_depends_on_the_seed_and_not_on_threads() -> None:
    text = zipf_text(300)
    results = [induce_classes(text, ClassOptions(classes=9), threads=threads) for threads in (1, 2, 5)]
    assert results[0] == results[1] == results[2]
    other = induce_classes(text, ClassOptions(classes=9, seed=2))
    assert other.passes[0] == results[0].passes[0]
    assert other.passes != results[0].passes


def test_restarts_never_make_it_worse_and_iterations_bound_a_descent() -> None:
    text = zipf_text(200)
    plain = induce_classes(text, ClassOptions(classes=6, restarts=0))
    assert {step.descent for step in plain.passes} == {0}
    assert induce_classes(text, ClassOptions(classes=6)).log_likelihood >= plain.log_likelihood
    short = induce_classes(text, ClassOptions(classes=6, iterations=1, restarts=3))
    assert [(step.descent, step.number) for step in short.passes] == [(n, 1) for n in range(4)]


def test_rare_words_are_one_word() -> None:
    text = [*zipf_text(100), ["<unk>", "seldom", "seldom"]]
    result = induce_classes(text, ClassOptions(classes=5, min_count=3))
    counts = Counter(word for sentence in text for word in sentence)
    frequent = {word for word, count in counts.items() if count >= 3 and word != "<unk>"}
    assert set(result.classes) == frequent | {"<unk>"}
    assert result.classes["seldom"] == result.classes["<unk>"] == result.classes["never seen"]
    assert sum(result.counts) == result.tokens == sum(counts.values())
    assert list(result.counts) == sorted(result.counts, reverse=True)


def test_more_classes_than_words_gives_each_its_own() -> None:
    result = induce_classes([["a", "b", "a"]], ClassOptions(classes=50))
    assert dict(zip(result.classes, result.classes.classify(result.classes), strict=True)) == {"a": 2, "b": 3}
    assert induce_classes([["word"]]).classes == WordClasses({"word": 2})


def test_empty_lines_change_nothing() -> None:
    text = zipf_text(50)
    spaced = [line for sentence in text for line in (sentence, [])]
    assert induce_classes(spaced) == induce_classes(text)


def test_progress_hears_every_pass() -> None:
    heard: list[object] = []
    result = induce_classes(zipf_text(50), ClassOptions(classes=4), progress=heard.append)
    assert heard == list(result.passes)


def test_an_interruption_ends_the_restarts() -> None:
    def interrupt(step: object) -> None:
        if getattr(step, "descent", 0) == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        induce_classes(zipf_text(200), ClassOptions(restarts=1000), threads=2, progress=interrupt)


@pytest.mark.parametrize("sentences", [[], [[]], [[], []]])
def test_a_text_without_words_is_refused(sentences: Sentences) -> None:
    with pytest.raises(DataFormatError, match=r"some\.txt: no words found"):
        induce_classes(sentences, origin="some.txt")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"classes": 0}, "classes must be between 1 and 4096, got 0"),
        ({"classes": 4097}, "got 4097"),
        ({"iterations": 0}, "iterations must be at least 1, got 0"),
        ({"restarts": -1}, "restarts must be at least 0, got -1"),
        ({"min_count": 0}, "min_count must be at least 1, got 0"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
    ],
)
def test_options_that_cannot_work_are_refused(change: dict[str, int], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        ClassOptions(**change)
    with pytest.raises(ConfigError, match="threads must be at least 1, got 0"):
        induce_classes([["a"]], threads=0)


@pytest.mark.corpora
@pytest.mark.parametrize("language", ["de", "en"])
def test_beats_random_and_frequency_classes_on_real_text(corpora: Path, language: str) -> None:
    lines = (corpora / "multi30k-tok" / f"train.{language}").read_text(encoding="utf-8").splitlines()
    text = [line.split() for line in lines]
    found = induce_classes(text, ClassOptions(restarts=0))
    words = list(found.classes)
    rng = np.random.default_rng(1)
    random = WordClasses({word: int(rng.integers(2, 52)) for word in words})
    mass = np.cumsum(found.counts)
    binned = WordClasses({word: 2 + int(m * 49 // mass[-1]) for word, m in zip(words, mass, strict=True)})
    assert class_perplexity(text, found.classes) == pytest.approx(found.perplexity)
    assert found.perplexity < 0.6 * class_perplexity(text, random)
    assert found.perplexity < 0.6 * class_perplexity(text, binned)
