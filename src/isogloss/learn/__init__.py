"""Learners: from an n-best list and a metric to weights, one learner per file.

Problem                    a list, a metric, and the metric's statistics of every candidate
Learner, Learned, Step     what every learner is and gives
"""

from isogloss.learn.learner import Learned, Learner, Step, Track, no_track
from isogloss.learn.metrics import METRICS, QualityColumn, metric_named
from isogloss.learn.problem import Problem, WeightVector

__all__ = [
    "METRICS",
    "Learned",
    "Learner",
    "Problem",
    "QualityColumn",
    "Step",
    "Track",
    "WeightVector",
    "metric_named",
    "no_track",
]
