"""Stages and their order."""

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
"""Name of the checkpoint folder in the outputs of a stage."""

StageFunction = Callable[[Mapping[str, Path], Mapping[str, Path], Mapping[str, Any]], object]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


@dataclass(frozen=True, slots=True)
class Output:
    """An output of another stage used as an input: ``stage["name"]`` returns it."""

    stage: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A step from named files or folders to named files or folders.

    ``function(inputs, outputs, options)`` reads the input paths and writes the output paths, which are
    temporary: outputs are moved into place when it returns, and removed if it fails. It must be pure: the
    same inputs and options give the same outputs. Settings that do not change the result (threads, memory) do
    not belong in the options; bind them to the function.

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
    """Existing files or folders, or outputs of other stages."""
    outputs: Mapping[str, str]
    """Where each output goes, relative to the run's folder."""
    extras: Mapping[str, str] = field(default_factory=dict)
    """Outputs that earlier versions did not make: a stage that they did is kept without them."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """JSON values. If one changes, the stage runs again."""
    version: int = 1
    """Version of the outputs. Raise it when the same options would give a different result."""
    checkpoint: bool = False
    """Whether the function gets a folder ``outputs["checkpoint"]``. A stage that was interrupted finds its
    files there again, unless its inputs or options have changed. The folder is removed when the stage is
    done."""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ConfigError(f"a stage's name is letters, digits, '_', '.' and '-', got {self.name!r}")
        if not self.outputs:
            raise ConfigError(f"stage '{self.name}' has no outputs")
        if self.checkpoint and CHECKPOINT in self.outputs:
            raise ConfigError(
                f"stage '{self.name}': '{CHECKPOINT}' is reserved for checkpoints and cannot be an output"
            )
        for path in (*self.outputs.values(), *self.extras.values()):
            parts = PurePosixPath(path).parts
            if not parts or parts[0] == "/" or ".." in parts or parts[0].startswith("."):
                raise ConfigError(
                    f"stage '{self.name}': an output must be inside the run's folder and must not begin with "
                    f"a dot, got '{path}'"
                )
            if parts[0] in ("run.jsonl", "run.lock"):
                raise ConfigError(f"stage '{self.name}': '{path}' is reserved for the run itself")
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
    """Topological order of the stages; as given where the order is free."""
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
            raise ConfigError(f"these stages depend on each other in a cycle: {rest}")
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
            by_name[item.stage][item.name]  # raises an error if there is no such output
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
                        "overlap"
                    )
            makers[path] = stage.name
