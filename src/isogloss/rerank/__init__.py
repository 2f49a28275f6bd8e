"""Reranking the n-best lists of any system.

Reranker                 a trained model: scores, reorders, saves, loads
prepare, train           from a list to a model
sweep, cross_validate    which method, which features
parse_features           feature functions as they are written on a command line
"""

from isogloss.rerank.features import FeatureFunction, Material, parse_features, read_source
from isogloss.rerank.methods import method_named
from isogloss.rerank.model import Reranker
from isogloss.rerank.sweep import FeatureTable, SweepOptions, SweepRow, cross_validate, learning_curve, sweep
from isogloss.rerank.train import Trained, TrainOptions, prepare, train

__all__ = [
    "FeatureFunction",
    "FeatureTable",
    "Material",
    "Reranker",
    "SweepOptions",
    "SweepRow",
    "TrainOptions",
    "Trained",
    "cross_validate",
    "learning_curve",
    "method_named",
    "parse_features",
    "prepare",
    "read_source",
    "sweep",
    "train",
]
