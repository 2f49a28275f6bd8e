"""The engine's reranking kernels against the papers' pseudo-code, pair by pair."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss import _engine
from support import rerank_oracles as oracles
from support.properties import examples

MARGIN = 0.75  # exact in binary, so that ties are ties on both sides

# Few different values, so that equal qualities, equal scores and duplicate candidates are common.
grades = st.integers(0, 6).map(lambda n: n / 8)
values = st.integers(-6, 6).map(lambda n: n / 4)


@st.composite
def problems(draw, columns=3, most=12):
    sizes = draw(st.lists(st.integers(1, most), min_size=1, max_size=4))
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    total = int(offsets[-1])
    features = np.array(
        draw(st.lists(st.lists(values, min_size=columns, max_size=columns), min_size=total, max_size=total))
    )
    quality = np.array(draw(st.lists(grades, min_size=total, max_size=total)))
    return offsets, features, quality


def lists_of(offsets, features):
    return _engine.RerankLists(offsets, np.ascontiguousarray(features))


def sparse_lists_of(offsets, features):
    """The same features, all of them sparse."""
    rows = [np.flatnonzero(row) for row in features]
    sparse_offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    columns = np.concatenate(rows).astype(np.uint32)
    stored = np.concatenate([row[found] for row, found in zip(features, rows, strict=True)])
    dense = np.zeros((len(features), 0))
    return _engine.RerankLists(
        offsets,
        dense,
        sparse_offsets,
        columns,
        stored.astype(np.float32),
        sparse_size=features.shape[1],
    )


def splitting(lists, quality, r=2, k=3, margin=MARGIN):
    return _engine.SplittingSweeper(
        lists, quality, good_share=0.3, good_count=r, bad_share=0.3, bad_count=k, margin=margin
    )


METHODS = {
    "splitting": (splitting, lambda q, s: oracles.splitting(q, s, 2, 3, MARGIN)),
    "ordinal": (
        lambda lists, quality: _engine.OrdinalSweeper(lists, quality, ratio=2, gap=1, margin=MARGIN),
        lambda q, s: oracles.ordinal(q, s, 2, 1, MARGIN),
    ),
    "voted": (_engine.VotedSweeper, oracles.voted),
    "perceptron": (_engine.PerceptronSweeper, oracles.perceptron),
}


@pytest.mark.parametrize("name", METHODS)
@examples(30)
@given(data=st.data())
def test_multipliers_are_those_of_the_pseudo_code(name, data) -> None:
    offsets, features, quality = data.draw(problems())
    make, oracle = METHODS[name]
    sweeper = make(lists_of(offsets, features), quality)
    for sentence, (begin, end) in enumerate(itertools.pairwise(offsets.tolist())):
        scores = features[begin:end].sum(axis=1)
        u, (pairs, _, loss) = sweeper.multipliers(sentence, scores)
        expected, expected_pairs, expected_loss = oracle(list(quality[begin:end]), list(scores))
        np.testing.assert_allclose(u, expected, atol=1e-12)
        assert pairs == expected_pairs
        assert loss == pytest.approx(expected_loss, abs=1e-9)


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", METHODS)
@examples(15)
@given(data=st.data())
def test_sweeps_give_the_weights_of_the_pseudo_code(name, sparse, data) -> None:
    offsets, features, quality = data.draw(problems())
    make, oracle = METHODS[name]
    lists = (sparse_lists_of if sparse else lists_of)(offsets, features)
    columns = 0 if sparse else features.shape[1]
    weights = _engine.RerankWeights(np.zeros(3), columns, np.ones(columns + 1))
    sweeper, expected, history = make(lists, quality), np.zeros(3), []
    order = np.arange(len(offsets) - 1)
    for _ in range(3):
        sweeper.sweep(order, weights)
        before = [expected]
        expected = oracles.sweep(expected, offsets.tolist(), features, quality, oracle, history)
        if not all(_clear(name, offsets, features @ w, quality) for w in before + history[-len(order) :]):
            return  # a comparison that only rounding decides may go either way
        np.testing.assert_allclose(weights.current(), expected, atol=1e-9)
    np.testing.assert_allclose(weights.average(), np.mean(history, axis=0), atol=1e-9)
    assert weights.steps == len(history)


def _clear(name, offsets, scores, quality) -> bool:
    """Whether no condition holds by less than rounding."""
    for begin, end in itertools.pairwise(offsets.tolist()):
        s, y = scores[begin:end], oracles.ranks(list(quality[begin:end]))
        for j, l in itertools.permutations(range(end - begin), 2):  # noqa: E741
            margin = {"splitting": MARGIN, "ordinal": MARGIN * (1 / y[j] - 1 / y[l])}.get(name, 0.0)
            gap = abs(s[j] - s[l] - margin)
            if 0 < gap < 1e-9 or (gap == 0 and name == "ordinal" and 2 * y[j] < y[l]):
                return False
    return True


@examples(15)
@given(problems(), st.integers(1, 14), st.integers(1, 14))
def test_every_split_has_both_sets_or_nothing_to_learn(problem, r, k) -> None:
    offsets, features, quality = problem
    sweeper = splitting(lists_of(offsets, features), quality, r, k, margin=100.0)
    for sentence, (begin, end) in enumerate(itertools.pairwise(offsets.tolist())):
        own = list(quality[begin:end])
        u, (pairs, _, _) = sweeper.multipliers(sentence, np.zeros(end - begin))
        np.testing.assert_array_equal(u, oracles.splitting(own, [0.0] * len(own), r, k, 100.0)[0])
        assert (pairs > 0) == (len(set(own)) > 1)


@examples(15)
@given(problems(), st.sampled_from([0.0, 0.25, 1.5]))
def test_the_lambda_trick_shifts_every_margin(problem, shift) -> None:
    offsets, features, quality = problem
    lists = lists_of(offsets, features)
    methods = [
        (splitting(lists, quality), lambda q, s: oracles.splitting(q, s, 2, 3, MARGIN, shift)),
        (METHODS["ordinal"][0](lists, quality), lambda q, s: oracles.ordinal(q, s, 2, 1, MARGIN, shift)),
    ]
    for sweeper, oracle in methods:
        for sentence, (begin, end) in enumerate(itertools.pairwise(offsets.tolist())):
            scores = features[begin:end] @ np.array([1.0, 0.5, 0.25])
            u, (pairs, _, loss) = sweeper.multipliers(sentence, scores, shift=shift)
            expected, expected_pairs, expected_loss = oracle(list(quality[begin:end]), list(scores))
            np.testing.assert_allclose(u, expected, atol=1e-12)
            assert (pairs, loss) == (expected_pairs, pytest.approx(expected_loss, abs=1e-9))


def splittable(random, sentences, size, columns, gap):
    """Lists whose quality is a linear function of the features, with a gap between good and bad."""
    direction = random.normal(size=columns)
    direction /= np.linalg.norm(direction)
    features = random.normal(size=(sentences * size, columns))
    quality = features @ direction
    for begin in range(0, len(features), size):
        own = quality[begin : begin + size]
        features[begin : begin + size][own > np.median(own)] += gap * direction
    return features, features @ direction


def test_splitting_stops_within_the_bound_of_theorem_1() -> None:
    random = np.random.default_rng(5)
    sentences, size, gap = 10, 12, 1.0
    features, quality = splittable(random, sentences, size, 4, gap)
    offsets = np.arange(0, len(features) + 1, size)
    sweeper = splitting(lists_of(offsets, features), quality, size // 2, size // 2, margin=1.0)
    weights = _engine.RerankWeights(np.zeros(4), 4, np.ones(5))
    mistakes = 0.0
    for _ in range(10_000):
        pairs, _, _ = sweeper.sweep(np.arange(sentences), weights)
        mistakes += pairs
        if pairs == 0:
            break
    assert pairs == 0
    radius = np.linalg.norm(features, axis=1).max()
    assert mistakes <= (size**2 * radius**2 + 2 * 1.0) / gap**2
    assert sweeper.totals(weights.current()) == (0, 0, 0)


def test_the_lambda_trick_separates_what_cannot_be_separated() -> None:
    random = np.random.default_rng(6)
    features, quality = random.normal(size=(60, 2)), random.normal(size=60)
    lists = lists_of(np.arange(0, 61, 12), features)
    for sweeper in (splitting(lists, quality), METHODS["ordinal"][0](lists, quality)):
        for private in (None, np.zeros(5)):
            weights = _engine.RerankWeights(np.zeros(2), 2, np.ones(3))
            left = [
                sweeper.sweep(np.arange(5), weights, private_lambda=1.0, private_weights=private)[0]
                for _ in range(300)
            ]
            assert (left[-1] == 0) == (private is not None)


def test_rates_are_as_good_as_scaled_features() -> None:
    random = np.random.default_rng(7)
    features, quality = random.normal(size=(40, 3)), random.normal(size=40)
    offsets, scale = np.arange(0, 41, 8), np.array([1e9, 1.0, 1e-9])
    plain = _engine.RerankWeights(np.zeros(3), 3, np.ones(4))
    rated = _engine.RerankWeights(np.zeros(3), 3, np.append(1 / scale**2, 1))
    for _ in range(5):
        splitting(lists_of(offsets, features), quality).sweep(np.arange(5), plain)
        splitting(lists_of(offsets, features * scale), quality).sweep(np.arange(5), rated)
    np.testing.assert_allclose(rated.current() * scale, plain.current(), rtol=1e-9)


def test_a_large_offset_changes_nothing() -> None:
    random = np.random.default_rng(8)
    features, quality = random.integers(-8, 8, size=(40, 3)) / 4, random.normal(size=40)
    offsets = np.arange(0, 41, 8)
    found = []
    for offset in (0.0, 2.0**40):
        weights = _engine.RerankWeights(np.zeros(3), 3, np.ones(4))
        splitting(lists_of(offsets, features + offset), quality).sweep(np.arange(5), weights)
        found.append(weights.current())
    np.testing.assert_array_equal(found[0], found[1])


def test_what_does_not_fit_is_refused() -> None:
    offsets, features, quality = np.array([0, 2]), np.zeros((2, 1)), np.array([1.0, 0.0])
    lists = lists_of(offsets, features)
    sweeper = _engine.VotedSweeper(lists, quality)
    weights = _engine.RerankWeights(np.zeros(1), 1, np.ones(2))
    sparse = (np.array([0, 1, 1]), np.array([3], np.uint32), np.ones(1, np.float32))
    for refused in (
        lambda: lists_of(np.array([0, 3]), features),
        lambda: lists_of(np.array([1, 2]), features),
        lambda: _engine.RerankLists(offsets, features, *sparse, sparse_size=3),
        lambda: _engine.VotedSweeper(lists, quality[:1]),
        lambda: _engine.VotedSweeper(lists, np.array([np.nan, 1.0])),
        lambda: _engine.OrdinalSweeper(lists, quality, ratio=0.5, gap=0, margin=1),
        lambda: _engine.RerankWeights(np.zeros(1), 1, np.ones(1)),
        lambda: sweeper.sweep(np.array([1]), weights),
        lambda: sweeper.sweep(np.array([0]), _engine.RerankWeights(np.zeros(2), 2, np.ones(3))),
        lambda: sweeper.sweep(np.array([0]), weights, private_weights=np.zeros(2)),
        lambda: sweeper.totals(np.zeros(2)),
        lambda: lists.scores(np.zeros(2)),
    ):
        with pytest.raises((ValueError, IndexError)):
            refused()
    huge = _engine.VotedSweeper(lists_of(offsets, np.array([[1e308], [-1e308]])), quality)
    with pytest.raises(OverflowError):
        huge.totals(np.array([10.0]))
