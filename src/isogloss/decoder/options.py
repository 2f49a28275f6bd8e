"""Options of the search."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Annotated, Any, Literal

from isogloss.io.errors import ConfigError
from isogloss.io.options import Between, Options

__all__ = ["PhraseOrder", "SearchOptions", "UnknownWords", "engine_options"]

PhraseOrder = Literal["monotone", "swap", "distortion"]
UnknownWords = Literal["pass", "drop", "mark"]

_MOST = 2**32 - 1
_UNFIT = re.compile(r"[\0 \t-\r\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions(Options):
    """Options of the search. All limits are amounts of work, not time.

    >>> SearchOptions(beam_size=50).distortion_limit
    6
    """

    hierarchical: bool = True
    """Hierarchical search, with glue rules; otherwise phrase-based search."""
    max_span: Annotated[int, Between(0, _MOST)] = 15
    """Widest span of a rule with non-terminals, in words."""
    max_options: Annotated[int, Between(0, _MOST)] = 20
    """Target sides kept per source side; 0 keeps all."""
    max_scanned: Annotated[int, Between(0, _MOST)] = 200
    """Target sides scored per source side, the most probable first; 0 scores all."""
    lexical_threshold: Annotated[float, Between(0, 1e30)] = 0.05
    """Lowest probability at which two words count as translations of each other, for the features
    ``insertions`` and ``deletions``."""
    gap_rules: bool = True
    """Use rules with non-terminals. Hierarchical search only."""
    reordering_glue: bool = True
    """Let glue rules leave words on their left untranslated until later. Hierarchical search only."""
    distortion_limit: Annotated[int, Between(0, _MOST)] = 6
    """Distortion limit in words: between two phrases, or how much glue rules leave on their left."""
    beam_size: Annotated[int, Between(0, _MOST)] = 100
    """Hypotheses kept per number of covered words; 0 keeps all. Larger is slower and may be better."""
    pop_limit: Annotated[int, Between(0, _MOST)] = 200
    """Extensions tried per number of covered words; 0 tries all."""
    threshold: Annotated[float, Between(0, 1e30)] = 0.0
    """Drop hypotheses whose score is lower than the best by more than this; 0 drops none."""
    diversity: bool = True
    """First keep the best hypothesis of every coverage, then the next best of any. Hierarchical search
    only."""
    phrase_order: PhraseOrder = "distortion"
    """Order of phrases: ``monotone``, ``swap`` (adjacent phrases may swap) or ``distortion`` (free within
    the distortion limit). Phrase-based search only."""
    unknown: UnknownWords = "pass"
    """What to do with words that no rule translates: ``pass`` copies them, ``drop`` leaves them out, ``mark``
    writes them in the form of ``unknown_mark``. ``pass`` and ``mark`` run the same search."""
    unknown_mark: str = "<unk:{word}>"
    """Form of a marked unknown word; must contain {word} exactly once."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        mark = self.unknown_mark
        if mark.count("{word}") != 1 or _UNFIT.search(mark):
            raise ConfigError(
                f"unknown_mark must contain '{{word}}' exactly once and no whitespace, got {mark!r}"
            )

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> SearchOptions:
        """Options from stored values by name; an unknown name is an error."""
        known = [field.name for field in fields(cls)]
        strange = sorted(values.keys() - set(known))
        if strange:
            raise ConfigError(f"no search option is called '{strange[0]}'; known are {', '.join(known)}")
        return cls(**values)

    @property
    def search(self) -> str:
        """Name of the search: ``hierarchical`` or ``phrase``."""
        return "hierarchical" if self.hierarchical else "phrase"


def engine_options(options: SearchOptions) -> dict[str, Any]:
    """All fields by name, for the engine's decoder."""
    return asdict(options)
