"""Significance tests: is one system better than another, or is it chance?

Both tests take the statistics of two systems on the same sentences, under any metric. A system may be
given by several runs of a randomized optimizer: its score is then the mean over the runs (Clark et al.
2011), because a single run may be lucky.

*Paired bootstrap resampling* (Koehn 2004) draws test sets of the same size from the sentences, with
replacement, and scores both systems on each. The p-value is the share of draws in which the system that is
better on the real test set is not better: a one-sided statement about other test sets of this kind.
sacreBLEU instead centers the absolute differences and counts those above the real one. For clear
differences the two agree; near zero ours tends to 0.5 and sacreBLEU's to 0.42; for equal systems ours is 1.

*Approximate randomization* (Riezler and Maxwell 2005) exchanges the outputs of a sentence between the
systems at random, and asks how often the difference becomes at least as large as the real one: a two-sided
statement that the systems are interchangeable. With several runs all runs of both systems are shuffled,
within each sentence. sacreBLEU counts differences strictly larger than the real one, so that for equal
systems it gives the smallest p-value and ours gives 1.

The same seed gives the same numbers. A comparison does not depend on what else is compared.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.io.errors import ConfigError
from isogloss.metric.interface import FloatArray, Metric, Statistics

__all__ = [
    "Comparison",
    "Interval",
    "approximate_randomization",
    "bootstrap_interval",
    "bootstrap_scores",
    "paired_bootstrap",
]

Runs = Sequence[Statistics]
"""One matrix of statistics per run of a system, rows for the same sentences."""

_CELLS = 1 << 18  # numbers processed at once: the size that fits the cache, as measured
_TABLE_SLOTS = 7  # 7! permutations still fit a small table
_ROUNDING = 1e-10  # relative tolerance; smaller differences are rounding errors


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A 95% confidence interval of the score over resampled test sets."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A system against a baseline."""

    test: str
    """``bootstrap`` or ``randomization``."""
    samples: int
    seed: int
    difference: float
    """Score of the system minus score of the baseline, as means over their runs."""
    p_value: float
    """p-value; a small value means a significant difference. One-sided for the bootstrap, two-sided for
    randomization."""


def bootstrap_scores(metric: Metric, systems: Sequence[Runs], *, samples: int, seed: int) -> FloatArray:
    """Mean score over the runs of each system (columns) on each resampled test set (rows)."""
    _check(systems, samples)
    sentences = len(systems[0][0])
    scores = np.empty((samples, len(systems)))
    for part, weights in _resamples(sentences, samples, np.random.default_rng(seed)):
        for column, runs in enumerate(systems):
            scores[part, column] = np.mean([metric.scores(weights @ run) for run in runs], axis=0)
    return scores


def bootstrap_interval(scores: FloatArray) -> Interval:
    """The 95 % percentile interval of resampled scores of one system."""
    low, high = np.quantile(scores, [0.025, 0.975])
    return Interval(low=float(low), high=float(high))


def paired_bootstrap(
    metric: Metric, baseline: Runs, system: Runs, *, samples: int = 1000, seed: int = 1
) -> Comparison:
    """Paired bootstrap resampling (Koehn 2004)."""
    scores = bootstrap_scores(metric, [baseline, system], samples=samples, seed=seed)
    return bootstrap_comparison(metric, baseline, system, scores[:, 0], scores[:, 1], seed)


def bootstrap_comparison(
    metric: Metric,
    baseline: Runs,
    system: Runs,
    baseline_scores: FloatArray,
    system_scores: FloatArray,
    seed: int,
) -> Comparison:
    """The paired bootstrap from the scores of both systems on the same resampled test sets."""
    difference = _mean_score(metric, system) - _mean_score(metric, baseline)
    resampled = system_scores - baseline_scores
    # With equal systems, every draw counts against a difference.
    not_better = np.sign(difference) * resampled <= 0
    samples = len(resampled)
    p_value = (np.count_nonzero(not_better) + 1) / (samples + 1)
    return Comparison(
        test="bootstrap", samples=samples, seed=seed, difference=difference, p_value=float(p_value)
    )


