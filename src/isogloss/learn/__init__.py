"""Learners: find weights from an n-best list and a metric. One learner per file.

Problem                    a list, a metric, and the metric's statistics of every candidate
Learner, Learned, LearningStep     the interface of learners and its results; Curve helps to make them
Mert, BatchMira, Pro       learners
learner_names, make_learner, find_learner, register, LearnerEntry    learners by name
Constraints, Prior         frozen weights, bounds and priors
large_margin_update        one update of online large-margin training
tune_nbest                 tune weights on a list with references, with checks
"""

from typing import TYPE_CHECKING

from isogloss.io.lazy import lazy_names

if TYPE_CHECKING:
    from isogloss.learn.batch_mira import BatchMira
    from isogloss.learn.constraints import Constraints, Prior
    from isogloss.learn.large_margin import LargeMarginOptions, LargeMarginUpdate, large_margin_update
    from isogloss.learn.learner import Curve, Learned, Learner, LearningStep, Track, no_track
    from isogloss.learn.mbr import MbrOptions
    from isogloss.learn.mert import Mert
    from isogloss.learn.metrics import QualityColumn
    from isogloss.learn.nbest_tuning import Tuned, TuningRun, tune_nbest
    from isogloss.learn.pro import Pro
    from isogloss.learn.problem import Problem, WeightVector
    from isogloss.learn.registry import LearnerEntry, find_learner, learner_names, make_learner, register

__all__ = [
    "BatchMira",
    "Constraints",
    "Curve",
    "LargeMarginOptions",
    "LargeMarginUpdate",
    "Learned",
    "Learner",
    "LearnerEntry",
    "LearningStep",
    "MbrOptions",
    "Mert",
    "Prior",
    "Pro",
    "Problem",
    "QualityColumn",
    "Track",
    "Tuned",
    "TuningRun",
    "WeightVector",
    "find_learner",
    "large_margin_update",
    "learner_names",
    "make_learner",
    "no_track",
    "register",
    "tune_nbest",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "batch_mira": ("BatchMira",),
        "constraints": (
            "Constraints",
            "Prior",
        ),
        "large_margin": (
            "LargeMarginOptions",
            "LargeMarginUpdate",
            "large_margin_update",
        ),
        "learner": (
            "Curve",
            "Learned",
            "Learner",
            "LearningStep",
            "Track",
            "no_track",
        ),
        "mbr": ("MbrOptions",),
        "mert": ("Mert",),
        "metrics": ("QualityColumn",),
        "nbest_tuning": (
            "Tuned",
            "TuningRun",
            "tune_nbest",
        ),
        "pro": ("Pro",),
        "problem": (
            "Problem",
            "WeightVector",
        ),
        "registry": (
            "LearnerEntry",
            "find_learner",
            "learner_names",
            "make_learner",
            "register",
        ),
    },
)
