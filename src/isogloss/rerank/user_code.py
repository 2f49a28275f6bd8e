"""Functions that users wrote: load them from files, call them, and say where they failed."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from isogloss.io.errors import ConfigError, InputFileError

__all__ = ["call_user_code", "load_function", "required_parameters"]


def load_function(path: str, name: str) -> Callable[..., Any]:
    """A function of a Python file. The file is run: only a file that the user has named may come here."""
    if not Path(path).is_file():
        raise InputFileError("No such file", path)
    module = ModuleType("isogloss_user_features")
    module.__file__ = path
    try:
        # Not with importlib: its cache does not notice a change within the same second.
        exec(compile(Path(path).read_bytes(), path, "exec"), module.__dict__)
    except SyntaxError as error:
        raise ConfigError(f"{path}, line {error.lineno}: {error.msg}") from error
    except Exception as error:
        raise ConfigError(f"{_place(error, path)}: {type(error).__name__}: {error}") from error
    function = getattr(module, name, None)
    if not callable(function):
        raise ConfigError(f"{path}: there is no function '{name}'")
    return function  # type: ignore[no-any-return]


def call_user_code(code: Callable[..., object], arguments: Sequence[object], name: str) -> object:
    """The result of a call; an error becomes one that names the user's file and line."""
    try:
        return code(*arguments)
    except Exception as error:
        raise ConfigError(
            f"{name} failed at {_place(error, _file_of(code))}: {type(error).__name__}: {error}"
        ) from error


def required_parameters(code: Callable[..., object]) -> int | None:
    """How many arguments must be given by place; None if that is unknown."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        parameters = inspect.signature(code).parameters.values()
    except ValueError:  # some functions written in C have no signature
        return None
    if any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in parameters):
        return None
    return len([one for one in parameters if one.kind in kinds and one.default is one.empty])


def _file_of(code: Callable[..., object]) -> str:
    try:
        return inspect.getfile(code)
    except TypeError:  # an object that can be called
        return ""


def _place(error: Exception, path: str) -> str:
    """File and line of an error: the innermost place in the user's file, else the innermost of all."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename == path] or frames[-1:]
    return f"{own[-1].filename}, line {own[-1].lineno}" if own else path
