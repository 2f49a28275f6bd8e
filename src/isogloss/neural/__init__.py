"""Neural models that score words inside the search.

>>> from isogloss.neural import JointModel, JointOptions, train_joint
"""

from typing import TYPE_CHECKING

from isogloss.io.lazy import lazy_names

if TYPE_CHECKING:
    from isogloss.neural.aligned_text import source_positions
    from isogloss.neural.model import JointModel
    from isogloss.neural.options import JointOptions
    from isogloss.neural.predictions import PredictedWord, predicted_words
    from isogloss.neural.training import Epoch, train_joint

__all__ = [
    "Epoch",
    "JointModel",
    "JointOptions",
    "PredictedWord",
    "predicted_words",
    "source_positions",
    "train_joint",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "aligned_text": ("source_positions",),
        "model": ("JointModel",),
        "options": ("JointOptions",),
        "predictions": ("PredictedWord", "predicted_words"),
        "training": ("Epoch", "train_joint"),
    },
)
