"""Select sentences of a corpus: by n-grams, by cross-entropy, or at random.

A corpus is given as a function that starts reading it, so that it does not have to fit into memory.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.io.errors import ConfigError
from isogloss.io.progress import Track, no_track
from isogloss.selection.cross_entropy import entropy_differences
from isogloss.selection.options import SampleOptions

__all__ = ["Chosen", "ReadCorpus", "choose"]

ReadCorpus = Callable[[], Iterable[str]]
"""Starts reading the source sentences of a corpus."""

_BATCH = 20_000
_DEEPER = 4  # factor by which to raise the coverage if there are too few pairs


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Chosen:
    """The sentences selected from a corpus."""

    numbers: npt.NDArray[np.int64]
    """Selected sentences, numbered from 0, in order."""
    scores: npt.NDArray[np.float64]
    """Score of each: n-gram precision, or cross-entropy difference in bits per word."""
    sentences: int
    """Number of sentences in the corpus."""
    coverage: int = 0
    """For ``ngrams``: how often each n-gram had to be covered; more than requested if a size had to be
    reached."""
    ngrams: tuple[tuple[int, int], ...] = field(default=())
    """For ``ngrams``, for each length: the number of different n-grams in the text, and how many of them the
    corpus has."""


def choose(
    corpus: ReadCorpus,
    text: Sequence[str],
    options: SampleOptions | None = None,
    *,
    threads: int = 1,
    track: Track = no_track,
) -> Chosen:
    """Select sentences of a corpus that are similar to a text; words are separated by whitespace.

    The result does not depend on ``threads``.
    """
    options = options or SampleOptions()
    if options.method != "random" and not any(line.split() for line in text):
        raise ConfigError("the text to select for has no words")
    match options.method:
        case "ngrams":
            return _by_ngrams(corpus, text, options, threads, track)
        case "cross-entropy":
            return _by_cross_entropy(corpus, text, options, threads, track)
    return _at_random(corpus, options, track)


def _by_ngrams(
    corpus: ReadCorpus, text: Sequence[str], options: SampleOptions, threads: int, track: Track
) -> Chosen:
    coverage, before = options.coverage, -1
    while True:
        sampler = _engine.NgramSampler(order=options.order, coverage=coverage)
        sampler.add_text(_joined(text))
        for batch in _batches(track(corpus(), f"sentences (coverage {coverage})")):
            sampler.feed(_joined(batch), threads=threads)
        numbers, depths, precisions, worths = sampler.chosen()
        limit = options.limit(sampler.sentences)
        if not options.limited or len(numbers) in (limit, before) or len(numbers) > limit:
            break
        coverage, before = coverage * _DEEPER, len(numbers)
    # First those that a lower coverage would have selected; among them, those with rare n-grams first.
    order = np.lexsort((numbers, -worths, depths))[:limit]
    kept = np.sort(order)
    return Chosen(
        numbers=numbers[kept],
        scores=precisions[kept],
        sentences=sampler.sentences,
        coverage=coverage,
        ngrams=tuple(zip(sampler.ngrams(), sampler.found(), strict=True)),
    )


def _by_cross_entropy(
    corpus: ReadCorpus, text: Sequence[str], options: SampleOptions, threads: int, track: Track
) -> Chosen:
    scores = entropy_differences(
        corpus, text, order=options.order, seed=options.seed, threads=threads, track=track
    )
    order = np.argsort(scores, kind="stable")
    numbers = np.sort(order[: min(options.limit(len(scores)), int(np.isfinite(scores).sum()))])
    return Chosen(numbers=numbers, scores=scores[numbers], sentences=len(scores))


def _at_random(corpus: ReadCorpus, options: SampleOptions, track: Track) -> Chosen:
    sentences = sum(1 for _ in track(corpus(), "sentences"))
    numbers = random_numbers(sentences, options.limit(sentences), options.seed)
    return Chosen(numbers=numbers, scores=np.zeros(len(numbers)), sentences=sentences)


def random_numbers(sentences: int, size: int, seed: int) -> npt.NDArray[np.int64]:
    """This many different sentence numbers, in order."""
    drawn = np.random.default_rng(seed).permutation(sentences)[:size]
    return np.sort(drawn).astype(np.int64)


def _batches(sentences: Iterable[str]) -> Iterator[list[str]]:
    stream = iter(sentences)
    while batch := list(itertools.islice(stream, _BATCH)):
        yield batch


def _joined(sentences: Iterable[str]) -> bytes:
    return "".join([sentence.replace("\n", " ") + "\n" for sentence in sentences]).encode(
        errors="surrogatepass"
    )
