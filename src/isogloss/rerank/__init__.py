"""Rerank the n-best lists of any system.

Reranker                    train, apply, save and load a reranker
sweep, ablation             compare methods and features by cross-validation on a list
changes                     what a reranker changes, sentence by sentence, and why
feature, FeatureFunction    your own features
mbr                         minimum Bayes risk: no training needed
tune_nbest                  tune weights for the features of a list
RerankOptions, SweepOptions, NbestTuneOptions    options of each

Lower level, for programs that work with columns instead of lists of strings:

RerankModel                 the trained model: score, reorder, save, load
prepare, train_model        train a model on a list and a problem
compare, cross_validate     compare methods and features on a problem
"""

from typing import TYPE_CHECKING

from isogloss.io.lazy import lazy_names

if TYPE_CHECKING:
    from isogloss.rerank.assembly import assemble
    from isogloss.rerank.browsing import ChangedSentence, Changes, changes
    from isogloss.rerank.comparison import FeatureTable, SweepRow, compare, cross_validate, learning_curve
    from isogloss.rerank.curves import CurvePoint
    from isogloss.rerank.feature_ablation import Ablation, AblationRow, ablation
    from isogloss.rerank.features import FeatureContext, FeatureFunction
    from isogloss.rerank.joint_training import JointFeatureOptions, train_joint_feature
    from isogloss.rerank.length_ratios import length_cells, length_text
    from isogloss.rerank.methods import method_named, parse_method
    from isogloss.rerank.minimum_risk import mbr
    from isogloss.rerank.model import RerankModel
    from isogloss.rerank.naming import Features, FeatureSpec, as_functions, feature, parse_features
    from isogloss.rerank.nbest_tuning import NbestTuning, tune_nbest
    from isogloss.rerank.options import (
        ListMbrOptions,
        NbestTuneOptions,
        RerankOptions,
        RerankTask,
        SweepOptions,
        SweepTask,
    )
    from isogloss.rerank.preparation import context_of, list_problem
    from isogloss.rerank.report import SWEEP_HEAD, sweep_cells
    from isogloss.rerank.reranker import Reranker
    from isogloss.rerank.sweeping import Sweep, sweep
    from isogloss.rerank.train import RerankTraining, prepare, train_model
    from isogloss.rerank.word_lexicon import LexiconOptions, WordLexicon

__all__ = [
    "SWEEP_HEAD",
    "Ablation",
    "AblationRow",
    "ChangedSentence",
    "Changes",
    "CurvePoint",
    "FeatureContext",
    "FeatureFunction",
    "FeatureSpec",
    "FeatureTable",
    "Features",
    "JointFeatureOptions",
    "LexiconOptions",
    "ListMbrOptions",
    "NbestTuneOptions",
    "NbestTuning",
    "RerankModel",
    "RerankOptions",
    "RerankTask",
    "RerankTraining",
    "Reranker",
    "Sweep",
    "SweepOptions",
    "SweepRow",
    "SweepTask",
    "WordLexicon",
    "ablation",
    "as_functions",
    "assemble",
    "changes",
    "compare",
    "context_of",
    "cross_validate",
    "feature",
    "learning_curve",
    "length_cells",
    "length_text",
    "list_problem",
    "mbr",
    "method_named",
    "parse_features",
    "parse_method",
    "prepare",
    "sweep",
    "sweep_cells",
    "train_joint_feature",
    "train_model",
    "tune_nbest",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "feature_ablation": ("Ablation", "AblationRow", "ablation"),
        "assembly": ("assemble",),
        "browsing": ("ChangedSentence", "Changes", "changes"),
        "comparison": (
            "FeatureTable",
            "SweepRow",
            "compare",
            "cross_validate",
            "learning_curve",
        ),
        "curves": ("CurvePoint",),
        "features": (
            "FeatureContext",
            "FeatureFunction",
        ),
        "length_ratios": ("length_cells", "length_text"),
        "joint_training": ("JointFeatureOptions", "train_joint_feature"),
        "methods": (
            "method_named",
            "parse_method",
        ),
        "minimum_risk": ("mbr",),
        "model": ("RerankModel",),
        "naming": (
            "FeatureSpec",
            "Features",
            "as_functions",
            "feature",
            "parse_features",
        ),
        "nbest_tuning": (
            "NbestTuning",
            "tune_nbest",
        ),
        "options": (
            "ListMbrOptions",
            "NbestTuneOptions",
            "RerankOptions",
            "RerankTask",
            "SweepOptions",
            "SweepTask",
        ),
        "preparation": (
            "context_of",
            "list_problem",
        ),
        "report": (
            "SWEEP_HEAD",
            "sweep_cells",
        ),
        "reranker": ("Reranker",),
        "sweeping": (
            "Sweep",
            "sweep",
        ),
        "train": (
            "RerankTraining",
            "prepare",
            "train_model",
        ),
        "word_lexicon": ("LexiconOptions", "WordLexicon"),
    },
)
