from __future__ import annotations

import copy
import inspect
import pickle
from pathlib import Path

import pytest

from isogloss.io import errors

EXAMPLES: list[tuple[errors.IsoglossError, type[Exception], str]] = [
    (
        errors.ConfigError("beam_size must be at least 1, got 0"),
        ValueError,
        "beam_size must be at least 1, got 0",
    ),
    (errors.NotTrainedError("tune it first"), RuntimeError, "tune it first"),
    (errors.InputFileError("is a folder", "x/y"), OSError, "x/y: is a folder"),
    (errors.InputFileError("is a folder", Path("x"), "give a file"), OSError, "x: is a folder; give a file"),
    (errors.OutputError("is a file", "x", "choose another"), OSError, "x: is a file; choose another"),
    (errors.ModelFormatError("damaged", "dir", "make it again"), ValueError, "dir: damaged; make it again"),
    (errors.DataFormatError("odd", "f.txt", 3, "mend it"), ValueError, "f.txt:3: odd; mend it"),
    (errors.DataFormatError("odd", Path("f.txt")), ValueError, "f.txt: odd"),
    (
        errors.ExternalCommandError("failed", "moses", "no model\nhere"),
        RuntimeError,
        "moses: failed; it said:\nno model\nhere",
    ),
    (
        errors.MissingExtraError("reading PO files", "formats"),
        ImportError,
        "reading PO files needs an optional package; install it with: pip install 'isogloss[formats]'",
    ),
    (
        errors.StageError("align", errors.DataFormatError("no words", "train.de", 3)),
        RuntimeError,
        "stage 'align': train.de:3: no words",
    ),
    (errors.ClusterError("no node answers"), RuntimeError, "no node answers"),
    (errors.TrainingError("all weights are zero"), RuntimeError, "all weights are zero"),
    (errors.InternalError("cannot happen"), RuntimeError, "cannot happen"),
]
FIELDS = ("exit_code", "problem", "path", "line", "hint", "purpose", "extra", "command", "stderr")


@pytest.mark.parametrize(("error", "builtin", "message"), EXAMPLES)
def test_messages_and_builtin_kinds(error: Exception, builtin: type[Exception], message: str) -> None:
    assert str(error) == message
    assert isinstance(error, builtin)


@pytest.mark.parametrize("error", [error for error, _, _ in EXAMPLES])
def test_they_survive_the_way_back_from_another_process(error: Exception) -> None:
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(other) is type(error)
        assert str(other) == str(error)
        assert [getattr(other, name, None) for name in FIELDS] == [
            getattr(error, name, None) for name in FIELDS
        ]


def test_every_error_that_can_be_raised_is_an_example() -> None:
    kinds = {
        value
        for value in vars(errors).values()
        if inspect.isclass(value) and issubclass(value, errors.IsoglossError)
    }
    bases = {errors.IsoglossError, errors.UserError, errors._FileError}
    assert kinds - bases == {type(error) for error, _, _ in EXAMPLES}


def test_exit_codes_follow_the_tree() -> None:
    kinds = [getattr(errors, name) for name in errors.__all__]
    for kind in kinds:
        assert issubclass(kind, errors.IsoglossError)
        assert kind.exit_code == (2 if issubclass(kind, errors.UserError) else 1)
