"""Reranking the n-best lists of any system.

RerankModel                 a trained model: scores, reorders, saves, loads
prepare, train           from a list to a model
compare, cross_validate  which method, which features
parse_features           feature functions as they are written on a command line
"""

from isogloss.rerank.features import FeatureContext, FeatureFunction, parse_features, read_source
from isogloss.rerank.methods import method_named
from isogloss.rerank.model import RerankModel
from isogloss.rerank.sweep import (
    FeatureTable,
    SweepOptions,
    SweepRow,
    compare,
    cross_validate,
    learning_curve,
)
from isogloss.rerank.train import RerankOptions, RerankTraining, prepare, train_model

__all__ = [
    "FeatureContext",
    "FeatureFunction",
    "FeatureTable",
    "RerankModel",
    "RerankOptions",
    "RerankTraining",
    "SweepOptions",
    "SweepRow",
    "compare",
    "cross_validate",
    "learning_curve",
    "method_named",
    "parse_features",
    "prepare",
    "read_source",
    "train_model",
]
