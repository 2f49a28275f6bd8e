"""Discriminative training, tuning, reranking and adaptation for machine translation."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from isogloss._version import __version__

if TYPE_CHECKING:
    from isogloss.decoder import System
    from isogloss.learn import Tuned
    from isogloss.nbest import NbestList
    from isogloss.pipeline import Trained
    from isogloss.rerank import Reranker, RerankOptions, feature

__all__ = ["NbestList", "RerankOptions", "Reranker", "__version__", "feature", "load", "train", "tune_nbest"]

# Where each public name lives. It is imported when somebody asks for it: `import isogloss` stays quick.
_PLACES = {
    "NbestList": "isogloss.nbest",
    "RerankOptions": "isogloss.rerank",
    "Reranker": "isogloss.rerank",
    "feature": "isogloss.rerank",
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


def tune_nbest(nbest: Any, references: Any = None, **options: Any) -> Tuned:
    """Weights for an n-best list: ``isogloss.tune_nbest("dev.nbest", ["dev.en"], method="kbmira").weights``.

    The list and the references are files or objects; see ``isogloss.learn.tune_nbest`` for the options.
    """
    from isogloss.learn import tune_nbest as tune

    return tune(nbest, references, **options)
