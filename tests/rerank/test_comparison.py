"""Cross-validation of methods and features."""

from __future__ import annotations

import numpy as np
import pytest

from isogloss.io.errors import ConfigError
from isogloss.learn.expected import ExpectedScore
from isogloss.rerank import FeatureTable, SweepOptions, compare, method_named, parse_features
from support.rerank_lists import synthetic_problem, with_dense


def test_a_sweep_validates_on_other_sentences_than_it_learns_from() -> None:
    problem = synthetic_problem(40)
    table = FeatureTable(problem.store, source=[["x"]] * problem.num_sentences)
    random = np.random.default_rng(1).normal(size=problem.store.num_candidates)
    methods = [("expected", ExpectedScore()), ("splitting", method_named("splitting", {"iterations": 3}))]
    sets = [("(list)", []), ("popularity", parse_features(["popularity"]))]
    rows = compare(table, problem, methods, sets)
    assert [(row.method, row.features) for row in rows] == [
        (method, features) for features, _ in sets for method, _ in methods
    ]
    assert rows[0].difference > 0
    assert rows[0].p_value < 0.05
    # Features without any sense are learned by heart and of no use elsewhere.
    noise = np.column_stack([np.roll(random, shift) for shift in range(60)])
    senseless = with_dense(problem, {f"n{i}": noise[:, i] for i in range(60)})
    (row,) = compare(
        FeatureTable(senseless.store),
        senseless,
        [("expected", ExpectedScore(regularization=1e-6))],
        [("(list)", [])],
        options=SweepOptions(folds=4),
    )
    assert row.training_score > row.score + 10
    with pytest.raises(ConfigError, match="use fewer folds"):
        compare(FeatureTable(synthetic_problem(3).store), synthetic_problem(3), methods, [("", [])])
