"""From parallel text to a tuned, evaluated system: a recipe of stages that resume if interrupted."""

from isogloss.pipeline.record import Record
from isogloss.pipeline.retrain import Retrained, retrain
from isogloss.pipeline.retuning import TuningFiles, tune_stored
from isogloss.pipeline.run import Event, Run
from isogloss.pipeline.stage import Output, Stage
from isogloss.pipeline.train import Trained, train
from isogloss.pipeline.train_options import TrainOptions

__all__ = [
    "Event",
    "Output",
    "Record",
    "Retrained",
    "Run",
    "Stage",
    "TrainOptions",
    "Trained",
    "TuningFiles",
    "retrain",
    "train",
    "tune_stored",
]
