"""Metrics by name for tuning: fast on many rows, equal to sacreBLEU."""

from __future__ import annotations

import numpy as np

from isogloss.io.errors import ConfigError
from isogloss.io.progress import Track
from isogloss.metric.bleu import Bleu
from isogloss.metric.engine_statistics import ChrfStatistics, TerStatistics
from isogloss.metric.interface import FloatArray, Metric, Statistics
from isogloss.metric.nist import Nist
from isogloss.metric.sacre import SacreMetric

__all__ = ["METRIC_NAMES", "metric_named"]

METRIC_NAMES = ("bleu", "nist", "chrf", "ter")


def metric_named(
    name: str, *, tokenize: str = "none", lowercase: bool = False, progress: Track | None = None
) -> Metric:
    """Metrics with statistics from the engine; TER always ignores case.

    >>> metric_named("ter").higher_is_better
    False
    """
    match name:
        case "bleu":
            return Bleu(tokenize=tokenize, lowercase=lowercase)
        case "nist":
            return Nist(tokenize=tokenize, lowercase=lowercase)
        case "chrf":
            from sacrebleu.metrics.chrf import CHRF

            chrf = CHRF(lowercase=lowercase)
            return SacreMetric(
                chrf,
                "chrF2",
                fast_scores=lambda rows: _chrf_scores(rows, chrf.beta),
                fast_statistics=ChrfStatistics(lowercase=lowercase),
                progress=progress,
            )
        case "ter":
            from sacrebleu.metrics.ter import TER

            return SacreMetric(
                TER(),
                "TER",
                higher_is_better=False,
                fast_scores=_ter_scores,
                fast_statistics=TerStatistics(),
                progress=progress,
            )
    raise ConfigError(f"unknown metric '{name}'; choose one of: {', '.join(METRIC_NAMES)}")


def _chrf_scores(rows: Statistics, beta: int) -> FloatArray:
    """sacreBLEU's chrF of each row: the mean of precisions and recalls over the available orders."""
    hypothesis, reference, matched = (np.asarray(rows[:, i::3], dtype=np.float64) for i in range(3))
    there = (hypothesis > 0) & (reference > 0)
    orders = np.maximum(there.sum(axis=1), 1)
    precision = np.where(there, matched / np.maximum(hypothesis, 1), 0).sum(axis=1) / orders
    recall = np.where(there, matched / np.maximum(reference, 1), 0).sum(axis=1) / orders
    total = beta**2 * precision + recall
    return np.asarray(
        100 * (1 + beta**2) * precision * recall / np.where(total > 0, total, 1), dtype=np.float64
    )


def _ter_scores(rows: Statistics) -> FloatArray:
    """sacreBLEU's TER of each row: edits per reference word."""
    edits, length = np.asarray(rows[:, :2], dtype=np.float64).T
    without_words = np.where(edits > 0, 100.0, 0.0)
    return np.where(length > 0, 100 * edits / np.maximum(length, 1e-300), without_words)
