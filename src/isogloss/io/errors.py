"""All errors that isogloss raises deliberately.

    IsoglossError
    ├── UserError                 the input or the call is wrong: exit code 2
    │   ├── ConfigError           an invalid option, or options that contradict each other
    │   ├── DataFormatError       an invalid line in a text file
    │   ├── ModelFormatError      a stored folder that is damaged, of another kind or too new
    │   ├── InputFileError        a file that is missing or cannot be read
    │   ├── OutputError           an output that cannot be written or would overwrite other files
    │   ├── TrainingError         training cannot find usable weights for this data
    │   ├── NotTrainedError       a model is used before it was trained
    │   ├── ExternalCommandError  an external command failed, timed out or wrote invalid output
    │   ├── MissingExtraError     an optional package is not installed
    │   └── ClusterError          a cluster cannot be reached, or its nodes differ or failed
    ├── StageError                a stage of a run failed: exit code of its cause
    └── InternalError             a bug: exit code 1

A message says where, what was found, what was expected and what to do. All can be pickled, so that worker
processes can return them.
"""

from __future__ import annotations

from os import PathLike, fspath

__all__ = [
    "ClusterError",
    "ConfigError",
    "DataFormatError",
    "ExternalCommandError",
    "InputFileError",
    "InternalError",
    "IsoglossError",
    "MissingExtraError",
    "ModelFormatError",
    "NotTrainedError",
    "OutputError",
    "StageError",
    "TrainingError",
    "UserError",
]


class IsoglossError(Exception):
    """Any error that isogloss raises deliberately."""

    exit_code = 1


class UserError(IsoglossError):
    """The input or the call is wrong, and the user can fix it."""

    exit_code = 2


class ConfigError(UserError, ValueError):
    """An option has a value that cannot work, or options contradict each other."""


class NotTrainedError(UserError, RuntimeError):
    """A model is used before it was trained."""


class TrainingError(UserError, RuntimeError):
    """Training cannot find usable weights for this data."""


class ClusterError(UserError, RuntimeError):
    """A cluster cannot be reached, its nodes differ, or they failed too often."""


class _FileError(UserError):
    """A problem with one file: ``problem``, ``path`` and a ``hint`` on what to do."""

    def __init__(self, problem: str, path: str | PathLike[str], hint: str = "") -> None:
        super().__init__(problem, fspath(path), hint)  # all of them: pickling needs it
        self.problem, self.path, self.hint = problem, fspath(path), hint

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}" + (f"; {self.hint}" if self.hint else "")


class InputFileError(_FileError, OSError):
    """A file is missing or cannot be read."""


class OutputError(_FileError, OSError):
    """An output cannot be written, or would overwrite other files."""


class ModelFormatError(_FileError, ValueError):
    """A stored folder is damaged, is of another kind, or was written by a newer version."""


class DataFormatError(UserError, ValueError):
    """A line of a text file does not have the expected format.

    >>> print(DataFormatError("4 fields expected, found 3", "dev.nbest", 17, "is the score missing?"))
    dev.nbest:17: 4 fields expected, found 3; is the score missing?
    """

    def __init__(
        self, problem: str, path: str | PathLike[str], line: int | None = None, hint: str = ""
    ) -> None:
        super().__init__(problem, fspath(path), line, hint)
        self.problem, self.path, self.line, self.hint = problem, fspath(path), line, hint

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{where}: {self.problem}" + (f"; {self.hint}" if self.hint else "")


class MissingExtraError(UserError, ImportError):
    """An optional package is needed.

    >>> print(MissingExtraError("reading PO files", "formats"))
    reading PO files needs an optional package; install it with: pip install 'isogloss[formats]'
    """

    def __init__(self, purpose: str, extra: str) -> None:
        super().__init__(purpose, extra)
        self.purpose, self.extra = purpose, extra

    def __str__(self) -> str:
        return (
            f"{self.purpose} needs an optional package; install it with: pip install 'isogloss[{self.extra}]'"
        )


class ExternalCommandError(UserError, RuntimeError):
    """An external command failed; ``stderr`` is the end of its error output.

    >>> print(ExternalCommandError("failed with exit code 1", "moses", "no such model"))
    moses: failed with exit code 1; it said:
    no such model
    """

    def __init__(self, problem: str, command: str, stderr: str = "") -> None:
        super().__init__(problem, command, stderr)
        self.problem, self.command, self.stderr = problem, command, stderr

    def __str__(self) -> str:
        said = f"; it said:\n{self.stderr}" if self.stderr else ""
        return f"{self.command}: {self.problem}{said}"


class StageError(IsoglossError, RuntimeError):
    """A stage of a run failed: its name and the error it failed with.

    >>> print(StageError("align", DataFormatError("no words found", "train.de")))
    stage 'align': train.de: no words found
    """

    def __init__(self, stage: str, cause: BaseException) -> None:
        super().__init__(stage, cause)
        self.stage, self.cause = stage, cause
        ours = not isinstance(cause, UserError | OSError)  # the user can fix a full disk
        self.exit_code = IsoglossError.exit_code if ours else UserError.exit_code

    def __str__(self) -> str:
        plain = isinstance(self.cause, IsoglossError | OSError)
        return (
            f"stage '{self.stage}': " + ("" if plain else f"{type(self.cause).__name__}: ") + str(self.cause)
        )


class InternalError(IsoglossError, RuntimeError):
    """An internal check failed. This is a bug in Isogloss; please report it."""
