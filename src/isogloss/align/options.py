"""Options of word alignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from isogloss import _engine
from isogloss.io.errors import ConfigError
from isogloss.io.options import AtLeast, Between, ByteSize, DefaultText, Options, Range
from isogloss.io.resources import Threads

__all__ = ["AlignOptions", "AlignResources", "Backend", "LinkMethod", "LinkOptions", "ModelType"]

ModelType = Literal["hmm", "fast", "model1"]
LinkMethod = Literal[
    "grow-diag-final-and", "grow-diag-final", "grow-diag", "intersection", "union", "forward", "backward"
]
Backend = Literal["isogloss", "eflomal"]

_LENGTHS = Between(1, 2000)  # the time grows with the cube of the length
_SHARE = Range(low=0, high=1, below=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignOptions(Options):
    """How to train an alignment model.

    >>> AlignOptions(model_type="fast").iterations
    4
    """

    model_type: ModelType = "hmm"
    """``hmm``: a link depends on the link of the previous word, most accurate; ``fast``: links stay near the
    diagonal, faster; ``model1``: links may be anywhere, fastest."""
    model1_iterations: Annotated[int, AtLeast(0)] = 4
    """EM iterations of IBM Model 1, which initializes the lexical probabilities."""
    iterations: Annotated[int, AtLeast(0)] = 4
    """EM iterations of the selected model, after those of IBM Model 1."""
    null_probability: Annotated[float, _SHARE] = 0.2
    """Probability that a word is not linked."""
    lexical_prior: Annotated[float, AtLeast(0)] = 0.1
    """Dirichlet prior on lexical probabilities. With 0 (maximum likelihood), rare words attract too many
    links."""
    twin_prior: Annotated[float, AtLeast(0)] = 0.5
    """Pseudo-count of links between identical words, such as names and numbers. Matters for rare words
    only."""
    jump_prior: Annotated[float, AtLeast(0)] = 20.0
    """Pseudo-count of the initial jump distribution of the HMM. Matters for small corpora only."""
    uniform_jump: Annotated[float, _SHARE] = 0.1
    """Share of the HMM's jump distribution that is uniform."""
    lexical_floor: Annotated[float, _SHARE] = 1e-6
    """Constant added to every lexical probability, so that no link is impossible."""
    symmetric_lexicon: bool = True
    """Train both directions on the mean of their posteriors (Zens, Matusov and Ney 2004)."""
    lowercase: bool = True
    """Treat words that differ only in case as one word."""
    max_length: Annotated[int, _LENGTHS] = 250
    """Maximum sentence length in words. Pairs with a longer side are not used and get no links."""
    prune: Annotated[float, _SHARE] = 1e-5
    """Drop lexical entries whose probability is lower than this in both directions."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.rounds < 1:
            raise ConfigError("at least one iteration is needed")

    @property
    def rounds(self) -> int:
        """All passes over the corpus."""
        return self.iterations + self.model1_iterations


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkOptions(Options):
    """How to make links from the posteriors of a trained model."""

    method: LinkMethod = "grow-diag-final-and"
    """How to symmetrize the links of both directions."""
    threshold: Annotated[float, Between(0, 1)] = 0.3
    """Minimum posterior of a link, averaged over both directions."""
    max_length: Annotated[int, _LENGTHS] = 250
    """Maximum sentence length in words. Pairs with a longer side are not used and get no links."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignResources(Threads):
    """Threads and memory. Too little memory changes the result."""

    memory_limit: Annotated[int | None, ByteSize(), AtLeast(1), DefaultText("no limit")] = None
    """Memory to use, such as 500M or 4G. Word pairs seen together only once are left out to stay below it."""


def symmetrization(method: str) -> _engine.Symmetrization:
    """The engine's name for a method."""
    if method not in get_args(LinkMethod):
        raise ConfigError(f"method must be one of {', '.join(get_args(LinkMethod))}, got {method!r}")
    return _engine.Symmetrization[method.replace("-", "_")]
