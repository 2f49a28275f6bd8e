"""How pairs are chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from isogloss.io.errors import ConfigError

__all__ = ["SampleOptions", "SelectionMethod"]

SelectionMethod = Literal["ngrams", "cross-entropy", "random"]

_MOST_ORDER = 7  # of language models; n-grams could be longer


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleOptions:
    """Which pairs are chosen, and how many.

    >>> SampleOptions(method="random", share=0.5).limit(1001)
    500
    """

    method: SelectionMethod = "ngrams"
    """``ngrams``: for every sentence of the text the pairs of highest n-gram precision, until each of its
    n-grams is covered; ``cross-entropy``: those that a model of the text prefers to one of the corpus
    (Moore and Lewis 2010); ``random``: any, for comparison."""
    order: int = 3
    """Words in the longest n-grams."""
    coverage: int = 10
    """``ngrams``: how often each n-gram of each sentence is covered, where the corpus allows it."""
    size: int = 0
    """Pairs to choose; 0 is no limit, which ``ngrams`` alone can do without."""
    share: float = 0.0
    """The same as a share of the corpus."""
    seed: int = 1
    """Of random draws."""

    def __post_init__(self) -> None:
        if self.method not in get_args(SelectionMethod):
            raise ConfigError(
                f"method must be one of {', '.join(get_args(SelectionMethod))}, got {self.method!r}"
            )
        if not 1 <= self.order <= _MOST_ORDER:
            raise ConfigError(f"order must be between 1 and {_MOST_ORDER}, got {self.order}")
        if self.coverage < 1:
            raise ConfigError(f"coverage must be at least 1, got {self.coverage}")
        if self.size < 0 or self.seed < 0:
            raise ConfigError(f"size and seed must be at least 0, got {self.size} and {self.seed}")
        if not 0 <= self.share < 1:
            raise ConfigError(f"share must be at least 0 and below 1, got {self.share}")
        if self.size and self.share:
            raise ConfigError("give size or share, not both")
        if self.method != "ngrams" and not self.limited:
            raise ConfigError(f"the method '{self.method}' needs a size or a share")

    @property
    def limited(self) -> bool:
        """Whether there is a limit to the number of pairs."""
        return bool(self.size or self.share)

    def limit(self, pairs: int) -> int:
        """How many of so many pairs may be chosen."""
        if self.share:
            return int(self.share * pairs)
        return min(self.size, pairs) if self.size else pairs
