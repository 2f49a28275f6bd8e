"""Tuning: loops that drive a decoder to find weights.

tune                               tune a system on a development set
TuneOptions                        the method and its options
OnlineOptions, RelevantSetOptions  options of the learners that need a decoder
TuneResult, TuneIteration          results
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
