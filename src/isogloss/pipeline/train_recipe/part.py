"""What the parts of the recipe of ``train`` share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from isogloss.corpus.processing import SideOptions
from isogloss.io.executor import Executor, LocalExecutor
from isogloss.io.progress import Track
from isogloss.io.streams import StrPath
from isogloss.pipeline.stage import Output
from isogloss.pipeline.train_options import TrainOptions
from isogloss.tuning import TuneIteration

__all__ = ["SIDES", "Helpers", "Inputs", "Part"]

Inputs = dict[str, StrPath | Output]
SIDES = ("source", "target")


@dataclass(frozen=True, slots=True, kw_only=True)
class Helpers:
    """Settings that do not change the result: resources and callbacks."""

    threads: int
    memory: int
    track: Track
    warn: Callable[[str], None]
    report: Callable[[TuneIteration], None]
    note: Callable[[str], None] = lambda message: None
    executor: Executor = field(default_factory=LocalExecutor)
    rules: Path | None = None
    """Where the rules of this recipe are, if an earlier stage has extracted them."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some of the stages, made from the options of a run."""

    options: TrainOptions
    helpers: Helpers
    sides: tuple[SideOptions, SideOptions]
    """What is done to the text of source and target."""
