"""Options of data selection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from isogloss.io.errors import ConfigError
from isogloss.io.options import AtLeast, Between, DefaultText, Options, Range

__all__ = ["SampleOptions", "SelectionMethod"]

SelectionMethod = Literal["ngrams", "cross-entropy", "random"]

_MOST_ORDER = 7  # limit of language models; n-grams could be longer


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleOptions(Options):
    """How to select pairs, and how many.

    >>> SampleOptions(method="random", share=0.5).limit(1001)
    500
    """

    method: SelectionMethod = "ngrams"
    """``ngrams``: for each sentence of the text, take the pairs with the highest n-gram precision until all
    its n-grams are covered; ``cross-entropy``: take the pairs that are more probable under a language model
    of the text than under one of the corpus (Moore and Lewis 2010); ``random``: for comparison."""
    order: Annotated[int, Between(1, _MOST_ORDER)] = 3
    """Words in the longest n-grams."""
    coverage: Annotated[int, AtLeast(1)] = 10
    """How often ``ngrams`` covers each n-gram of each sentence, if the corpus has enough pairs."""
    size: Annotated[int, AtLeast(0), DefaultText("as many as ngrams needs")] = 0
    """Number of pairs to select. All methods except ``ngrams`` need this or ``share``."""
    share: Annotated[float, Range(low=0, high=1, below=True), DefaultText("no limit")] = 0.0
    """Share of the corpus to select, such as 0.5."""
    seed: Annotated[int, AtLeast(0)] = 1
    """Random seed."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.size and self.share:
            raise ConfigError("give either `size` or `share`, not both")
        if self.method != "ngrams" and not self.limited:
            raise ConfigError(f"the method '{self.method}' needs a `size` or a `share`")

    @property
    def limited(self) -> bool:
        """Whether there is a limit to the number of pairs."""
        return bool(self.size or self.share)

    def limit(self, pairs: int) -> int:
        """The maximum number of pairs to select from this many."""
        if self.share:
            return int(self.share * pairs)
        return min(self.size, pairs) if self.size else pairs
