"""What extraction may be told."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Any, Literal, get_args

from isogloss.io.errors import ConfigError

__all__ = [
    "CountMode",
    "ExtractOptions",
    "Grammar",
    "OrientationModel",
    "Significance",
    "Smoothing",
    "thread_count",
]

Grammar = Literal["hiero", "phrase"]
CountMode = Literal["fractional", "unit"]
OrientationModel = Literal["hier", "phrase", "word", "none"]
Smoothing = Literal["none", "kneser-ney", "good-turing"]

_PHRASE_LENGTH = 7
_GAPPED_ONLY = {"max_gaps", "max_symbols", "max_target_words", "min_gap", "adjacent_gaps", "count"}
_LONGEST_PHRASE = 100
_LONGEST_SENTENCE = 65535


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractOptions:
    """Which rules are extracted, and how they are counted and scored.

    The defaults are those of a hierarchical grammar (Chiang 2005, in target normal form).

    >>> ExtractOptions().max_symbols, ExtractOptions.for_grammar("phrase").max_symbols
    (5, 7)
    """

    max_length: int = 10
    """Words of an initial phrase pair, on each side."""
    max_gaps: int = 2
    """Gaps (non-terminals) of a rule, 0 to 2."""
    max_symbols: int = 5
    """Words and gaps of a source side."""
    max_target_words: int = 7
    """Words of a target side; gaps follow them."""
    min_gap: int = 1
    """Source words that a gap stands for, at least."""
    tight: bool = True
    """Phrase pairs begin and end with aligned words on both sides; otherwise unaligned words at their edges
    may be taken in or left out."""
    adjacent_gaps: bool = False
    """Whether two gaps may touch on the source side."""
    max_plain: int = 0
    """Words of a phrase pair without gaps, on each side, if that is more than the limits above."""
    count: CountMode = "fractional"
    """``fractional``: an initial phrase pair counts 1, shared by all rules that come from it, also those
    not in target normal form; ``unit``: every rule that comes from it counts 1."""
    orientation: OrientationModel = "hier"
    """What makes a neighbour monotone or swapped: a consistent block of any size (``hier``), one of at most
    ``max_length`` words (``phrase``), a link at the corner (``word``); ``none`` counts no orientations."""
    orientation_smoothing: float = 0.5
    """Added to the counts of monotone, swap and discontinuous of every rule."""
    smoothing: Smoothing = "none"
    """How the counts behind the two translation probabilities are discounted."""
    max_sentence_length: int = 200
    """Sentence pairs with more words on a side are left out."""

    @classmethod
    def for_grammar(cls, grammar: str, **changes: Any) -> ExtractOptions:
        """The options of a kind of grammar, with changes; a change to None leaves the default.

        ``hiero`` has the defaults of this class. ``phrase`` is a phrase table: no gaps, 7 words, loose
        edges, every occurrence counts 1.

        >>> ExtractOptions.for_grammar("phrase", max_length=5).max_symbols
        5
        """
        if grammar not in get_args(Grammar):
            raise ConfigError(f"grammar must be one of {', '.join(get_args(Grammar))}, got {grammar!r}")
        given = {name: value for name, value in changes.items() if value is not None}
        if grammar == "hiero":
            return cls(**given)
        unfit = sorted(given.keys() & _GAPPED_ONLY)
        if unfit:
            raise ConfigError(f"{unfit[0]} has no meaning for phrase pairs, only for the grammar hiero")
        length = given.pop("max_length", _PHRASE_LENGTH)
        sizes = {"max_length": length, "max_symbols": length, "max_target_words": length}
        return cls(**{"max_gaps": 0, "tight": False, "count": "unit", **sizes, **given})

    def __post_init__(self) -> None:
        for name, least, most in (
            ("max_length", 1, _LONGEST_PHRASE),
            ("max_gaps", 0, 2),
            ("max_symbols", 1, _LONGEST_PHRASE),
            ("max_target_words", 1, _LONGEST_PHRASE),
            ("min_gap", 1, _LONGEST_PHRASE),
            ("max_plain", 0, _LONGEST_PHRASE),
            ("max_sentence_length", 1, _LONGEST_SENTENCE),
        ):
            value = getattr(self, name)
            if not least <= value <= most:
                raise ConfigError(f"{name} must be from {least} to {most}, got {value}")
        for name, choices in (
            ("count", get_args(CountMode)),
            ("orientation", get_args(OrientationModel)),
            ("smoothing", get_args(Smoothing)),
        ):
            if getattr(self, name) not in choices:
                raise ConfigError(f"{name} must be one of {', '.join(choices)}, got {getattr(self, name)!r}")
        if not (math.isfinite(self.orientation_smoothing) and self.orientation_smoothing > 0):
            raise ConfigError(f"orientation_smoothing must be above 0, got {self.orientation_smoothing}")


def thread_count(threads: int) -> int:
    """How many threads that is; 0 stands for all processors."""
    if threads < 0:
        raise ConfigError(f"threads must be 0 or more, got {threads}")
    return threads or os.cpu_count() or 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Significance:
    """How significant a rule must be to be kept (Johnson et al. 2007): its -log p by Fisher's exact test.

    A pair that occurs once, of sides that occur once, has exactly alpha = log(number of sentence pairs).

    >>> Significance.parse("alpha+epsilon").threshold(math.e**10) > 10
    True
    """

    value: float | None = None
    """The least -log p, or None for alpha with a little added or taken off."""
    keep_singletons: bool = False
    """With alpha: whether once-only pairs stay (alpha-epsilon) or go (alpha+epsilon)."""

    _EPSILON = 1e-3

    @classmethod
    def parse(cls, text: str) -> Significance:
        """Read ``alpha+epsilon``, ``alpha-epsilon`` (also ``a+e``, ``a-e``) or a number."""
        if text in ("alpha+epsilon", "a+e"):
            return cls()
        if text in ("alpha-epsilon", "a-e"):
            return cls(keep_singletons=True)
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and value >= 0):
            raise ConfigError(
                f"significance must be alpha+epsilon, alpha-epsilon or a -log p from 0 upwards, got {text!r}"
            )
        return cls(value=value)

    def threshold(self, pairs: float) -> float:
        """The least -log p for a corpus of so many sentence pairs."""
        if self.value is not None:
            return self.value
        return math.log(max(pairs, 1)) + (-self._EPSILON if self.keep_singletons else self._EPSILON)
