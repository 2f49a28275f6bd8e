"""Metrics of translation quality, such as BLEU, for training and for reports.

evaluate, evaluate_systems                        scores, intervals, tests
Metric, metric_named                              the interface, and metrics by name
Bleu, Nist, SacreMetric                           implementations
References                                        one or several translations of each sentence
DocumentBleu                                      the score of a candidate inside its document
paired_bootstrap, approximate_randomization       tests under any metric
"""

from isogloss.metric.bleu import SENTENCE_BLEU, Bleu, BleuOptions, bleu_scores
from isogloss.metric.document import DocumentBleu
from isogloss.metric.evaluation import (
    EvaluateOptions,
    Evaluation,
    SentenceDifference,
    SystemOutput,
    SystemResult,
    SystemScore,
    evaluate,
    evaluate_systems,
)
from isogloss.metric.interface import Metric
from isogloss.metric.named import METRIC_NAMES, metric_named
from isogloss.metric.nist import Nist
from isogloss.metric.references import References, ReferencesLike, as_references
from isogloss.metric.sacre import SacreMetric, sacre_bleu, sacre_chrf, sacre_ter
from isogloss.metric.significance import (
    Comparison,
    Interval,
    approximate_randomization,
    bootstrap_interval,
    bootstrap_scores,
    paired_bootstrap,
)

__all__ = [
    "METRIC_NAMES",
    "SENTENCE_BLEU",
    "Bleu",
    "BleuOptions",
    "Comparison",
    "DocumentBleu",
    "EvaluateOptions",
    "Evaluation",
    "Interval",
    "Metric",
    "Nist",
    "References",
    "ReferencesLike",
    "SacreMetric",
    "SentenceDifference",
    "SystemOutput",
    "SystemResult",
    "SystemScore",
    "approximate_randomization",
    "as_references",
    "bleu_scores",
    "bootstrap_interval",
    "bootstrap_scores",
    "evaluate",
    "evaluate_systems",
    "metric_named",
    "paired_bootstrap",
    "sacre_bleu",
    "sacre_chrf",
    "sacre_ter",
]
