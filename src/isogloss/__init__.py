"""Discriminative training, tuning, reranking and adaptation for machine translation."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from isogloss._version import __version__

if TYPE_CHECKING:
    from isogloss.decoder import System
    from isogloss.metric import EvaluateOptions, Metric, evaluate
    from isogloss.nbest import NbestList
    from isogloss.pipeline import Trained
    from isogloss.rerank import Reranker, RerankOptions, SweepOptions, feature, mbr, tune_nbest

__all__ = [
    "EvaluateOptions",
    "Metric",
    "NbestList",
    "RerankOptions",
    "Reranker",
    "SweepOptions",
    "__version__",
    "evaluate",
    "feature",
    "load",
    "mbr",
    "train",
    "tune_nbest",
]

# Where each public name lives. It is imported when somebody asks for it: `import isogloss` stays quick.
_PLACES = {
    "EvaluateOptions": "isogloss.metric",
    "Metric": "isogloss.metric",
    "NbestList": "isogloss.nbest",
    "RerankOptions": "isogloss.rerank",
    "Reranker": "isogloss.rerank",
    "SweepOptions": "isogloss.rerank",
    "evaluate": "isogloss.metric",
    "feature": "isogloss.rerank",
    "mbr": "isogloss.rerank",
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


def load(path: str, **changes: Any) -> System:
    """Open a stored translation system: ``isogloss.load("DIR").translate("ein haus")``.

    ``options`` and ``weights`` replace the stored ones: see ``isogloss.decoder.load``.
    """
    from isogloss.decoder import load as load_system

    return load_system(path, **changes)


def train(folder: str, **settings: Any) -> Trained:
    """Make a translation system from parallel text: ``isogloss.train("DIR", source="a.de", target="a.en")``.

    Keywords are the fields of ``isogloss.pipeline.TrainOptions`` and the arguments of
    ``isogloss.pipeline.train``, which does the work.
    """
    from isogloss.pipeline import train as train_system

    return train_system(folder, **settings)
