"""Methods and features compared on a list that users hold."""

from __future__ import annotations

import pytest

from isogloss.io.errors import ConfigError
from isogloss.learn.expected import ExpectedScore
from isogloss.nbest import NbestList, make_nbest
from isogloss.rerank import RerankOptions, SweepOptions, sweep
from support.rerank_lists import sentences

LINES = sentences(24)
NBEST = make_nbest([line.split() for line in LINES], candidates=6, seed=1)


def test_every_method_with_every_set_of_features() -> None:
    told = []
    found = sweep(
        NBEST,
        LINES,
        source=[line.upper() for line in LINES],
        methods=["splitting:iterations=3", ExpectedScore()],
        features=["popularity lengths:label=L", [len]],
        options=SweepOptions(folds=3, samples=50),
        curves=True,
        report=told.append,
    )
    assert [(row["method"], row["features"]) for row in found] == [
        (method, features)
        for features in ("(list)", "popularity lengths:label=L", "function:len")
        for method in ("splitting:iterations=3", "ExpectedScore")
    ]
    assert tuple(told) == found.results
    assert found.best().difference == max(row.difference for row in found.results)
    assert {key[0] for key in found.curves} == {"splitting:iterations=3", "ExpectedScore"}
    as_dict = found.to_dict()
    assert as_dict["rows"] == list(found)
    assert len(as_dict["curves"]) == 6
    page = found.report("Which one?").html()
    assert page.count("<svg") == 9  # one with all methods for each set of features, and one for each curve
    assert f"scores {found.decoder_score:.2f} BLEU" in page


def test_a_list_without_features_needs_some_that_are_computed() -> None:
    plain = NbestList([["a b c d", "a b"], ["c d e f", "f"]] * 10, references=["a b c d", "c d e f"] * 10)
    found = sweep(plain, features=[[len]], options=SweepOptions(samples=10))
    assert [row.features for row in found.results] == ["function:len"]
    with pytest.raises(ConfigError, match="the list has no features; name some"):
        sweep(plain)
    with pytest.raises(ConfigError, match=r"give either references .* or the quality"):
        sweep(plain, ["a"] * 20, quality=[1.0] * 40)


def test_only_the_chosen_columns_are_used() -> None:
    few = sweep(
        NBEST, LINES, train_options=RerankOptions(columns=("Length",)), options=SweepOptions(samples=10)
    )
    all_of_them = sweep(NBEST, LINES, options=SweepOptions(samples=10))
    assert few.results[0].score < all_of_them.results[0].score
