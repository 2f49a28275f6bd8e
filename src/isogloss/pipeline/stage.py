"""What a stage is, and the order in which stages can be run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from isogloss.io.errors import ConfigError
from isogloss.io.streams import StrPath

__all__ = ["CHECKPOINT", "Output", "Stage", "StageFunction", "in_order"]

CHECKPOINT = "checkpoint"
"""Under this name the outputs of a stage that wants one have a folder that outlives a kill."""

StageFunction = Callable[[Mapping[str, Path], Mapping[str, Path], Mapping[str, Any]], object]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


@dataclass(frozen=True, slots=True)
class Output:
    """What another stage makes, named as an input: ``stage["name"]`` gives it."""

    stage: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A step from named files or folders to named files or folders.

    ``function(inputs, outputs, options)`` reads the input paths and writes the output paths, which are not
    the final ones: what it made is moved into place when it returns, and thrown away if it fails. It must
    be pure: the same inputs and options, the same outputs. What does not change the result (threads,
    memory) does not belong in the options; bind it to the function.

    >>> def shout(inputs, outputs, options):
    ...     outputs["loud"].write_text(inputs["text"].read_text().upper() + options["end"])
    >>> stage = Stage(name="shout", function=shout, inputs={"text": "a.txt"}, outputs={"loud": "b.txt"},
    ...               options={"end": "!"})
    >>> stage["loud"]
    Output(stage='shout', name='loud')
    """

    name: str
    """Letters, digits, ``_``, ``.`` and ``-``; it is this stage's key in the run record."""
    function: StageFunction
    inputs: Mapping[str, StrPath | Output]
    """Files or folders from outside, or outputs of other stages."""
    outputs: Mapping[str, str]
    """Where each output goes, relative to the run's folder."""
    extras: Mapping[str, str] = field(default_factory=dict)
    """Outputs that earlier versions did not make: a stage that they did is kept without them."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """JSON values; a changed one makes the stage run again."""
    version: int = 1
    """Of the outputs' format and meaning: raise it when the same options would give another result."""
    checkpoint: bool = False
    """Whether the function is given a folder ``outputs["checkpoint"]``: what a killed stage left there it
    finds again, unless its inputs or options have changed. It is removed when the stage is done."""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ConfigError(f"a stage's name is letters, digits, '_', '.' and '-', got {self.name!r}")
        if not self.outputs:
            raise ConfigError(f"stage '{self.name}' has no outputs")
        if self.checkpoint and CHECKPOINT in self.outputs:
            raise ConfigError(f"stage '{self.name}': '{CHECKPOINT}' is not an output, but what a kill leaves")
        for path in (*self.outputs.values(), *self.extras.values()):
            parts = PurePosixPath(path).parts
            if not parts or parts[0] == "/" or ".." in parts or parts[0].startswith("."):
                raise ConfigError(
                    f"stage '{self.name}': an output must lie in the run's folder and not begin with a dot, "
                    f"got '{path}'"
                )
            if parts[0] in ("run.jsonl", "run.lock"):
                raise ConfigError(f"stage '{self.name}': '{path}' is the run's own file")
        try:
            json.dumps(self.options, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"stage '{self.name}': options must be JSON values ({error})") from None

    def __getitem__(self, name: str) -> Output:
        if name not in self.outputs:
            known = ", ".join(sorted(self.outputs))
            raise ConfigError(f"stage '{self.name}' has no output '{name}'; it has: {known}")
        return Output(self.name, name)


def in_order(stages: Sequence[Stage]) -> list[Stage]:
    """The stages in an order in which each finds its inputs made; as given where that is free."""
    by_name = {stage.name: stage for stage in stages}
    if len(by_name) < len(stages):
        raise ConfigError("two stages have the same name: " + ", ".join(stage.name for stage in stages))
    _check_outputs(stages)
    ordered: dict[str, Stage] = {}
    while len(ordered) < len(stages):
        ready = next(
            (s for s in stages if s.name not in ordered and _needs(s, by_name) <= ordered.keys()), None
        )
        if ready is None:
            rest = ", ".join(stage.name for stage in stages if stage.name not in ordered)
            raise ConfigError(f"these stages wait for each other's outputs: {rest}")
        ordered[ready.name] = ready
    return list(ordered.values())


def _needs(stage: Stage, by_name: Mapping[str, Stage]) -> set[str]:
    needed = set()
    for item in stage.inputs.values():
        if isinstance(item, Output):
            if item.stage not in by_name:
                raise ConfigError(
                    f"stage '{stage.name}' needs stage '{item.stage}', which is not in this run"
                )
            by_name[item.stage][item.name]  # complains if there is no such output
            needed.add(item.stage)
    return needed


def _check_outputs(stages: Sequence[Stage]) -> None:
    makers: dict[PurePosixPath, str] = {}
    for stage in stages:
        for text in (*stage.outputs.values(), *stage.extras.values()):
            path = PurePosixPath(text)
            for other, maker in makers.items():
                if path == other or path in other.parents or other in path.parents:
                    raise ConfigError(
                        f"the outputs '{other}' of stage '{maker}' and '{path}' of stage '{stage.name}' "
                        "are in each other's way"
                    )
            makers[path] = stage.name
