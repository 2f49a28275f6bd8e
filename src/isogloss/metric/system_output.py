"""What systems wrote, read from files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import fspath
from pathlib import Path

from isogloss.io.errors import ConfigError
from isogloss.io.streams import StrPath, read_lines
from isogloss.metric.references import References, check_length

__all__ = ["SystemOutput", "read_systems"]


@dataclass(frozen=True, slots=True)
class SystemOutput:
    """The output of a system: one list of lines, or one for each run of its optimizer."""

    name: str
    runs: tuple[Sequence[str], ...]
    files: tuple[str, ...] = ()
    """Where the runs came from, for messages; optional."""

    @classmethod
    def read(cls, paths: Sequence[StrPath], name: str | None = None) -> SystemOutput:
        """Read one file per run."""
        files = tuple(fspath(path) for path in paths)
        return cls(name or ",".join(files), tuple(list(read_lines(path)) for path in paths), files)

    def check(self, references: References) -> None:
        """Complain unless every run has one line for each sentence."""
        if not self.runs:
            raise ConfigError(f"system '{self.name}' has no output")
        names = self.files or tuple(f"{self.name}, run {i}" for i in range(1, len(self.runs) + 1))
        for name, lines in zip(names, self.runs, strict=True):
            check_length(name, len(lines), references.names[0], len(references))


def read_systems(
    hypotheses: Sequence[str], references: Sequence[StrPath]
) -> tuple[list[SystemOutput], References]:
    """Systems and references from files, of which one may be ``-``, standard input.

    Files joined by commas are the runs of one system; a name that exists as a file is always that file.
    """
    files = [_runs(written) for written in hypotheses]
    if sum(runs.count("-") for runs in files) + [fspath(path) for path in references].count("-") > 1:
        raise ConfigError("standard input ('-') can be read only once")
    known = References.read(list(references))
    return [SystemOutput.read(runs, name) for runs, name in zip(files, hypotheses, strict=True)], known


def _runs(written: str) -> list[str]:
    if Path(written).exists() or "," not in written:
        return [written]
    runs = written.split(",")
    if not all(runs):
        raise ConfigError(f"'{written}' names an empty file between its commas")
    return runs
