"""Results that are tables: a list of dictionaries with the same keys, which pandas takes as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from isogloss.metric import evaluate
from isogloss.nbest import NbestList, make_nbest
from isogloss.report import Rows
from isogloss.rerank import Reranker, SweepOptions, sweep, tune_nbest
from support.rerank_lists import sentences

LINES = sentences(20)
NBEST = make_nbest([line.split() for line in LINES], candidates=5, seed=1)


def results() -> Iterator[Rows]:
    yield evaluate({"a": LINES, "b": LINES[::-1]}, LINES, metrics="bleu,ter", samples=20)
    yield tune_nbest(NBEST, LINES, method="pro:draws=1")
    training = Reranker().fit(NBEST, LINES).training
    assert training is not None
    yield training
    yield sweep(NBEST, LINES, options=SweepOptions(samples=10))


def test_results_are_sequences_of_plain_rows() -> None:
    for result in results():
        assert isinstance(result, Sequence)
        assert len(result) == len(list(result)) > 0
        assert result[-1] == list(result)[-1]
        assert result[:1] == [result[0]]
        keys = list(result[0])
        for row in result:
            assert list(row) == keys
            assert all(value is None or isinstance(value, str | float | int) for value in row.values())
        assert isinstance(result.to_dict(), dict)


@pytest.mark.peer
def test_pandas_makes_tables_of_results_and_lists() -> None:
    pandas = pytest.importorskip("pandas")
    for result in results():
        table = pandas.DataFrame(result)
        assert list(table.columns) == list(result[0])
        assert len(table) == len(result)
    nbest = NbestList.from_store(NBEST)
    table = pandas.DataFrame(nbest.to_dict())
    assert len(table) == 100
    assert NbestList.from_columns(table).store.equals(NbestList.from_columns(nbest.to_dict()).store)
    best = table.loc[table.groupby("sentence")["score"].idxmax(), "text"]
    assert nbest.best() == list(best)
    assert Reranker().fit(table, pandas.Series(LINES)).weights == Reranker().fit(NBEST, LINES).weights