def approximate_randomization(
    metric: Metric, baseline: Runs, system: Runs, *, samples: int = 10_000, seed: int = 1
) -> Comparison:
    """Approximate randomization (Riezler and Maxwell 2005), stratified by sentence over runs."""
    _check([baseline, system], samples)
    outputs = np.stack([np.asarray(run, dtype=np.float64) for run in (*baseline, *system)])
    difference = _mean_score(metric, system) - _mean_score(metric, baseline)
    rng = np.random.default_rng(seed)
    as_large = 0
    for sums in _shuffles(outputs, samples, rng):
        scores = np.stack([metric.scores(sums[:, slot]) for slot in range(len(outputs))])
        shuffled = scores[len(baseline) :].mean(axis=0) - scores[: len(baseline)].mean(axis=0)
        threshold = abs(difference) - _ROUNDING * max(1.0, float(np.abs(scores).max()))
        as_large += int(np.count_nonzero(np.abs(shuffled) >= threshold))
    return Comparison(
        test="randomization",
        samples=samples,
        seed=seed,
        difference=difference,
        # The real assignment is one of the possible ones, so it is counted and p is never 0.
        p_value=(as_large + 1) / (samples + 1),
    )


def _check(systems: Sequence[Runs], samples: int) -> None:
    if samples < 1:
        raise ConfigError(f"samples must be at least 1, got {samples}")
    shapes = {np.shape(run) for runs in systems for run in runs}
    if not all(systems) or len(shapes) != 1:
        raise ConfigError(f"systems must have runs with statistics of one shape, got {sorted(shapes)}")
    if shapes.pop()[0] == 0:
        raise ConfigError("there are no sentences to compare on")


def _mean_score(metric: Metric, runs: Runs) -> float:
    return float(np.mean([metric.score(np.sum(run, axis=0)) for run in runs]))


def _resamples(sentences: int, samples: int, rng: np.random.Generator) -> Iterator[tuple[slice, FloatArray]]:
    """How often each sentence (columns) was drawn in each test set (rows), some test sets at a time."""
    step = max(1, _CELLS // sentences)
    for start in range(0, samples, step):
        part = slice(start, min(start + step, samples))
        count = part.stop - start
        drawn = rng.integers(sentences, size=(count, sentences))
        drawn += np.arange(count)[:, np.newaxis] * sentences
        weights = np.bincount(drawn.ravel(), minlength=count * sentences)
        yield part, weights.reshape(count, sentences).astype(np.float64)


def _shuffles(
    outputs: NDArray[np.float64], samples: int, rng: np.random.Generator
) -> Iterator[NDArray[np.float64]]:
    """Summed statistics [trial, slot, column] when the outputs of each sentence are assigned to slots at
    random."""
    slots, sentences, _ = outputs.shape
    totals = outputs.sum(axis=1)
    # Every slot gets exactly one output, so the last run and the last slot follow from the others.
    relative = outputs[:-1] - outputs[-1]
    deals = _table_deals if slots <= _TABLE_SLOTS else _general_deals
    step = max(1, _CELLS // (sentences * slots))
    for start in range(0, samples, step):
        gets = deals(slots, (min(step, samples - start), sentences), rng)
        parts = [
            totals[-1] + sum(gets(slot, run) @ relative[run] for run in range(slots - 1))
            for slot in range(slots - 1)
        ]
        yield np.stack([*parts, totals.sum(axis=0) - sum(parts)], axis=1)


Deal = Callable[[int, int], NDArray[np.float64]]
"""1 where the slot gets the output of the run, 0 elsewhere, for all trials and sentences."""


def _table_deals(slots: int, shape: tuple[int, int], rng: np.random.Generator) -> Deal:
    """Draw from a table of all permutations: fast if there are few."""
    permutations = np.array(list(itertools.permutations(range(slots))))
    drawn = rng.integers(len(permutations), size=shape, dtype=np.uint16)
    return lambda slot, run: np.take((permutations[:, slot] == run).astype(np.float64), drawn)


def _general_deals(slots: int, shape: tuple[int, int], rng: np.random.Generator) -> Deal:
    """Fisher-Yates shuffle of all cells of ``shape`` in parallel."""
    cells = np.arange(shape[0] * shape[1])
    dealt = np.repeat(np.arange(slots)[:, np.newaxis], len(cells), axis=1)
    for last in range(slots - 1, 0, -1):
        chosen = rng.integers(last + 1, size=len(cells))
        kept = dealt[last].copy()
        dealt[last] = dealt[chosen, cells]
        dealt[chosen, cells] = kept
    return lambda slot, run: (dealt[slot] == run).astype(np.float64).reshape(shape)
