"""Discriminative training, tuning, reranking and adaptation for machine translation.

isogloss.train("engine", source="train.de", target="train.en")    train a system from sentence pairs
isogloss.load("engine").translate("Der König ist alt.")            translate, with scores and alignments
isogloss.tune(system, "dev.de", "dev.en")                          tune the weights of a system
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from isogloss._version import __version__

if TYPE_CHECKING:
    from isogloss._calls import load, retrain, train, tune
    from isogloss.adapt import LocalOptions, Memory, MemoryOptions, RetrievalOptions
    from isogloss.align import AlignOptions, LinkOptions
    from isogloss.classes import ClassOptions
    from isogloss.corpus.check import CheckOptions
    from isogloss.decoder import (
        CommandOptions,
        Correction,
        Explanation,
        ExternalDecoder,
        SearchOptions,
        System,
        Translation,
        Translator,
    )
    from isogloss.features import SparseOptions
    from isogloss.grammar import ExtractOptions
    from isogloss.io.errors import (
        ClusterError,
        ConfigError,
        DataFormatError,
        ExternalCommandError,
        InputFileError,
        InternalError,
        IsoglossError,
        MissingExtraError,
        ModelFormatError,
        NotTrainedError,
        OutputError,
        StageError,
        TrainingError,
        UserError,
    )
    from isogloss.lm import LmOptions
    from isogloss.metric import EvaluateOptions, Metric, evaluate
    from isogloss.nbest import NbestList
    from isogloss.neural import JointOptions
    from isogloss.pipeline import Retrained, Trained, TrainOptions
    from isogloss.rerank import (
        NbestTuneOptions,
        Reranker,
        RerankOptions,
        SweepOptions,
        feature,
        mbr,
        tune_nbest,
    )
    from isogloss.selection import SampleOptions
    from isogloss.tuning import OnlineOptions, RelevantSetOptions, TuneOptions, TuneResult

__all__ = [
    "AlignOptions",
    "CheckOptions",
    "ClassOptions",
    "ClusterError",
    "CommandOptions",
    "ConfigError",
    "Correction",
    "DataFormatError",
    "EvaluateOptions",
    "Explanation",
    "ExternalCommandError",
    "ExternalDecoder",
    "ExtractOptions",
    "InputFileError",
    "InternalError",
    "IsoglossError",
    "JointOptions",
    "LinkOptions",
    "LmOptions",
    "LocalOptions",
    "Memory",
    "MemoryOptions",
    "Metric",
    "MissingExtraError",
    "ModelFormatError",
    "NbestList",
    "NbestTuneOptions",
    "NotTrainedError",
    "OnlineOptions",
    "OutputError",
    "RelevantSetOptions",
    "RerankOptions",
    "Reranker",
    "Retrained",
    "RetrievalOptions",
    "SampleOptions",
    "SearchOptions",
    "SparseOptions",
    "StageError",
    "SweepOptions",
    "System",
    "TrainOptions",
    "Trained",
    "TrainingError",
    "Translation",
    "Translator",
    "TuneOptions",
    "TuneResult",
    "UserError",
    "__version__",
    "evaluate",
    "feature",
    "load",
    "mbr",
    "retrain",
    "train",
    "tune",
    "tune_nbest",
]

# The module of each public name. It is imported on first use, so that `import isogloss` stays fast.
_PLACES = {
    "AlignOptions": "isogloss.align",
    "CheckOptions": "isogloss.corpus.check",
    "ClassOptions": "isogloss.classes",
    "CommandOptions": "isogloss.decoder",
    "ClusterError": "isogloss.io.errors",
    "ConfigError": "isogloss.io.errors",
    "Correction": "isogloss.decoder",
    "DataFormatError": "isogloss.io.errors",
    "EvaluateOptions": "isogloss.metric",
    "Explanation": "isogloss.decoder",
    "ExternalCommandError": "isogloss.io.errors",
    "ExternalDecoder": "isogloss.decoder",
    "ExtractOptions": "isogloss.grammar",
    "InputFileError": "isogloss.io.errors",
    "InternalError": "isogloss.io.errors",
    "IsoglossError": "isogloss.io.errors",
    "LinkOptions": "isogloss.align",
    "JointOptions": "isogloss.neural",
    "LmOptions": "isogloss.lm",
    "LocalOptions": "isogloss.adapt",
    "Memory": "isogloss.adapt",
    "MemoryOptions": "isogloss.adapt",
    "Metric": "isogloss.metric",
    "MissingExtraError": "isogloss.io.errors",
    "ModelFormatError": "isogloss.io.errors",
    "NbestList": "isogloss.nbest",
    "NbestTuneOptions": "isogloss.rerank",
    "NotTrainedError": "isogloss.io.errors",
    "OnlineOptions": "isogloss.tuning",
    "OutputError": "isogloss.io.errors",
    "RelevantSetOptions": "isogloss.tuning",
    "RerankOptions": "isogloss.rerank",
    "Reranker": "isogloss.rerank",
    "Retrained": "isogloss.pipeline",
    "RetrievalOptions": "isogloss.adapt",
    "SampleOptions": "isogloss.selection",
    "SearchOptions": "isogloss.decoder",
    "SparseOptions": "isogloss.features",
    "StageError": "isogloss.io.errors",
    "SweepOptions": "isogloss.rerank",
    "System": "isogloss.decoder",
    "TrainOptions": "isogloss.pipeline",
    "Trained": "isogloss.pipeline",
    "TrainingError": "isogloss.io.errors",
    "Translation": "isogloss.decoder",
    "Translator": "isogloss.decoder",
    "TuneOptions": "isogloss.tuning",
    "TuneResult": "isogloss.tuning",
    "UserError": "isogloss.io.errors",
    "evaluate": "isogloss.metric",
    "feature": "isogloss.rerank",
    "load": "isogloss._calls",
    "mbr": "isogloss.rerank",
    "retrain": "isogloss._calls",
    "train": "isogloss._calls",
    "tune": "isogloss._calls",
    "tune_nbest": "isogloss.rerank",
}


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module 'isogloss' has no attribute '{name}'")
    value = getattr(import_module(_PLACES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
