"""Options of retrieval and of local training."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from isogloss.adapt.weight_scale import Kind
from isogloss.io.errors import ConfigError

__all__ = ["LocalMethod", "LocalOptions", "Loss", "RetrievalOptions"]

LocalMethod = Literal["mbuu", "ebuu"]
Loss = Literal["document", "corpus", "sentence"]

DEFAULT_STRENGTHS: dict[str, float] = {"mbuu": 0.3, "ebuu": 30.0}
"""λ that helps a little or does no harm where nobody has chosen one; ``local tune`` finds what helps more.
Liu et al. (2012) have 0.018 and 0.06 for weights that are measured in another way."""
DEFAULT_SHARPNESSES: dict[str, float] = {"mbuu": 1.0, "ebuu": 2.0}
DEFAULT_LOSSES: dict[str, Loss] = {"mbuu": "document", "ebuu": "corpus"}


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
class LocalOptions:
    """How weights are made for one sentence from the examples that were found for it.

    >>> LocalOptions(method="mbuu").strength
    0.3
    """

    method: LocalMethod = "ebuu"
    """``mbuu`` (margins) or ``ebuu`` (expected error)."""
    strength: float | None = None
    """λ: how much the examples count against staying at the baseline; 0 is exactly the baseline."""
    sharpness: float | None = None
    """α: what the usual distance of candidates under the baseline (see ``units.py``) is worth. For EBUU how
    much the best candidates dominate the expectation, for MBUU in words of BLEU."""
    loss: Loss | None = None
    """Whose BLEU counts: for EBUU that of all examples as one ``corpus``, from the statistics to expect (its
    default); for MBUU that of a fading pseudo-``document`` with the candidate in it (its default); or of the
    ``sentence`` alone, which is what Liu et al. (2012) have for EBUU and which favours what is too short."""
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
    units: Kind = "scores"
    """What the distance from the baseline is measured in: ``raw`` weights, as in the paper, or what they do
    to the ``scores`` of candidates."""
    emphasis: float = 0.0
    """Examples count by this power of their similarity; 0 lets all count the same."""
    gate: float = 0.2
    """Mean similarity of the examples from which λ is used in full; below it is reduced in proportion."""
    gate_examples: int = 10
    """Number of examples from which λ is used in full; with fewer it is reduced in proportion."""

    def __post_init__(self) -> None:
        if self.method not in get_args(LocalMethod):
            raise ConfigError(
                f"method must be one of {', '.join(get_args(LocalMethod))}, got {self.method!r}"
            )
        if self.loss is None:
            object.__setattr__(self, "loss", DEFAULT_LOSSES[self.method])
        if self.loss not in get_args(Loss):
            raise ConfigError(f"loss must be one of {', '.join(get_args(Loss))}, got {self.loss!r}")
        other = {"mbuu": "corpus", "ebuu": "document"}[self.method]
        if self.loss == other:
            raise ConfigError(f"loss must not be {other} for {self.method}")
        if self.units not in get_args(Kind):
            raise ConfigError(f"units must be one of {', '.join(get_args(Kind))}, got {self.units!r}")
        if self.sharpness is None:
            object.__setattr__(self, "sharpness", DEFAULT_SHARPNESSES[self.method])
        if self.strength is None:
            object.__setattr__(self, "strength", DEFAULT_STRENGTHS[self.method])
        for name in ("strength", "sharpness", "emphasis", "gate"):
            value = getattr(self, name)
            if not math.isfinite(value) or value < 0:
                raise ConfigError(f"{name} must be finite and at least 0, got {value}")
        if self.sharpness == 0:
            raise ConfigError("sharpness must be above 0")
        if not 0 <= self.decay < 1:
            raise ConfigError(f"decay must be at least 0 and below 1, got {self.decay}")
        for name in ("rounds", "decodings"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1, got {getattr(self, name)}")
        for name in ("iterations", "gate_examples"):
            if getattr(self, name) < 0:
                raise ConfigError(f"{name} must be at least 0, got {getattr(self, name)}")
