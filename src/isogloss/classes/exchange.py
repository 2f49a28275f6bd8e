"""Inducing word classes by exchange clustering (Kneser & Ney 1993; Martin, Liermann & Ney 1998).

Every word in turn, the most frequent first, moves to the class that maximizes the likelihood of the corpus
under a class bigram model, until no word moves. This is a local optimum. Restarts scatter some words at
random and repeat the exchange; the best clustering is kept.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from isogloss._engine import MOST_CLASSES, ExchangeClustering, UnitBigrams
from isogloss.classes.counting import CountedText, count_sentences
from isogloss.classes.words import FIRST_CLASS, UNKNOWN_WORD, WordClasses
from isogloss.io.errors import ConfigError
from isogloss.io.options import AtLeast, Between, Options
from isogloss.io.streams import StrPath

__all__ = ["ClassOptions", "Clustering", "Pass", "class_perplexity", "induce_classes"]

_CALL_WORK = 20_000_000  # words times class pairs per call of the engine: a few tenths of a second
_SCATTERED = 0.2  # share of the words that a restart scatters
_RESTARTS_AT_ONCE = 4  # fixed, because it determines which clustering each restart starts from

Numbers = npt.NDArray[np.uint32]
PassReport = Callable[["Pass"], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassOptions(Options):
    """The number of classes and the length of the search."""

    classes: Annotated[int, Between(1, MOST_CLASSES)] = 50
    """Number of classes, not counting the class of the sentence boundary."""
    iterations: Annotated[int, AtLeast(1)] = 50
    """Maximum number of passes over the vocabulary in one descent. A descent stops early if no word moves."""
    restarts: Annotated[int, AtLeast(0)] = 8
    """Additional descents from a perturbed copy of the best clustering so far; 0 returns the first local
    optimum."""
    min_count: Annotated[int, AtLeast(1)] = 1
    """Words seen less often than this are treated as one word, ``<unk>``."""
    seed: Annotated[int, AtLeast(0)] = 1
    """Random seed for the restarts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """One pass over the vocabulary."""

    descent: int
    """0 for the first descent; restarts are numbered from 1."""
    number: int
    """Number of the pass, from 1 in each descent."""
    moved: int
    """Words that changed class."""
    log_likelihood: float
    """Log likelihood of the corpus after the pass, in bits."""
    perplexity: float
    """Perplexity after the pass, per word and end of sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clustering:
    """Induced classes and the passes of the search."""

    classes: WordClasses
    passes: Sequence[Pass]
    """All passes of all descents."""
    best_descent: int
    log_likelihood: float
    perplexity: float
    sentences: int
    """Number of sentences that are not empty."""
    tokens: int
    types: int
    counts: Sequence[int]
    """Count of each word of ``classes``, in the same order."""

    def summary(self, shown: int = 8) -> list[dict[str, Any]]:
        """A row for each class: its number, its words and tokens, and its most frequent words."""
        counts = dict(zip(self.classes, self.counts, strict=True))
        return [
            {
                "class": number,
                "words": len(words),
                "tokens": sum(counts[word] for word in words),
                "most_frequent": words[:shown],
            }
            for number, words in self.classes.members().items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "sentences": self.sentences,
            "tokens": self.tokens,
            "types": self.types,
            "log_likelihood_bits": self.log_likelihood,
            "perplexity": self.perplexity,
            "best_descent": self.best_descent,
            "passes": [asdict(step) for step in self.passes],
            "classes": self.summary(),
        }


def induce_classes(
    sentences: Iterable[Sequence[str]] | CountedText,
    options: ClassOptions | None = None,
    *,
    threads: int = 1,
    progress: PassReport | None = None,
    origin: StrPath = "corpus",
) -> Clustering:
    """Cluster the words of a tokenized corpus, given as sentences or as what was counted in them.

    Memory grows with the number of different word pairs, not with the corpus. ``threads`` work on different
    restarts; the result does not depend on them. ``progress`` is called for every pass: immediately in the
    first descent, at the end of a restart. ``origin`` is the name of the corpus in errors.
    """
    options = options or ClassOptions()
    if threads < 1:
        raise ConfigError(f"threads must be at least 1, got {threads}")
    corpus = sentences if isinstance(sentences, CountedText) else count_sentences(sentences, origin)
    units = _units(corpus, options.min_count)
    search = _Search(units.bigrams, options, progress)
    search.descend()
    search.restart(threads)
    best = search.best
    class_of = (best.class_of + FIRST_CLASS).tolist()
    return Clustering(
        classes=WordClasses(dict(zip(units.words, class_of, strict=True))),
        passes=tuple(search.passes),
        best_descent=best.passes[0].descent,
        log_likelihood=best.passes[-1].log_likelihood,
        perplexity=best.passes[-1].perplexity,
        sentences=corpus.bigrams.sentences,
        tokens=int(corpus.counts.sum()),
        types=len(corpus.counts),
        counts=units.counts,
    )


def class_perplexity(sentences: Iterable[Sequence[str]], classes: WordClasses) -> float:
    """Perplexity of a corpus under the maximum-likelihood class bigram model of the given classes.

    This is what clustering minimizes: it measures how well classes describe this corpus, not unseen text.
    Words without a class are in the class of unknown words.
    """
    corpus = count_sentences(sentences, "corpus")
    numbers = np.array(classes.classify(corpus.words), dtype=np.uint32)
    names, dense = np.unique(numbers, return_inverse=True)
    if len(names) > MOST_CLASSES:
        raise ConfigError(f"{len(names)} different classes found, at most {MOST_CLASSES} can be compared")
    bigrams = corpus.bigrams.units(np.arange(len(numbers), dtype=np.uint32), len(numbers))
    state = ExchangeClustering(bigrams, dense.astype(np.uint32), classes=len(names))
    return _perplexity(state.likelihood, bigrams)


def _perplexity(log_likelihood: float, bigrams: UnitBigrams) -> float:
    return float(2.0 ** (-log_likelihood / bigrams.total))


@dataclass(frozen=True, slots=True)
class _Units:
    words: list[str]
    counts: list[int]
    bigrams: UnitBigrams


def _units(text: CountedText, min_count: int) -> _Units:
    """The units that move between classes: every word, or all rare words together; most frequent first."""
    names, counts = text.words, text.counts
    unit_of = np.arange(len(names))
    rare = counts < min_count
    if rare.any():
        if UNKNOWN_WORD in names:  # of the corpus itself: one with the rare words
            rare[names.index(UNKNOWN_WORD)] = True
        kept = np.flatnonzero(~rare)
        unit_of[kept], unit_of[rare] = np.arange(len(kept)), len(kept)
        names = [*(names[word] for word in kept), UNKNOWN_WORD]
        counts = np.append(counts[kept], counts[rare].sum())
    order = np.argsort(-counts, kind="stable")
    rank = np.empty(len(order), dtype=np.uint32)
    rank[order] = np.arange(len(order), dtype=np.uint32)
    bigrams = text.bigrams.units(rank[unit_of], len(order))
    return _Units([names[unit] for unit in order], counts[order].tolist(), bigrams)


@dataclass(frozen=True, slots=True)
class _Descent:
    class_of: Numbers
    likelihood_steps: int
    passes: list[Pass]


class _Search:
    """Descents over one corpus, and the best of them."""

    def __init__(self, bigrams: UnitBigrams, options: ClassOptions, progress: PassReport | None) -> None:
        self.bigrams, self.options = bigrams, options
        self.passes: list[Pass] = []
        self._report = progress or (lambda _: None)
        self._stop = threading.Event()

    def descend(self) -> None:
        """Start with each of the most frequent words in its own class and all others in the last class."""
        initial = np.minimum(np.arange(self.bigrams.units), self.options.classes - 1).astype(np.uint32)
        self.best = self._descent(0, initial, self._report)
        self.passes += self.best.passes

    def restart(self, threads: int) -> None:
        """Perturb the best clustering several times and continue from the best result."""
        last = self.options.restarts
        with ThreadPoolExecutor(max_workers=min(threads, _RESTARTS_AT_ONCE)) as pool:
            try:
                for first in range(1, last + 1, _RESTARTS_AT_ONCE):
                    group = range(first, min(first + _RESTARTS_AT_ONCE, last + 1))
                    self._take_best(pool.map(self._disturbed, group))
            except BaseException:
                self._stop.set()
                raise

    def _take_best(self, descents: Iterable[_Descent]) -> None:
        best = self.best
        for descent in descents:
            self.passes += descent.passes
            for step in descent.passes:
                self._report(step)
            if descent.likelihood_steps > best.likelihood_steps:
                best = descent
        self.best = best

    def _disturbed(self, number: int) -> _Descent:
        rng = np.random.default_rng([self.options.seed, number])
        initial = self.best.class_of.copy()
        scattered = rng.random(len(initial)) < _SCATTERED
        initial[scattered] = rng.integers(0, self.options.classes, int(scattered.sum()), dtype=np.uint32)
        return self._descent(number, initial, lambda _: None)

    def _descent(self, descent: int, initial: Numbers, report: PassReport) -> _Descent:
        state = ExchangeClustering(self.bigrams, initial, classes=self.options.classes)
        units = self.bigrams.units
        step = max(1, _CALL_WORK // (self.options.classes + 1) ** 2)
        passes: list[Pass] = []
        for number in range(1, self.options.iterations + 1):
            moved = 0
            for begin in range(0, units, step):
                moved += state.exchange(begin, begin + step)
                if self._stop.is_set():
                    raise KeyboardInterrupt
            done = Pass(
                descent=descent,
                number=number,
                moved=moved,
                log_likelihood=state.likelihood,
                perplexity=_perplexity(state.likelihood, self.bigrams),
            )
            passes.append(done)
            report(done)
            if moved == 0:
                break
        return _Descent(state.class_of(), state.likelihood_steps, passes)
