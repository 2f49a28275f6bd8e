"""Expected BLEU or chrF against the other candidates: what minimum Bayes risk chooses by."""

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
    """The utility of a candidate with the others as references, each with its probability in the list."""

    name: ClassVar[str] = "expected"

    utility: str = "bleu"
    """bleu or chrf."""
    by: str | None = None
    """As for ``consensus``."""
    scale: float = 1.0
    """As for ``consensus``."""
    references: int = 0
    """Only so many of the most probable candidates are references; 0 is all."""
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
