"""How good a translation is: BLEU and its friends, inside training and for reports.

isogloss.metric.evaluate(systems, references)     scores, intervals, tests
Bleu, Nist, SacreMetric                           one interface, ``Metric``
DocumentBleu                                      a candidate's worth inside its document
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
)
from isogloss.metric.interface import Metric
from isogloss.metric.nist import Nist
from isogloss.metric.references import References
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
    "SacreMetric",
    "SentenceDifference",
    "SystemOutput",
    "SystemResult",
    "SystemScore",
    "approximate_randomization",
    "bleu_scores",
    "bootstrap_interval",
    "bootstrap_scores",
    "evaluate",
    "paired_bootstrap",
    "sacre_bleu",
    "sacre_chrf",
    "sacre_ter",
]
