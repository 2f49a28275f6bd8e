"""How rerankers are trained and compared."""

from __future__ import annotations

from dataclasses import dataclass, field

from isogloss.io.errors import ConfigError
from isogloss.learn.mbr import Mbr

__all__ = ["DECISIONS", "LENGTHS", "STARTS", "RerankOptions", "SweepOptions"]

STARTS = ("zero", "decoder")
LENGTHS = ("references", "decoder")
DECISIONS = ("score", "vote", "mbr")
"""By the score, by the votes of several weight vectors, by expected utility."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankOptions:
    """How a reranker is trained; the method has options of its own.

    >>> RerankOptions(held_out_share=0.2).start
    'zero'
    """

    columns: tuple[str, ...] | None = None
    """Dense features of the list to use. None uses all, and then lists with other features are refused."""
    scale: bool = True
    """Divide dense features by their standard deviation within sentences."""
    start: str = "zero"
    """First weights: ``zero``, or ``decoder``: the weights that explain the decoder's scores best."""
    length: str = "references"
    """How long translations should be: as the ``references``, or as what the ``decoder`` chose, so that
    nothing is learned about length. For BLEU only."""
    decision: str | None = None
    """How a candidate is chosen: by ``score``, ``vote`` or ``mbr``. None is what fits the method."""
    mbr: Mbr = field(default_factory=Mbr)
    """Options of the decision ``mbr`` after another method."""
    held_out_share: float = 0.0
    """Share of the sentences that are not learned from but decide when to stop."""
    seed: int = 1
    """Random seed for the choice of held-out sentences."""

    def __post_init__(self) -> None:
        if self.start not in STARTS:
            raise ConfigError(f"unknown start '{self.start}'; choose one of: {', '.join(STARTS)}")
        if self.length not in LENGTHS:
            raise ConfigError(f"unknown length '{self.length}'; choose one of: {', '.join(LENGTHS)}")
        if self.decision is not None and self.decision not in DECISIONS:
            raise ConfigError(f"unknown decision '{self.decision}'; choose one of: {', '.join(DECISIONS)}")
        if not 0 <= self.held_out_share < 1:
            raise ConfigError(f"held_out_share must be at least 0 and below 1, got {self.held_out_share}")
        if self.seed < 0:
            raise ConfigError(f"seed must be at least 0, got {self.seed}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepOptions:
    """How methods and features are compared."""

    folds: int = 5
    """Parts of the sentences; each is chosen for by a model that learned from the others."""
    samples: int = 1000
    """Resampled test sets of the significance test."""
    seed: int = 1
    """Random seed for the parts and the test."""

    def __post_init__(self) -> None:
        if self.folds < 2:
            raise ConfigError(f"folds must be at least 2, got {self.folds}")
        if self.samples < 1:
            raise ConfigError(f"samples must be at least 1, got {self.samples}")
        if self.seed < 0:
            raise ConfigError(f"seed must be at least 0, got {self.seed}")
