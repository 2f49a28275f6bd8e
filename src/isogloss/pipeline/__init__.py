"""Stages: pure steps from named files to named files, done once, resumed after a kill, and recorded."""

from isogloss.pipeline.record import Record
from isogloss.pipeline.run import Event, Run
from isogloss.pipeline.stage import Output, Stage

__all__ = ["Event", "Output", "Record", "Run", "Stage"]
