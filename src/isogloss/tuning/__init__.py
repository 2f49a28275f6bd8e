"""Tuning: loops that drive a decoder to find weights.

tune                               from a system and a development set to weights
TuneOptions                        the method and its options
OnlineOptions, RelevantSetOptions  options of the learners that need a decoder
TuneResult, TuneIteration          what comes out
"""

from isogloss.tuning.job import DecoderLearner, TuneIteration, TuneResult, TuningJob
from isogloss.tuning.online import OnlineOptions
from isogloss.tuning.options import TuneOptions
from isogloss.tuning.relevant_set import RelevantSetOptions
from isogloss.tuning.tune import tune

__all__ = [
    "DecoderLearner",
    "OnlineOptions",
    "RelevantSetOptions",
    "TuneIteration",
    "TuneOptions",
    "TuneResult",
    "TuningJob",
    "tune",
]
