"""Sizes and training of a joint model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from isogloss.io.errors import ConfigError
from isogloss.io.options import Above, AtLeast, Between, Options

__all__ = ["JointOptions"]

_LANES = 16  # the engine computes this many numbers at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class JointOptions(Options):
    """Sizes and training of a joint model."""

    window: Annotated[int, Between(1, 31)] = 7
    """Source words seen around the one that the target word is aligned to; odd."""
    history: Annotated[int, Between(1, 7)] = 3
    """Target words seen before the one that is predicted."""
    embedding: Annotated[int, Between(16, 1024)] = 64
    """Numbers that describe a word; a multiple of 16."""
    hidden: Annotated[int, Between(16, 4096)] = 128
    """Units of the hidden layer; a multiple of 16."""
    min_count: Annotated[int, AtLeast(1)] = 2
    """Words seen less often are known by their last letters only."""
    max_words: Annotated[int, AtLeast(100)] = 16_000
    """Largest number of words of a vocabulary."""
    epochs: Annotated[int, AtLeast(1)] = 5
    """Maximum number of passes over the training text; stops when the held-out text is no longer predicted
    better."""
    batch: Annotated[int, AtLeast(1)] = 256
    """Samples per step."""
    noise: Annotated[int, AtLeast(1)] = 256
    """Words drawn at random per step, which stand for all others in the sum of probabilities."""
    penalty: Annotated[float, AtLeast(0)] = 0.5
    """Weight of the squared logarithm of the sum of all probabilities, which keeps it near 0."""
    step: Annotated[float, Above(0)] = 0.05
    """Step size of AdaGrad; in the last epoch, steps shrink evenly to 0."""
    dropout: Annotated[float, Between(0, 0.9)] = 0.1
    """Share of hidden units left out of a sample."""
    history_dropout: Annotated[float, Between(0, 0.9)] = 0.1
    """Share of samples with a history that is cut off, as in the estimates of the search."""
    held_out: Annotated[int, AtLeast(1)] = 500
    """Sentence pairs that show when to stop, at most a tenth of all."""
    most_samples: Annotated[int, AtLeast(1000)] = 4_000_000
    """Target words to learn from in all passes together; beyond, every pass takes a random share."""
    seed: Annotated[int, AtLeast(0)] = 1
    """Random seed."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.window % 2 == 0:
            raise ConfigError(f"window must be odd, got {self.window}")
        for name in ("embedding", "hidden"):
            if getattr(self, name) % _LANES:
                raise ConfigError(f"{name} must be a multiple of {_LANES}, got {getattr(self, name)}")
