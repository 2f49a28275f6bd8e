"""A function in a user's Python file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from isogloss.io.errors import ConfigError, InputFileError
from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction

__all__ = ["PythonFunction"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonFunction(FeatureFunction):
    """``function(source_words, candidate_words)`` of a file, which returns a number.

    A stored model never runs such a file automatically: name it explicitly when you use the model.
    """

    name: ClassVar[str] = "python"
    runs_code: ClassVar[bool] = True

    path: str
    """A Python file."""
    function: str = "feature"
    """The name of the function in it."""
    label: str = "Python"

    def resources(self) -> dict[str, str]:
        """The file."""
        return {"path": self.path}

    def compute(self, context: FeatureContext) -> FloatArray:
        """One call for each candidate; ``source_words`` is empty if no source was given."""
        function = _load(self.path, self.function)
        store = context.store
        words = store.words.words()
        found = np.zeros(store.num_candidates)
        for sentence in range(store.num_sentences):
            source: Sequence[str] = [] if context.source is None else context.source[sentence]
            for row in store.rows_of(sentence):
                candidate = [words[word] for word in store.tokens.row(row).tolist()]
                found[row] = _number(function(source, candidate), self, row)
        return found


def _number(value: Any, function: PythonFunction, row: int) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ConfigError(
            f"{function.path}: {function.function}() gave {value!r} for candidate {row + 1}; a number is "
            "expected"
        ) from None


def _load(path: str, name: str) -> Callable[[Sequence[str], Sequence[str]], Any]:
    if not Path(path).is_file():
        raise InputFileError("No such file", path)
    module = ModuleType("isogloss_user_features")
    module.__file__ = path
    try:
        # Not with importlib: its cache does not notice a change within the same second.
        exec(compile(Path(path).read_bytes(), path, "exec"), module.__dict__)
    except Exception as error:
        raise ConfigError(f"{path}: {type(error).__name__}: {error}") from error
    function = getattr(module, name, None)
    if not callable(function):
        raise ConfigError(f"{path}: there is no function '{name}'")
    return function  # type: ignore[no-any-return]
