"""Editing whole lists against versions that work on plain values, one candidate at a time."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.nbest import NbestStore
from isogloss.nbest.columns import read_column
from isogloss.nbest.edit import add_column, distinct, merge
from support.nbest_lists import (
    Candidate,
    Plain,
    exact,
    expected,
    moses_text,
    plain,
    random_list,
    read_moses,
    seeds,
)
from support.properties import examples


def store_of(given_list: list[Candidate]) -> NbestStore:
    return read_moses(moses_text(given_list))


def lists_that_fit(seed: int) -> list[list[Candidate]]:
    """Lists with some candidates, dense groups and sparse names in common."""
    rng = random.Random(seed)
    all_of_them = random_list(rng) + random_list(rng)
    sizes: dict[str, int] = {}
    fitting = []
    for candidate in all_of_them:
        dense = [(name, v) for name, v in candidate.dense if sizes.setdefault(name, len(v)) == len(v)]
        fitting.append(replace(candidate, dense=tuple(dense)))
    lists = []
    for _ in range(rng.randint(1, 3)):
        chosen = rng.choices(fitting, k=rng.randint(1, 8))
        lists.append([replace(c, sparse=tuple(rng.sample(c.sparse, len(c.sparse)))) for c in chosen])
    return lists


def slow_merge(plains: list[Plain]) -> Plain:
    """All candidates of a sentence in the order of the lists, less those said before."""
    sizes: dict[str, int] = {}
    for one in plains:
        sizes |= {name: size for name, size in one.groups if name not in sizes}
    rows: list[Candidate] = []
    for number in sorted({row.sentence for one in plains for row in one.rows}):
        seen = []
        for row in [row for one in plains for row in one.rows if row.sentence == number]:
            given_dense = dict(row.dense)
            dense = tuple((name, given_dense.get(name, (0.0,) * size)) for name, size in sizes.items())
            key = (row.words, dense, dict(row.sparse))
            if key not in seen:
                seen.append(key)
                rows.append(replace(row, dense=dense))
    return Plain(tuple(sizes.items()), tuple(rows))


@examples(150)
@given(seeds)
def test_merge_against_a_slow_one(seed: int) -> None:
    lists = lists_that_fit(seed)
    stores = [store_of(given_list) for given_list in lists]
    merged = merge(stores)
    merged.check()
    assert exact(plain(merged)) == exact(slow_merge([plain(store) for store in stores]))
    assert [exact(plain(store)) for store in stores] == [exact(expected(one)) for one in lists]  # untouched


def test_merge_takes_features_in_another_order_for_the_same() -> None:
    first = read_moses(b"0 ||| a ||| LM= 0 x=1 y=2 ||| 1\n")
    second = read_moses(b"0 ||| a ||| LM= -0.0 y=2 x=1 ||| 7\n0 ||| a ||| LM= 0 y=2 ||| 1\n")
    merged = merge([first, second])
    assert merged.scores.tolist() == [1.0, 1.0]


def test_merge_refuses_groups_of_different_sizes_and_nothing() -> None:
    with pytest.raises(ConfigError, match="'TM' has 1 values in one and 2 in another"):
        merge([read_moses(b"0 ||| a ||| TM= 1 ||| 1\n"), read_moses(b"0 ||| a ||| TM= 1 2 ||| 1\n")])
    with pytest.raises(ConfigError, match="no lists"):
        merge([])


def slow_distinct(one: Plain) -> Plain:
    rows = list(one.rows)
    kept = []
    for index, row in enumerate(rows):
        rivals = [
            (-(r.score if r.score is not None else -np.inf), i)
            for i, r in enumerate(rows)
            if (r.sentence, r.words) == (row.sentence, row.words)
        ]
        if min(rivals)[1] == index:
            kept.append(row)
    return Plain(one.groups, tuple(kept))


@examples(150)
@given(seeds)
def test_distinct_against_a_slow_one(seed: int) -> None:
    rng = random.Random(seed)
    some_words = [(), ("a",), ("a", "b"), ("b", "a")]
    given_list = [
        replace(c, words=rng.choice(some_words), sentence=rng.randint(0, 2)) for c in random_list(rng)
    ]
    store = store_of(given_list)
    single = distinct(store)
    single.check()
    assert exact(plain(single)) == exact(slow_distinct(plain(store)))
    assert distinct(single).equals(single)


def test_distinct_prefers_a_score_to_none() -> None:
    store = read_moses(b"0 ||| a ||| LM= 1\n0 ||| a ||| LM= 2 ||| -5\n0 ||| a ||| LM= 3 ||| -5\n")
    assert distinct(store).dense.tolist() == [[2.0]]


@examples(150)
@given(seeds, st.data())
def test_select_against_a_slow_one(seed: int, data: st.DataObject) -> None:
    store = store_of(random_list(random.Random(seed)))
    before = plain(store)
    rows = data.draw(st.lists(st.integers(0, store.num_candidates - 1), max_size=8))
    rows.sort(key=lambda row: before.rows[row].sentence)
    chosen = store.select(rows)
    chosen.check()
    assert exact(plain(chosen)) == exact(Plain(before.groups, tuple(before.rows[row] for row in rows)))


def test_select_refuses_rows_that_do_not_exist_or_do_not_rise() -> None:
    store = read_moses(b"0 ||| a ||| ||| 1\n1 ||| b ||| ||| 1\n")
    for rows in ([2], [-1], [0, 5]):
        with pytest.raises(IndexError, match="rows 0 to 1"):
            store.select(rows)
    with pytest.raises(ValueError, match="grouped by sentence"):
        store.select([1, 0])


@examples(60)
@given(seeds)
def test_add_column_against_a_slow_one(seed: int) -> None:
    rng = random.Random(seed)
    store = store_of(random_list(rng))
    values = [rng.choice([0.0, -0.0, 1e300, rng.gauss(0, 1)]) for _ in range(store.num_candidates)]
    name = "ZZ new"[:2] if "ZZ" not in store.dense_names else "ZZZZZZZ"
    added = add_column(store, name, values)
    before = plain(store)
    rows = zip(before.rows, values, strict=True)
    slow = Plain(
        (*before.groups, (name, 1)),
        tuple(replace(row, dense=(*row.dense, (name, (value,)))) for row, value in rows),
    )
    assert exact(plain(added)) == exact(slow)
    added.check()


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("TM", [1, 2], "already has a feature 'TM'"),
        ("TM_1", [1, 2], "already has a feature 'TM_1'"),
        ("a b", [1, 2], "'a b' is not a valid feature name"),
        ("a|||b", [1, 2], "not a valid feature name"),
        ("", [1, 2], "'' is not a valid feature name"),
        ("\udcff", [1, 2], "not a valid feature name"),
        ("x", [1], "1 values for 2 candidates"),
        ("x", [1, 2, 3], "3 values for 2 candidates"),
        ("x", 1.0, "1 values for 2 candidates"),
        ("x", [1, float("nan")], "value 2 of the new column is nan"),
        ("x", [float("-inf"), 1], "value 1 of the new column is -inf"),
    ],
)
def test_add_column_refuses(name: str, values: list[float], message: str) -> None:
    store = read_moses(b"0 ||| a ||| TM= 1 2 ||| 1\n1 ||| b ||| TM= 1 2 ||| 1\n")
    with pytest.raises(ConfigError, match=message.replace("|", r"\|")):
        add_column(store, name, values)
    assert add_column(store, "x\u00a0y", [1, 2]).dense_names[-1] == "x\u00a0y"


def test_read_column(tmp_path) -> None:
    store = read_moses(b"0 ||| a ||| ||| 1\n1 ||| b ||| ||| 1\n")
    column = tmp_path / "column"
    column.write_text("1.5\n-2e3\n")
    assert read_column(column, store, "list").tolist() == [1.5, -2000.0]
    for text, message in [
        ("1\n", f"{column}: 1 lines for the 2 candidates of list"),
        ("1\n2\n3\n", f"{column}: 3 lines for the 2 candidates of list"),
        ("", f"{column}: 0 lines for the 2 candidates of list"),
        ("1\nx\n", f"{column}:2: 'x' is not a number"),
        ("1\n\n", f"{column}:2: '' is not a number"),
        ("nan\n2\n", f"{column}:1: nan found, a finite number is expected"),
    ]:
        column.write_text(text)
        with pytest.raises(DataFormatError) as caught:
            read_column(column, store, "list")
        assert str(caught.value).startswith(message)
    shuffled = read_moses(b"1 ||| a ||| ||| 1\n0 ||| b ||| ||| 1\n")
    with pytest.raises(DataFormatError, match="not grouped by rising sentence number"):
        read_column(column, shuffled, "list")
