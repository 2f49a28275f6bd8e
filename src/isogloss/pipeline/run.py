"""Running stages in a folder: each once, and again only if something it depends on has changed.

    FOLDER/run.jsonl           the record
    FOLDER/run.lock            held while a run is going on
    FOLDER/.part/              what a stage is making at the moment
    FOLDER/.checkpoint/        what stages keep so that they can go on after a kill
    FOLDER/...                 outputs, complete

A run that was killed, at any moment, is resumed by starting it again: a stage counts as done only when its
record is written, and what a killed one left in ``.part`` is thrown away.
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

from isogloss.io.errors import ConfigError, InputFileError, OutputError, StageError
from isogloss.io.streams import StrPath
from isogloss.pipeline.fingerprint import Fingerprint, fingerprint
from isogloss.pipeline.record import Journal, Meter, Record
from isogloss.pipeline.run_folder import locked, move_into_place
from isogloss.pipeline.stage import CHECKPOINT, Output, Stage, in_order

__all__ = ["Event", "Run"]

_PART, _CHECKPOINTS = ".part", ".checkpoint"

Fingerprints = dict[str, Fingerprint]
What = Literal["started", "done", "kept", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What the progress callback is told."""

    stage: str
    what: What
    number: int
    """Position of the stage in the run, from 1."""
    total: int
    record: Record | None = None
    """Of a stage that is done or kept."""


class Run:
    """Stages over one folder. A second run in the same folder at the same time is refused."""

    def __init__(self, folder: StrPath, *, progress: Callable[[Event], None] | None = None) -> None:
        self.folder = Path(folder)
        self._journal = Journal(self.folder / "run.jsonl")
        self._progress = progress or (lambda _: None)

    def summary(self) -> list[Record]:
        """The last time each stage was done, in the order in which stages were first done."""
        return list(self._journal.latest().values())

    def execute(self, stages: Sequence[Stage]) -> list[Record]:
        """Run what has to be run, in order; return a record for every stage, those kept included.

        Raises ``StageError`` with the stage's name if one fails. Its old outputs are then still there.
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
        """Where each input lies. Those from outside must be there before anything is run."""
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
                    f"stage '{stage.name}': the input '{item}' is made by stage '{maker.name}'; "
                    "give it as that stage's output"
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
        with contextlib.suppress(OutputError):  # the user is about to be told why, most likely
            self._journal.append(record)


class _Step:
    """A stage in a folder, with what is known of its files."""

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
        """The old record, with what its files look like now; none if the stage must be run."""
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
        """Run the stage's function and put what it made into place."""
        work = self._folder / _PART / f"{self.stage.name}-{secrets.token_hex(4)}"
        places = {**self.stage.extras, **self.stage.outputs}
        parts = {name: work / "new" / path for name, path in places.items()}
        try:
            for part in parts.values():
                part.parent.mkdir(parents=True, exist_ok=True)
            self.stage.function(self._input_paths, {**parts, **self._checkpoint()}, dict(self.stage.options))
            for name, part in parts.items():
                if not part.exists():
                    raise OutputError(f"the output '{name}' was not made", self._folder / places[name])
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
        """The folder in which the stage finds what it left when it was killed, if it wants one."""
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
        """What there is to say at this moment."""
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
                raise InputFileError(
                    "was changed while the stage was reading it", path, "start the run again"
                )


def _key(stage: Stage, inputs: Mapping[str, Fingerprint]) -> str:
    parts = {
        "version": stage.version,
        "options": stage.options,
        "inputs": {name: item.content for name, item in inputs.items()},
        "outputs": stage.outputs,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
