"""Options of retrieval and of local training."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from isogloss.errors import ConfigError

__all__ = ["Loss", "Method", "RetrievalOptions", "Units", "UpdateOptions"]

Method = Literal["mbuu", "ebuu"]
Loss = Literal["document", "sentence", "balanced"]
Units = Literal["raw", "spread"]

DEFAULT_STRENGTHS: dict[str, float] = {"mbuu": 0.0005, "ebuu": 0.01}
"""λ that helped or did no harm on several corpora. Liu et al. (2012) have 0.018 and 0.06 for features of
another scale, which is too much for ours."""
DEFAULT_LOSSES: dict[str, Loss] = {"mbuu": "document", "ebuu": "sentence"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalOptions:
    """Which examples of a memory a sentence is given.

    >>> RetrievalOptions(size=20).edit_share
    0.1
    """

    size: int = 100
    """Examples at most (K)."""
    edit_share: float = 0.1
    """Share of the edit distance in the similarity (θ); the rest is the cosine of tf·idf vectors."""
    min_similarity: float = 0.0
    """Examples less similar than this are left out; 0 to 1."""
    skip_identical: bool = False
    """Leave out examples whose source is the sentence itself."""
    skip_document: str | None = None
    """Leave out the examples of this document."""
    before: int | None = None
    """Only examples with an earlier date, in seconds since 1970."""

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ConfigError(f"size must be at least 1, got {self.size}")
        for name in ("edit_share", "min_similarity"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name} must be between 0 and 1, got {getattr(self, name)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateOptions:
    """How weights are made for one sentence from the examples that were found for it.

    >>> UpdateOptions(method="mbuu").strength
    0.0005
    """

    method: Method = "ebuu"
    """``mbuu`` (margins) or ``ebuu`` (expected error)."""
    strength: float | None = None
    """λ: how much the examples count against staying at the baseline; 0 is exactly the baseline. Weights are
    scaled to a sum of absolute values of 1 first."""
    sharpness: float = 10.0
    """α of EBUU: how much the best candidates dominate the expectation."""
    loss: Loss | None = None
    """Whose BLEU counts: that of a fading pseudo-``document`` with the candidate in it (MBUU only, and its
    default), of the ``sentence`` alone (the default of EBUU), or of the sentence with references one word
    longer (``balanced``), because sentence BLEU favours what is too short (Nakov et al. 2012)."""
    decay: float = 0.9
    """How the pseudo-document fades from one example to the next."""
    rounds: int = 1
    """How often the pseudo-document is made: first of the candidates that the baseline likes best, then of
    those that the new weights like best."""
    iterations: int = 50
    """Steps of EBUU at most."""
    decodings: int = 1
    """How often the weights are made: with more than 1 the examples are decoded with the weights so far, and
    what is new is added to their stored candidates. It takes as many decodings as there are examples."""
    units: Units = "raw"
    """What the distance from the baseline is measured in: ``raw`` weights, as in the paper, or weights of
    features that are divided by their ``spread`` among the candidates of an example."""
    emphasis: float = 0.0
    """Examples count by this power of their similarity; 0 lets all count the same."""
    gate: float = 0.2
    """Mean similarity of the examples from which λ is used in full; below it is reduced in proportion."""
    gate_examples: int = 10
    """Number of examples from which λ is used in full; with fewer it is reduced in proportion."""

    def __post_init__(self) -> None:
        if self.method not in get_args(Method):
            raise ConfigError(f"method must be one of {', '.join(get_args(Method))}, got {self.method!r}")
        if self.loss is None:
            object.__setattr__(self, "loss", DEFAULT_LOSSES[self.method])
        if self.loss not in get_args(Loss):
            raise ConfigError(f"loss must be one of {', '.join(get_args(Loss))}, got {self.loss!r}")
        if self.method == "ebuu" and self.loss == "document":
            raise ConfigError("loss must be sentence or balanced for ebuu, got 'document'")
        if self.units not in get_args(Units):
            raise ConfigError(f"units must be one of {', '.join(get_args(Units))}, got {self.units!r}")
        if self.strength is None:
            object.__setattr__(self, "strength", DEFAULT_STRENGTHS[self.method])
        for name in ("strength", "sharpness", "emphasis", "gate"):
            value = getattr(self, name)
            if not math.isfinite(value) or value < 0:
                raise ConfigError(f"{name} must be finite and at least 0, got {value}")
        if not 0 <= self.decay < 1:
            raise ConfigError(f"decay must be at least 0 and below 1, got {self.decay}")
        for name in ("rounds", "decodings"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1, got {getattr(self, name)}")
        for name in ("iterations", "gate_examples"):
            if getattr(self, name) < 0:
                raise ConfigError(f"{name} must be at least 0, got {getattr(self, name)}")
