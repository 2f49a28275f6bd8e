from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest

from isogloss.io.errors import ConfigError
from isogloss.metric import (
    Bleu,
    Metric,
    References,
    approximate_randomization,
    bootstrap_interval,
    bootstrap_scores,
    paired_bootstrap,
    sacre_bleu,
)
from isogloss.metric.interface import Statistics
from isogloss.metric.significance import _general_deals, _table_deals


class Ratio(Metric):
    """Column 0 over column 1: the smallest metric that is not a mean over sentences."""

    name = "ratio"

    def signature(self, references: References) -> str:
        return ""

    def statistics(self, hypotheses, references, sentences=None) -> Statistics:  # type: ignore[no-untyped-def]
        raise NotImplementedError

    def score(self, summed: Statistics) -> float:
        return float(summed[0] / summed[1])


def statistics(seed: int, sentences: int, lift: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    length = rng.integers(5, 30, size=sentences)
    return np.stack([np.minimum(rng.binomial(length, 0.5 + lift), length), length], axis=1)


def text(seed: int, noise: float, lines: int = 200) -> list[str]:
    base, rng = random.Random(0), random.Random(seed)
    vocabulary = [f"w{i}" for i in range(40)]
    sentences = [[base.choice(vocabulary) for _ in range(15)] for _ in range(lines)]
    return [
        " ".join(rng.choice(vocabulary) if rng.random() < noise else word for word in sentence)
        for sentence in sentences
    ]


REFERENCES = References([text(0, 0.0)])


def exact_randomization(metric: Metric, runs_a: list[np.ndarray], runs_b: list[np.ndarray]) -> float:
    """The p-value over all ways to deal the outputs of each sentence out to the runs of both systems."""
    outputs = [*runs_a, *runs_b]
    slots, sentences = len(outputs), len(outputs[0])

    def difference(deal: tuple[tuple[int, ...], ...]) -> float:
        scores = [
            metric.score(sum(outputs[deal[i][slot]][i] for i in range(sentences))) for slot in range(slots)
        ]
        return float(np.mean(scores[len(runs_a) :]) - np.mean(scores[: len(runs_a)]))

    permutations = list(itertools.permutations(range(slots)))
    identity = permutations[0]
    real = abs(difference((identity,) * sentences))
    deals = itertools.product(permutations, repeat=sentences)
    found = [abs(difference(deal)) >= real - 1e-12 for deal in deals]
    return sum(found) / len(found)


@pytest.mark.parametrize("seed", range(4))
def test_randomization_agrees_with_all_swaps(seed: int) -> None:
    a, b = statistics(seed, 9), statistics(seed + 100, 9, lift=0.1)
    exact = exact_randomization(Ratio(), [a], [b])
    found = approximate_randomization(Ratio(), [a], [b], samples=20_000, seed=seed)
    assert found.p_value == pytest.approx(exact, abs=4 * np.sqrt(0.25 / 20_000))
    assert found.difference == pytest.approx(b[:, 0].sum() / b[:, 1].sum() - a[:, 0].sum() / a[:, 1].sum())


@pytest.mark.parametrize("runs", [(2, 1), (2, 2)])
def test_randomization_over_runs_agrees_with_all_deals(runs: tuple[int, int]) -> None:
    sentences = 4 if sum(runs) == 3 else 3
    a = [statistics(i, sentences) for i in range(runs[0])]
    b = [statistics(10 + i, sentences, lift=0.2) for i in range(runs[1])]
    exact = exact_randomization(Ratio(), a, b)
    found = approximate_randomization(Ratio(), a, b, samples=20_000, seed=3)
    assert found.p_value == pytest.approx(exact, abs=4 * np.sqrt(0.25 / 20_000))


@pytest.mark.parametrize("deals", [_table_deals, _general_deals])
def test_every_deal_is_a_permutation_and_all_are_equally_likely(deals) -> None:  # type: ignore[no-untyped-def]
    gets = deals(3, (100, 300), np.random.default_rng(1))
    where = np.array([[gets(slot, run) for run in range(3)] for slot in range(3)])
    assert np.all(where.sum(axis=0) == 1)
    assert np.all(where.sum(axis=1) == 1)
    names = 9 * where.argmax(axis=1)[0] + 3 * where.argmax(axis=1)[1] + where.argmax(axis=1)[2]
    counts = np.unique(names, return_counts=True)[1]
    assert len(counts) == 6
    assert np.all(np.abs(counts - 5000) < 5 * np.sqrt(5000))


def test_many_runs_are_shuffled_too() -> None:
    a = [statistics(i, 20) for i in range(5)]
    b = [statistics(50 + i, 20, lift=0.3) for i in range(4)]
    assert approximate_randomization(Ratio(), a, b, samples=500).p_value < 0.01


def exact_bootstrap(metric: Metric, a: np.ndarray, b: np.ndarray) -> float:
    """The share of all n^n draws in which the better system is not better."""
    difference = metric.score(b.sum(axis=0)) - metric.score(a.sum(axis=0))
    draws = [list(draw) for draw in itertools.product(range(len(a)), repeat=len(a))]
    not_better = [
        (metric.score(b[d].sum(axis=0)) - metric.score(a[d].sum(axis=0))) * np.sign(difference) <= 0
        for d in draws
    ]
    return float(np.mean(not_better))


@pytest.mark.parametrize("seed", range(4))
def test_bootstrap_agrees_with_all_draws(seed: int) -> None:
    a, b = statistics(seed, 5), statistics(seed + 100, 5, lift=0.1)
    found = paired_bootstrap(Ratio(), [a], [b], samples=20_000, seed=seed)
    assert found.p_value == pytest.approx(exact_bootstrap(Ratio(), a, b), abs=4 * np.sqrt(0.25 / 20_000))


def test_bootstrap_scores_are_scores_of_drawn_sentences() -> None:
    runs = [statistics(1, 4), statistics(2, 4)]
    scores = bootstrap_scores(Ratio(), [[runs[0]], runs], samples=200, seed=5)
    possible = {
        tuple(
            np.mean([Ratio().score(run[list(d)].sum(axis=0)) for run in system])
            for system in ([runs[0]], runs)
        )
        for d in itertools.product(range(4), repeat=4)
    }
    close = np.array(sorted(possible))
    for row in scores:
        assert np.min(np.abs(close - row).max(axis=1)) < 1e-12


def test_the_interval_covers_95_of_100_scores() -> None:
    interval = bootstrap_interval(np.arange(1001.0))
    assert (interval.low, interval.high) == (25.0, 975.0)


@pytest.mark.parametrize("test", [paired_bootstrap, approximate_randomization])
def test_seeds_repeat_and_equal_systems_are_equal(test) -> None:  # type: ignore[no-untyped-def]
    a, b = statistics(1, 300), statistics(2, 300)
    first = test(Ratio(), [a], [b], samples=300, seed=7)
    assert test(Ratio(), [a], [b], samples=300, seed=7) == first
    assert len({test(Ratio(), [a], [b], samples=300, seed=seed).p_value for seed in range(6)}) > 1
    same = test(Ratio(), [a], [a], samples=100)
    assert (same.difference, same.p_value) == (0.0, 1.0)


@pytest.mark.parametrize("test", [paired_bootstrap, approximate_randomization])
def test_a_clear_difference_is_found_in_both_directions(test) -> None:  # type: ignore[no-untyped-def]
    a, b = statistics(1, 300), statistics(2, 300, lift=0.2)
    assert test(Ratio(), [a], [b], samples=999).p_value == pytest.approx(0.001)
    assert test(Ratio(), [b], [a], samples=999).p_value == pytest.approx(0.001)


@pytest.mark.parametrize(("noise", "kind"), [(0.30, "bs"), (0.34, "bs"), (0.30, "ar"), (0.34, "ar")])
def test_p_values_are_close_to_sacrebleus(noise: float, kind: str) -> None:
    """Where differences are not clear the definitions differ, see the head of the module under test."""
    baseline, system = text(1, 0.30), text(2, noise)
    metric = sacre_bleu(tokenize="none")
    rows = [metric.statistics(lines, REFERENCES) for lines in (baseline, system)]
    ours = (paired_bootstrap if kind == "bs" else approximate_randomization)(metric, [rows[0]], [rows[1]])
    _, theirs = PairedTest(
        [("baseline", baseline), ("system", system)],
        {"BLEU": BLEU(tokenize="none", force=True)},
        [[line for line in REFERENCES.streams[0] if line is not None]],
        test_type=kind,
    )()
    assert ours.difference == pytest.approx(theirs["BLEU"][1].score - theirs["BLEU"][0].score, abs=1e-9)
    assert ours.p_value == pytest.approx(theirs["BLEU"][1].p_value, abs=0.1 if kind == "bs" else 0.02)


def test_engine_and_sacrebleu_scores_give_the_same_tests() -> None:
    baseline, system = text(1, 0.30), text(2, 0.33)
    reports = []
    for metric in (Bleu(), sacre_bleu(tokenize="none")):
        rows = [metric.statistics(lines, REFERENCES) for lines in (baseline, system)]
        reports.append(paired_bootstrap(metric, [rows[0]], [rows[1]], samples=200).p_value)
    assert reports[0] == reports[1]


def test_wrong_calls_are_refused() -> None:
    a = statistics(1, 5)
    with pytest.raises(ConfigError, match="samples must be at least 1, got 0"):
        paired_bootstrap(Ratio(), [a], [a], samples=0)
    with pytest.raises(ConfigError, match=r"one shape, got \[\(4, 2\), \(5, 2\)\]"):
        approximate_randomization(Ratio(), [a], [a[:4]])
    with pytest.raises(ConfigError, match="must have runs"):
        paired_bootstrap(Ratio(), [a], [])
    with pytest.raises(ConfigError, match="no sentences"):
        paired_bootstrap(Ratio(), [a[:0]], [a[:0]])
