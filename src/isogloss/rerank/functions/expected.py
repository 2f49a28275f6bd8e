"""Expected BLEU or chrF against the other candidates, as in minimum Bayes risk decoding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from isogloss.io.errors import ConfigError
from isogloss.learn.mbr import UTILITIES, expected_utility
from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction
from isogloss.rerank.functions.consensus import list_posterior

__all__ = ["ExpectedUtility"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedUtility(FeatureFunction):
    """The expected utility of a candidate with the others as references, weighted by their probabilities."""

    name: ClassVar[str] = "expected"

    utility: str = "bleu"
    """Utility: bleu or chrf."""
    by: str | None = None
    """The same as for ``consensus``."""
    scale: float = 1.0
    """The same as for ``consensus``."""
    references: int = 0
    """Use only this many of the most probable candidates as references; 0 uses all."""
    label: str | None = None  # type: ignore[assignment]  # made from the utility

    def columns(self) -> tuple[str, ...]:
        """``ExpectedBleu``, or as labeled."""
        return (self.label or f"Expected{self.utility.capitalize()}",)

    def compute(self, context: FeatureContext) -> FloatArray:
        """Costs n² per sentence."""
        if self.utility not in UTILITIES:
            raise ConfigError(f"unknown utility '{self.utility}'; choose one of: {', '.join(UTILITIES)}")
        if self.references < 0:
            raise ConfigError(f"references must be at least 0, got {self.references}")
        return expected_utility(
            context.store,
            list_posterior(context, self.by, self.scale),
            utility=self.utility,
            references=self.references,
            threads=context.threads,
        )
