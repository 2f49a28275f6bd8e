"""Run stages in a folder: each once, and again only if something it depends on has changed.

    FOLDER/run.jsonl           the record
    FOLDER/run.lock            locked during a run
    FOLDER/.part/              outputs of the current stage
    FOLDER/.checkpoint/        checkpoints of stages, to resume after a kill
    FOLDER/...                 complete outputs

A run that was killed at any moment resumes when it is started again: a stage is done only when its record is
written, and the files of a killed stage in ``.part`` are removed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

from isogloss.io.durable import move_into_place
from isogloss.io.errors import ConfigError, InputFileError, OutputError, StageError
from isogloss.io.streams import StrPath
from isogloss.pipeline.fingerprint import Fingerprint, fingerprint
from isogloss.pipeline.record import Journal, Meter, Record
from isogloss.pipeline.run_folder import locked
from isogloss.pipeline.stage import CHECKPOINT, Output, Stage, in_order

__all__ = ["Event", "Run"]

_PART, _CHECKPOINTS = ".part", ".checkpoint"

Fingerprints = dict[str, Fingerprint]
What = Literal["started", "done", "kept", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event for the progress callback."""

    stage: str
    what: What
    number: int
    """Position of the stage in the run, from 1."""
    total: int
    record: Record | None = None
    """The record of a stage that has run or was up to date."""


class Run:
    """Stages in one folder. A second run in the same folder at the same time is an error."""

    def __init__(self, folder: StrPath, *, progress: Callable[[Event], None] | None = None) -> None:
        self.folder = Path(folder)
        self._journal = Journal(self.folder / "run.jsonl")
        self._progress = progress or (lambda _: None)

    def summary(self) -> list[Record]:
        """The last record of each stage, in the order in which stages were first done."""
        return list(self._journal.latest().values())

    def execute(self, stages: Sequence[Stage]) -> list[Record]:
        """Run the stages that need it, in order; return a record for every stage.

        Raises ``StageError`` with the name of the stage if one fails; its old outputs are kept.
        """
        ordered = in_order(stages)
        inputs = {stage.name: self._inputs(stage, ordered) for stage in ordered}
        with locked(self.folder):
            shutil.rmtree(self.folder / _PART, ignore_errors=True)
            before = self._journal.latest()
            made: dict[Path, Fingerprint] = {}
            records = []
            for number, stage in enumerate(ordered, start=1):
                record = before.get(stage.name)
                tell = partial(self._tell, stage.name, number, len(ordered))
                try:
                    step = _Step(self.folder, stage, inputs[stage.name], record, made)
                    records.append(self._bring_up_to_date(step, tell))
                except Exception as error:
                    tell("failed")
                    raise StageError(stage.name, error) from error
            return records

    def _tell(self, stage: str, number: int, total: int, what: What, record: Record | None = None) -> None:
        self._progress(Event(stage=stage, what=what, number=number, total=total, record=record))

    def _inputs(self, stage: Stage, stages: Sequence[Stage]) -> dict[str, Path]:
        """The path of each input. External inputs must exist before anything runs."""
        by_name = {other.name: other for other in stages}
        outputs = {(self.folder / path).resolve(): s for s in stages for path in s.outputs.values()}
        paths = {}
        for name, item in stage.inputs.items():
            if isinstance(item, Output):
                paths[name] = self.folder / by_name[item.stage].outputs[item.name]
                continue
            paths[name] = Path(item)
            maker = outputs.get(paths[name].resolve())
            if maker is not None:
                raise ConfigError(
                    f"stage '{stage.name}': the input '{item}' is written by stage '{maker.name}'; refer to "
                    "it as an output of that stage"
                )
            if not paths[name].exists():
                raise StageError(stage.name, InputFileError("No such file or directory", paths[name]))
        return paths

    def _bring_up_to_date(self, step: _Step, tell: Callable[..., None]) -> Record:
        record = step.kept()
        if record is not None:
            if record != step.before:
                self._journal.append(replace(record, outcome="kept"))
            tell("kept", record)
            return record
        tell("started")
        self._journal.begin()
        meter = Meter()
        try:
            record = step.make(meter)
        except BaseException as error:
            self._record_failure(step, meter, error)
            raise
        self._journal.append(record)
        tell("done", record)
        return record

    def _record_failure(self, step: _Step, meter: Meter, error: BaseException) -> None:
        record = replace(
            step.record(meter),
            outcome="failed" if isinstance(error, Exception) else "interrupted",
            error=str(error) or type(error).__name__,
        )
        with contextlib.suppress(OutputError):  # an error message most likely follows
            self._journal.append(record)


