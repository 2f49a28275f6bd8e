"""Every error that isogloss raises on purpose.

    IsoglossError
    ├── UserError                 the input or the call is wrong: exit code 2
    │   ├── ConfigError           an option, or options that do not fit together
    │   ├── DataFormatError       a line of a text file
    │   ├── ModelFormatError      a stored model or store: damaged, foreign, too new
    │   ├── InputFileError        a file that is missing or cannot be read
    │   ├── OutputError           a place that cannot be written, or holds something else
    │   ├── NotTrainedError       a step that must come first has not been run
    │   ├── ExternalCommandError  a command of the user's failed, hung or wrote something else
    │   └── MissingExtraError     an optional package is not installed
    ├── StageError                a stage of a run failed: exit code of what it failed with
    └── InternalError             our mistake: exit code 1

A message says where, what was found, what was expected and what to do. All can be pickled, so that
they survive the way back from a worker process.
"""

from __future__ import annotations

from os import PathLike, fspath

__all__ = [
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
    "UserError",
]


class IsoglossError(Exception):
    """Anything isogloss raises on purpose."""

    exit_code = 1


class UserError(IsoglossError):
    """The input or the call is wrong, and the user can mend it."""

    exit_code = 2


class ConfigError(UserError, ValueError):
    """An option has a value that cannot work, or options contradict each other."""


class NotTrainedError(UserError, RuntimeError):
    """Something is asked of a model that it has not been trained for."""


class TrainingError(UserError, RuntimeError):
    """Training cannot give usable weights from what it was given."""


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
    """An output cannot be written, or would destroy something that is not ours."""


class ModelFormatError(_FileError, ValueError):
    """A stored folder is damaged, is not what it should be, or was made by a newer version."""


class DataFormatError(UserError, ValueError):
    """A line of a text file is not what its format asks for.

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
    """A command that the user gave did not do what it should; ``stderr`` is what it said last.

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
        ours = not isinstance(cause, UserError | OSError)  # a full disk is for the user to mend
        self.exit_code = IsoglossError.exit_code if ours else UserError.exit_code

    def __str__(self) -> str:
        plain = isinstance(self.cause, IsoglossError | OSError)
        return (
            f"stage '{self.stage}': " + ("" if plain else f"{type(self.cause).__name__}: ") + str(self.cause)
        )


class InternalError(IsoglossError, RuntimeError):
    """Something that cannot happen happened: please report it."""
