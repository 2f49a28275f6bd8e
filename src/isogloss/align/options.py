"""What can be chosen when aligning words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from isogloss import _engine
from isogloss.io.errors import ConfigError

__all__ = ["AlignOptions", "LinkMethod", "LinkOptions", "ModelType"]

ModelType = Literal["hmm", "fast", "model1"]
LinkMethod = Literal[
    "grow-diag-final-and", "grow-diag-final", "grow-diag", "intersection", "union", "forward", "backward"
]

_LONGEST = 2000  # the work grows with the third power of the length


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignOptions:
    """How an alignment model is learnt from sentence pairs.

    >>> AlignOptions(model_type="fast").iterations
    4
    """

    model_type: ModelType = "hmm"
    """``hmm``: a word's partner stands near that of the word before; ``fast``: near the diagonal, quicker;
    ``model1``: anywhere, quickest."""
    model1_iterations: int = 4
    """Rounds of Model 1 by maximum likelihood, which give the first lexical probabilities."""
    iterations: int = 4
    """Rounds of the chosen model with the lexical prior."""
    null_probability: float = 0.2
    """Probability that a word has no partner."""
    lexical_prior: float = 0.1
    """Dirichlet prior on lexical probabilities; 0 is maximum likelihood, by which rare words collect
    whatever finds no partner."""
    twin_prior: float = 0.5
    """Links added to the observed ones of two words that are the same string: names, numbers and marks
    often stay as they are. Matters for rare words only."""
    jump_prior: float = 20.0
    """Jumps of the initial shape added to the observed ones; matters for small corpora only."""
    uniform_jump: float = 0.1
    """Share of the jump distribution that is uniform."""
    lexical_floor: float = 1e-6
    """Added to every lexical probability, so that nothing is impossible."""
    symmetric_lexicon: bool = True
    """Both directions learn from the mean of their posteriors (Zens, Matusov & Ney 2004)."""
    lowercase: bool = True
    """Words that differ in case only are one word to the model."""
    max_length: int = 250
    """Pairs with a side of more words are not learnt from and get no links."""
    prune: float = 1e-5
    """Lexical entries with probabilities below this in both directions are dropped in the end."""

    def __post_init__(self) -> None:
        if self.model_type not in get_args(ModelType):
            raise ConfigError(f"model_type must be one of {_choices(ModelType)}, got {self.model_type!r}")
        for name in ("model1_iterations", "iterations"):
            if getattr(self, name) < 0:
                raise ConfigError(f"{name} must not be negative, got {getattr(self, name)}")
        if self.rounds < 1:
            raise ConfigError("at least one iteration is needed")
        for name in ("null_probability", "uniform_jump", "lexical_floor", "prune"):
            if not 0 <= getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 0 and less than 1, got {getattr(self, name)}")
        for name in ("lexical_prior", "twin_prior", "jump_prior"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise ConfigError(f"{name} must not be negative, got {getattr(self, name)}")
        check_max_length(self.max_length)

    @property
    def rounds(self) -> int:
        """All passes over the corpus."""
        return self.iterations + self.model1_iterations


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkOptions:
    """How a trained model's posteriors become links."""

    method: LinkMethod = "grow-diag-final-and"
    """How the links of both directions are made into one set."""
    threshold: float = 0.3
    """Least posterior, the mean of both directions, of a link."""
    max_length: int = 250
    """Pairs with a side of more words get no links."""

    def __post_init__(self) -> None:
        symmetrization(self.method)
        if not 0 <= self.threshold <= 1:
            raise ConfigError(f"threshold must be between 0 and 1, got {self.threshold}")
        check_max_length(self.max_length)


def check_max_length(max_length: int) -> None:
    """Refuse a length limit that cannot work."""
    if not 1 <= max_length <= _LONGEST:
        raise ConfigError(f"max_length must be between 1 and {_LONGEST}, got {max_length}")


def symmetrization(method: str) -> _engine.Symmetrization:
    """The engine's name for a method."""
    if method not in get_args(LinkMethod):
        raise ConfigError(f"method must be one of {_choices(LinkMethod)}, got {method!r}")
    return _engine.Symmetrization[method.replace("-", "_")]


def _choices(literal: object) -> str:
    return ", ".join(get_args(literal))