class _Step:
    """A stage in a folder, with the fingerprints of its files."""

    def __init__(
        self,
        folder: Path,
        stage: Stage,
        inputs: Mapping[str, Path],
        before: Record | None,
        made: dict[Path, Fingerprint],
    ) -> None:
        self.stage, self.before = stage, before
        self._folder, self._input_paths, self._made = folder, inputs, made
        self._output_paths = {name: folder / path for name, path in stage.outputs.items()}
        known = before.inputs if before is not None else {}
        self._inputs = {
            name: fingerprint(path, made.get(path) or known.get(name)) for name, path in inputs.items()
        }
        self._key = _key(stage, self._inputs)

    def kept(self) -> Record | None:
        """The old record with current fingerprints; None if the stage must run."""
        if self.before is None or self.before.key != self._key:
            return None
        outputs: Fingerprints = {}
        for name, path in self._output_paths.items():
            known = self.before.outputs.get(name)
            if known is None or not path.exists():
                return None
            outputs[name] = fingerprint(path, known)
            if outputs[name].content != known.content:
                return None
        return replace(self.before, inputs=self._inputs, outputs=outputs)

    def make(self, meter: Meter) -> Record:
        """Run the function of the stage and move its outputs into place."""
        work = self._folder / _PART / f"{self.stage.name}-{secrets.token_hex(4)}"
        places = {**self.stage.extras, **self.stage.outputs}
        parts = {name: work / "new" / path for name, path in places.items()}
        try:
            for part in parts.values():
                part.parent.mkdir(parents=True, exist_ok=True)
            self.stage.function(self._input_paths, {**parts, **self._checkpoint()}, dict(self.stage.options))
            for name, part in parts.items():
                if not part.exists():
                    raise OutputError(f"the output '{name}' was not written", self._folder / places[name])
            self._check_inputs_unchanged()
            for name, part in parts.items():
                move_into_place(part, self._folder / places[name], work / "old" / name)
        finally:
            shutil.rmtree(self._folder / _PART, ignore_errors=True)
        self._forget_checkpoints()
        record = self.record(meter)
        outputs = {name: fingerprint(path) for name, path in self._output_paths.items()}
        self._made.update((path, outputs[name]) for name, path in self._output_paths.items())
        return replace(record, outputs=outputs)

    def _checkpoint(self) -> dict[str, Path]:
        """The checkpoint folder of the stage, if it uses one."""
        if not self.stage.checkpoint:
            return {}
        folder = self._folder / _CHECKPOINTS / self.stage.name / self._key[:16]
        if not folder.exists():
            self._forget_checkpoints()  # they belong to other inputs or options
        folder.mkdir(parents=True, exist_ok=True)
        return {CHECKPOINT: folder}

    def _forget_checkpoints(self) -> None:
        if self.stage.checkpoint:
            shutil.rmtree(self._folder / _CHECKPOINTS / self.stage.name, ignore_errors=True)
            with contextlib.suppress(OSError):  # other stages have theirs there
                (self._folder / _CHECKPOINTS).rmdir()

    def record(self, meter: Meter) -> Record:
        """The event for the current state."""
        return Record(
            stage=self.stage.name,
            outcome="done",
            key=self._key,
            options=dict(self.stage.options),
            version=self.stage.version,
            inputs=self._inputs,
            **meter.read(),
        )

    def _check_inputs_unchanged(self) -> None:
        for name, path in self._input_paths.items():
            if fingerprint(path, self._inputs[name]).content != self._inputs[name].content:
                raise InputFileError("was changed while the stage was reading it", path, "repeat the command")


def _key(stage: Stage, inputs: Mapping[str, Fingerprint]) -> str:
    parts = {
        "version": stage.version,
        "options": stage.options,
        "inputs": {name: item.content for name, item in inputs.items()},
        "outputs": stage.outputs,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
