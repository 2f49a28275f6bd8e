"""Metrics of translation quality, such as BLEU, for training and for reports.

evaluate, evaluate_systems                        scores, intervals, tests
Metric, metric_named                              the interface, and metrics by name
Bleu, Nist, SacreMetric                           implementations
References                                        one or several translations of each sentence
DocumentBleu                                      the score of a candidate inside its document
paired_bootstrap, approximate_randomization       tests under any metric
"""

from typing import TYPE_CHECKING

from isogloss.io.lazy import lazy_names

if TYPE_CHECKING:
    from isogloss.metric.bleu import SENTENCE_BLEU, Bleu, BleuOptions, bleu_scores
    from isogloss.metric.document import DocumentBleu
    from isogloss.metric.evaluation import (
        Evaluation,
        SentenceDifference,
        SystemResult,
        SystemScore,
        evaluate,
        evaluate_systems,
    )
    from isogloss.metric.interface import Metric
    from isogloss.metric.named import METRIC_NAMES, metric_named
    from isogloss.metric.nist import Nist
    from isogloss.metric.options import EvaluateOptions, MetricName, MetricOptions, ScoringOptions
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
    from isogloss.metric.system_output import SystemOutput, read_systems

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
    "MetricName",
    "MetricOptions",
    "Nist",
    "References",
    "ReferencesLike",
    "SacreMetric",
    "ScoringOptions",
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
    "read_systems",
    "sacre_bleu",
    "sacre_chrf",
    "sacre_ter",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "bleu": (
            "Bleu",
            "BleuOptions",
            "SENTENCE_BLEU",
            "bleu_scores",
        ),
        "document": ("DocumentBleu",),
        "evaluation": (
            "Evaluation",
            "SentenceDifference",
            "SystemResult",
            "SystemScore",
            "evaluate",
            "evaluate_systems",
        ),
        "interface": ("Metric",),
        "named": (
            "METRIC_NAMES",
            "metric_named",
        ),
        "nist": ("Nist",),
        "options": (
            "EvaluateOptions",
            "MetricName",
            "MetricOptions",
            "ScoringOptions",
        ),
        "references": (
            "References",
            "ReferencesLike",
            "as_references",
        ),
        "sacre": (
            "SacreMetric",
            "sacre_bleu",
            "sacre_chrf",
            "sacre_ter",
        ),
        "significance": (
            "Comparison",
            "Interval",
            "approximate_randomization",
            "bootstrap_interval",
            "bootstrap_scores",
            "paired_bootstrap",
        ),
        "system_output": (
            "SystemOutput",
            "read_systems",
        ),
    },
)
