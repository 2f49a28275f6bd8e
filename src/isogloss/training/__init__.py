"""From parallel text to a tuned, evaluated translation system: ``isogloss.train`` and what it is made of."""

from isogloss.training.options import TrainOptions
from isogloss.training.train import Trained, train

__all__ = ["TrainOptions", "Trained", "train"]
