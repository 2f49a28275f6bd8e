"""Metrics by name: what is optimized equals what is reported."""

from __future__ import annotations

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

from isogloss.io.errors import ConfigError
from isogloss.metric import METRIC_NAMES, Metric, References, metric_named

LINES = ["the cat sat on the mat", "a big old dog ran", "the moon", "old cat under moon"]
OUTPUT = ["the cat on the mat sat", "a big dog", "The moon moon", ""]
PEERS = {"bleu": BLEU(tokenize="none"), "chrf": CHRF(), "ter": TER()}


@pytest.mark.parametrize("name", METRIC_NAMES)
def test_scores_of_rows_are_those_of_sums_and_of_sacrebleu(name: str) -> None:
    metric = Metric.named(name)
    rows = metric.statistics(OUTPUT, References([LINES]))
    sums = rows[np.random.default_rng(1).integers(0, 4, (20, 3))].sum(axis=1)
    assert metric.scores(sums) == pytest.approx([metric.score(row) for row in sums])
    if name in PEERS:
        expected = PEERS[name].corpus_score(OUTPUT, [LINES]).score
        assert metric.score(rows.sum(axis=0)) == pytest.approx(expected)
    assert metric.higher_is_better == (name != "ter")


def test_case_and_tokens() -> None:
    references = References([["The moon is above the old house , my friend ."]])
    scores = [
        metric.score(
            metric.statistics(["the moon is above the old house, my friend."], references).sum(axis=0)
        )
        for metric in (
            metric_named("bleu"),
            metric_named("bleu", lowercase=True),
            metric_named("bleu", tokenize="13a", lowercase=True),
        )
    ]
    assert scores[0] < scores[1] < scores[2] == pytest.approx(100)
    with pytest.raises(ConfigError, match="unknown metric 'wer'; choose one of: bleu, nist, chrf, ter"):
        Metric.named("wer")
