"""Options of rule extraction."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Annotated, Any, Literal, get_args

from isogloss.io.config import check_types
from isogloss.io.errors import ConfigError
from isogloss.io.options import Above, Between, DefaultText, Options

__all__ = [
    "CountMode",
    "ExtractOptions",
    "Grammar",
    "GrammarOptions",
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
_LENGTHS = Between(1, _LONGEST_PHRASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractOptions(Options):
    """Which rules are extracted, and how they are counted and scored.

    The defaults are those of a hierarchical grammar (Chiang 2005, in target normal form).

    >>> ExtractOptions().max_symbols, ExtractOptions.for_grammar("phrase").max_symbols
    (5, 7)
    """

    max_length: Annotated[int, _LENGTHS, DefaultText("10 for hiero, 7 for phrase")] = 10
    """Maximum length of an initial phrase pair, in words on each side."""
    max_gaps: Annotated[int, Between(0, 2)] = 2
    """Maximum number of non-terminals in a rule."""
    max_symbols: Annotated[int, _LENGTHS] = 5
    """Maximum number of words and non-terminals on the source side."""
    max_target_words: Annotated[int, _LENGTHS] = 7
    """Maximum number of words on the target side; its non-terminals follow the words."""
    min_gap: Annotated[int, _LENGTHS] = 1
    """Minimum number of source words that a non-terminal covers."""
    tight: Annotated[bool, DefaultText("yes for hiero; no for phrase and in train")] = True
    """Phrase pairs begin and end with aligned words. Otherwise they may begin and end with unaligned
    words."""
    adjacent_gaps: bool = False
    """Allow adjacent non-terminals on the source side."""
    max_plain: Annotated[int, Between(0, _LONGEST_PHRASE), DefaultText("the other limits")] = 0
    """Maximum number of words on each side of a phrase pair without non-terminals, if higher than the other
    limits."""
    count: Annotated[CountMode, DefaultText("fractional for hiero, unit for phrase")] = "fractional"
    """``fractional``: every initial phrase pair has a count of 1, divided among the rules extracted from it;
    ``unit``: every such rule has a count of 1."""
    orientation: OrientationModel = "hier"
    """How to determine orientations (monotone, swap, discontinuous): from adjacent consistent blocks of any
    size (``hier``) or of at most ``max_length`` words (``phrase``), or from the link at the corner
    (``word``); ``none`` turns them off."""
    orientation_smoothing: Annotated[float, Above(0)] = 0.5
    """Pseudo-count added to the monotone, swap and discontinuous counts of every rule."""
    smoothing: Smoothing = "none"
    """Smoothing of the counts for the translation probabilities."""
    max_sentence_length: Annotated[int, Between(1, _LONGEST_SENTENCE)] = 200
    """Maximum sentence length in words; pairs with a longer side are left out."""
    word_forms: Annotated[bool, DefaultText("no; yes in train")] = False
    """Learn how source words are made of others: parts of compounds, endings and beginnings. The search then
    translates a word that was never seen by its parts and related forms."""

    @classmethod
    def for_grammar(cls, grammar: str, **changes: Any) -> ExtractOptions:
        """The options of a kind of grammar, with changes; None keeps the default.

        ``hiero`` has the defaults of this class. ``phrase`` is a phrase table: phrase pairs of up to 7 words,
        unaligned words at the edges, unit counts.

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
            raise ConfigError(f"`{unfit[0]}` applies to the grammar hiero only, not to phrase pairs")
        length = given.pop("max_length", _PHRASE_LENGTH)
        sizes = {"max_length": length, "max_symbols": length, "max_target_words": length}
        return cls(**{"max_gaps": 0, "tight": False, "count": "unit", **sizes, **given})


@dataclass(frozen=True, slots=True, kw_only=True)
class GrammarOptions(ExtractOptions):
    """A kind of grammar with its defaults, and a significance filter."""

    grammar: Grammar = "hiero"
    """``hiero``: hierarchical rules in target normal form; ``phrase``: phrase pairs."""
    significance: Annotated[str, DefaultText("keep all rules")] = ""
    """Keep only significant rules by Fisher's exact test: ``alpha+epsilon`` (drops pairs seen once),
    ``alpha-epsilon`` (keeps them), or the lowest -log p. Reads the corpus twice."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        self.threshold  # noqa: B018  # what cannot be read is an error now

    @classmethod
    def from_settings(
        cls, settings: Mapping[str, Any], warn: Callable[[str], None] = lambda message: None
    ) -> GrammarOptions:
        """Make options from settings; defaults depend on the grammar."""
        del warn
        check_types(cls, settings)
        own = {name: value for name, value in settings.items() if name in ("grammar", "significance")}
        rules = {name: value for name, value in settings.items() if name not in own}
        extraction = ExtractOptions.for_grammar(own.get("grammar", "hiero"), **rules)
        return cls(**asdict(extraction), **own)

    @property
    def rules(self) -> ExtractOptions:
        """The options of extraction."""
        return ExtractOptions(**{field.name: getattr(self, field.name) for field in fields(ExtractOptions)})

    @property
    def threshold(self) -> Significance | None:
        """The significance threshold."""
        return Significance.parse(self.significance) if self.significance else None


def thread_count(threads: int) -> int:
    """The number of threads; 0 means all processors."""
    if threads < 0:
        raise ConfigError(f"threads must be at least 0, got {threads}")
    return threads or os.cpu_count() or 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Significance:
    """Significance threshold of a rule (Johnson et al. 2007): its -log p by Fisher's exact test.

    A pair seen once whose sides are also seen once has exactly alpha = log(number of sentence pairs).

    >>> Significance.parse("alpha+epsilon").threshold(math.e**10) > 10
    True
    """

    value: float | None = None
    """The lowest -log p to keep, or None for alpha plus or minus epsilon."""
    keep_singletons: bool = False
    """For alpha: whether to keep pairs seen once (alpha-epsilon) or to drop them (alpha+epsilon)."""

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
                f"significance must be alpha+epsilon, alpha-epsilon or a -log p of at least 0, got {text!r}"
            )
        return cls(value=value)

    def threshold(self, pairs: float) -> float:
        """The lowest -log p for a corpus of this many sentence pairs."""
        if self.value is not None:
            return self.value
        return math.log(max(pairs, 1)) + (-self._EPSILON if self.keep_singletons else self._EPSILON)
