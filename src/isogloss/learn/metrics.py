"""Metrics for learners: on whole lists, and for single candidates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.metric import SENTENCE_BLEU, Bleu, Metric, References, SacreMetric, bleu_scores
from isogloss.metric.interface import FloatArray, Statistics
from isogloss.nbest.statistics import bleu_statistics
from isogloss.nbest.store import NbestStore

__all__ = ["QualityColumn", "list_statistics", "sentence_scores", "unit"]


class QualityColumn(Metric):
    """A given quality of each candidate; the score of a document is the mean.

    >>> metric = QualityColumn()
    >>> metric.score(metric.rows(np.array([0.5, 1.0])).sum(axis=0))
    0.75
    """

    name = "quality"

    def __init__(self, *, higher_is_better: bool = True) -> None:
        self.higher_is_better = higher_is_better

    def rows(self, column: FloatArray) -> FloatArray:
        """Statistics: the number and a one that counts the candidates."""
        return np.stack([column, np.ones_like(column)], axis=1)

    def signature(self, references: References) -> str:
        """Empty: there are no settings."""
        return "given"

    def statistics(
        self, hypotheses: Sequence[str], references: References, sentences: Sequence[int] | None = None
    ) -> Statistics:
        """Raises an error: ``rows`` makes statistics from the given numbers, not from text."""
        raise ConfigError("a given quality cannot be computed from text")

    def score(self, summed: Statistics) -> float:
        """The mean."""
        return float(self.scores(np.asarray(summed)[np.newaxis])[0])

    def scores(self, rows: Statistics) -> FloatArray:
        """The mean of each row."""
        return np.asarray(rows[:, 0] / rows[:, 1], dtype=np.float64)


def list_statistics(store: NbestStore, references: References, metric: Metric) -> Statistics:
    """One row per candidate of a list; sentence n of the list has the n-th references."""
    if isinstance(metric, Bleu):
        tokenizer = metric.tokenizer
        return bleu_statistics(
            store, references, metric.options, tokenize=tokenizer.name, lowercase=tokenizer.lowercase
        )
    if store.num_sentences and store.sentence_ids[-1] >= len(references):
        raise DataFormatError(
            f"the list has candidates for sentence {store.sentence_ids[-1]}, but there are references for "
            f"{len(references):,} sentences only (0 to {len(references) - 1})",
            store.path or "n-best list",
            hint="are these the references of this list?",
        )
    if isinstance(metric, SacreMetric) and metric.fast_statistics is not None:
        return metric.fast_statistics.of_words(
            store.words.words(),
            store.tokens.values,
            store.tokens.offsets,
            references,
            store.sentence_ids[store.sentence_of_row()],
        )
    # Many candidates differ only in features, and some metrics are slow: score each string once.
    numbers: dict[tuple[int, bytes], int] = {}
    owners: list[int] = store.sentence_of_row().tolist()
    first: list[int] = []
    scored: list[int] = []
    for row, sentence in enumerate(owners):
        key = (sentence, store.tokens.row(row).tobytes())
        if key not in numbers:
            numbers[key] = len(first)
            first.append(row)
        scored.append(numbers[key])
    sentences = [int(store.sentence_ids[owners[row]]) for row in first]
    return metric.statistics(list(store.texts(first)), references, sentences)[scored]


def unit(metric: Metric) -> float:
    """The factor that converts percentages to 0 to 1."""
    return 0.01 if isinstance(metric, Bleu | SacreMetric) else 1.0


def sentence_scores(metric: Metric, rows: Statistics) -> FloatArray:
    """The metric of single candidates on its own scale; BLEU is smoothed, because most would be 0."""
    return 100 * bleu_scores(rows, SENTENCE_BLEU) if isinstance(metric, Bleu) else metric.scores(rows)
