from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from isogloss.io.errors import DataFormatError
from isogloss.metric import References
from isogloss.nbest import NbestStore
from isogloss.nbest.moses import read
from isogloss.nbest.oracle import find_oracle
from isogloss.nbest.statistics import bleu_statistics
from support.properties import examples

words = st.sampled_from(["a", "b", "c", "A", "d\u00a0e", "."])
lines = st.lists(words, max_size=6).map(" ".join)
lists = st.lists(st.lists(lines, min_size=1, max_size=4), min_size=1, max_size=4)


def store_of(candidates: list[list[str]]) -> NbestStore:
    text = "".join(f"{i} ||| {line} ||| LM= 1\n" for i, group in enumerate(candidates) for line in group)
    return read([text.encode()], "list")


def references_for(candidates: list[list[str]]) -> References:
    return References([["a b c d\u00a0e ." for _ in candidates], ["A a b c" for _ in candidates]])


@given(lists, st.booleans(), st.sampled_from(["none", "13a"]))
@examples(50)
def test_statistics_are_those_of_sacrebleu(
    candidates: list[list[str]], lowercase: bool, tokenize: str
) -> None:
    store, references = store_of(candidates), references_for(candidates)
    rows = bleu_statistics(store, references, lowercase=lowercase, tokenize=tokenize)
    peer = BLEU(lowercase=lowercase, tokenize=tokenize, effective_order=True)
    for row, text, sentence in zip(rows, store.texts(), store.sentence_of_row(), strict=True):
        score = peer.sentence_score(text, references.of(int(sentence)))
        assert row.tolist() == [score.sys_len, score.ref_len, *score.counts, *score.totals]


def test_a_stored_list_keeps_its_statistics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    candidates = [["a b", "b c d"], ["c"]]
    store = store_of(candidates).save(tmp_path / "list")
    rows = bleu_statistics(store, references_for(candidates))
    monkeypatch.setattr("isogloss._engine.bleu_statistics", None)  # a second computation would fail
    assert np.array_equal(
        bleu_statistics(NbestStore.open(tmp_path / "list"), references_for(candidates)), rows
    )


def test_too_few_references_are_refused() -> None:
    with pytest.raises(DataFormatError, match="references for 1 sentences only"):
        bleu_statistics(store_of([["a"], ["b"]]), References([["a"]]))


@given(lists)
@examples(50)
def test_oracle_is_no_worse_than_other_choices_and_no_better_than_exhaustive_search(
    candidates: list[list[str]],
) -> None:
    store, references = store_of(candidates), references_for(candidates)
    rows = bleu_statistics(store, references)
    oracle = find_oracle(store, rows)

    def corpus_bleu(chosen: tuple[int, ...]) -> float:
        texts = list(store.texts(chosen))
        streams = [[line or "" for line in stream] for stream in references.streams]
        return float(BLEU(tokenize="none").corpus_score(texts, streams).score)

    every = [
        corpus_bleu(chosen) for chosen in product(*(store.rows_of(s) for s in range(store.num_sentences)))
    ]
    assert oracle.best.bleu == pytest.approx(corpus_bleu(tuple(oracle.best.rows.tolist())), abs=1e-9)
    assert all(choice.bleu <= oracle.best.bleu + 1e-9 for choice in (oracle.first, oracle.best))
    assert oracle.best.bleu <= max(every) + 1e-9
    if len(candidates) == 1:
        assert oracle.best.bleu == pytest.approx(max(every), abs=1e-9)
