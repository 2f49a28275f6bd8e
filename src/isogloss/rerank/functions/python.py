"""A function in a user's Python file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from isogloss.io.errors import ConfigError
from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction
from isogloss.rerank.user_code import call_user_code, load_function, required_parameters

__all__ = ["PythonFunction"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonFunction(FeatureFunction):
    """``function(source_words, candidate_words)`` or ``function(candidate_words)`` of a file, which returns a
    number.

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
        """One call for each candidate."""
        function = load_function(self.path, self.function)
        takes_source = required_parameters(function) != 1
        if takes_source and context.source is None:
            raise ConfigError(
                f"{self.path}: {self.function}() needs the source text: give source= (--source), or let it "
                "take the candidate alone"
            )
        store, name = context.store, f"{self.path}: {self.function}()"
        words = store.words.words()
        found = np.zeros(store.num_candidates)
        for sentence in range(store.num_sentences):
            source: Sequence[str] = [] if context.source is None else context.source[sentence]
            for row in store.rows_of(sentence):
                candidate = [words[word] for word in store.tokens.row(row).tolist()]
                given = [source, candidate] if takes_source else [candidate]
                found[row] = _number(call_user_code(function, given, name), self, row)
        return found


def _number(value: Any, function: PythonFunction, row: int) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ConfigError(
            f"{function.path}: {function.function}() gave {value!r} for candidate {row + 1}; a number is "
            "expected"
        ) from None
