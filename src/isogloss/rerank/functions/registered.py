"""A Python function that the user registered or passed in this process."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from isogloss.io.errors import ConfigError
from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction
from isogloss.rerank.registry import Code, registered
from isogloss.rerank.user_code import call_user_code, required_parameters

__all__ = ["RegisteredFunction"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredFunction(FeatureFunction):
    """A number for each candidate, computed by a function registered with ``@isogloss.feature``."""

    name: ClassVar[str] = "function"

    function: str
    """The registered name."""
    label: str | None = None  # type: ignore[assignment]  # the function's name
    code: Code | None = field(default=None, repr=False, compare=False)
    """The function itself, if it was passed instead of registered. Never stored."""

    def columns(self) -> tuple[str, ...]:
        """One column, named after the function or its label."""
        return (self.label or self.function,)

    def as_dict(self) -> dict[str, Any]:
        """Stores the name, never the code."""
        return {"name": self.name, "options": {"function": self.function, "label": self.label}}

    def written(self) -> str:
        """The specification of the feature."""
        return f"{self.name}:{self.function}" + (f",label={self.label}" if self.label else "")

    def check(self) -> None:
        """Raise an error if the function is missing."""
        self._code()

    def compute(self, context: FeatureContext) -> FloatArray:
        """One call for each candidate."""
        code, takes_source = self._code(), self._takes_source()
        sources = context.source_texts()
        if takes_source and sources is None:
            raise ConfigError(
                f"the feature '{self.columns()[0]}' needs the source text: give source= (--source)"
            )
        found = np.zeros(context.store.num_candidates)
        owners = context.store.sentence_of_row().tolist()
        for row, (sentence, text) in enumerate(zip(owners, context.candidate_texts(), strict=True)):
            given = [sources[sentence], text] if takes_source and sources is not None else [text]
            value = call_user_code(code, given, f"the feature function '{self.function}'")
            try:
                found[row] = float(value)  # type: ignore[arg-type]  # whatever can be a number
            except (TypeError, ValueError):
                raise ConfigError(
                    f"the feature function '{self.function}' gave {value!r} for candidate {row + 1}; a "
                    "number is expected"
                ) from None
        return found

    def _code(self) -> Code:
        code = self.code or registered(self.function)
        if code is None:
            raise ConfigError(
                f"the feature function '{self.function}' is unknown in this process; register it with "
                "@isogloss.feature, or pass it: Reranker.load(path, functions=[...])"
            )
        return code

    def _takes_source(self) -> bool:
        """Whether the function has two parameters, the source first."""
        needed = required_parameters(self._code())
        if needed not in (None, 1, 2):
            raise ConfigError(
                f"the feature function '{self.function}' must take (source, candidate) or (candidate), but "
                f"it takes {needed} arguments"
            )
        return needed != 1
