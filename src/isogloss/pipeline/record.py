"""The run record: an append-only file with one line of JSON per stage.

A truncated line of a killed run is ignored, and its stage runs again.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from isogloss._version import __version__
from isogloss.io.durable import sync_path
from isogloss.io.errors import InputFileError, OutputError
from isogloss.pipeline.fingerprint import Fingerprint

__all__ = ["Journal", "Meter", "Record", "StageOutcome"]

StageOutcome = Literal["done", "kept", "failed", "interrupted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One run of a stage. ``kept`` is not a run: it records that files were touched but not changed."""

    stage: str
    outcome: StageOutcome
    key: str
    """Hash of the inputs' content, the options and the version."""
    start: str = ""
    """When the stage started, in UTC."""
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    """User and system time of this process and of the child processes it waited for."""
    peak_bytes: int = 0
    """Peak memory of this process, or of its largest child process if that used more."""
    options: Mapping[str, Any] = field(default_factory=dict)
    version: int = 1
    made_by: str = f"isogloss {__version__}"
    inputs: Mapping[str, Fingerprint] = field(default_factory=dict)
    outputs: Mapping[str, Fingerprint] = field(default_factory=dict)
    error: str = ""

    @property
    def output_bytes(self) -> int:
        """Total size of all outputs."""
        return sum(output.size for output in self.outputs.values())

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> Record:
        """Inverse of ``to_json``; raises ``TypeError``, ``KeyError`` or ``AttributeError`` for invalid
        input."""
        for side in ("inputs", "outputs"):
            row[side] = {name: Fingerprint.from_json(item) for name, item in row[side].items()}
        result = cls(**row)
        if not all(isinstance(text, str) for text in (result.stage, result.outcome, result.key)):
            raise TypeError("not a record")
        return result


class Journal:
    """The records in a file ``run.jsonl``."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def begin(self) -> None:
        """Make the file. It says whose folder this is, so it must be there before any output."""
        try:
            if not self.path.exists():
                self.path.touch()
                sync_path(self.path.parent)
        except OSError as error:
            raise OutputError(error.strerror or str(error), self.path) from None

    def append(self, record: Record) -> None:
        """Append a record and flush it to disk."""
        line = json.dumps(asdict(record), ensure_ascii=False, allow_nan=False).encode() + b"\n"
        try:
            with self.path.open("a+b") as stream:
                if stream.seek(0, os.SEEK_END) > 0:
                    stream.seek(-1, os.SEEK_END)
                    if stream.read(1) != b"\n":  # keep this line separate from a truncated one
                        line = b"\n" + line
                stream.write(line)
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise OutputError(error.strerror or str(error), self.path) from None

    def __iter__(self) -> Iterator[Record]:
        try:
            lines = self.path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return
        except OSError as error:
            raise InputFileError(error.strerror or str(error), self.path) from None
        for line in lines:
            try:
                yield Record.from_json(json.loads(line))
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                continue

    def latest(self) -> dict[str, Record]:
        """The last record of each stage, with the latest fingerprints of its files."""
        found: dict[str, Record] = {}
        for record in self:
            if record.outcome == "done":
                found[record.stage] = record
            elif record.outcome == "kept" and record.stage in found:
                before = found[record.stage]
                found[record.stage] = replace(before, inputs=record.inputs, outputs=record.outputs)
        return found


class Meter:
    """Measures the cost of a stage, from creation to ``read``."""

    def __init__(self) -> None:
        self.start = datetime.now(UTC).isoformat(timespec="seconds")
        self._wall, self._cpu = time.monotonic(), _cpu_seconds()
        self._children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        _forget_peak()

    def read(self) -> dict[str, Any]:
        """Fields of a ``Record``."""
        children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        peak = max(_own_peak(), _bytes(children) if children > self._children else 0)
        return {
            "start": self.start,
            "wall_seconds": round(time.monotonic() - self._wall, 3),
            "cpu_seconds": round(_cpu_seconds() - self._cpu, 3),
            "peak_bytes": peak,
        }


def _cpu_seconds() -> float:
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _bytes(maxrss: int) -> int:
    return maxrss * (1 if sys.platform == "darwin" else 1024)


def _forget_peak() -> None:
    """Reset the peak memory where the system allows it, so that it is not counted for later stages."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _own_peak() -> int:
    try:
        status = Path("/proc/self/status").read_text()
        return 1024 * next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:"))
    except (OSError, StopIteration, ValueError):
        return _bytes(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
