"""Back-off n-gram language models: estimate, store and query them.

>>> from isogloss.lm import LmOptions, LanguageModel, build
"""

from typing import TYPE_CHECKING

from isogloss.io.lazy import lazy_names

if TYPE_CHECKING:
    from isogloss.lm.estimation import BuildReport, LmOptions, build
    from isogloss.lm.model import LanguageModel, Perplexity, SentenceScores, WordScore
    from isogloss.lm.natural import natural_scores
    from isogloss.lm.scored_text import ScoredText, ScoreLevel

__all__ = [
    "BuildReport",
    "LanguageModel",
    "LmOptions",
    "Perplexity",
    "ScoreLevel",
    "ScoredText",
    "SentenceScores",
    "WordScore",
    "build",
    "natural_scores",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "estimation": (
            "BuildReport",
            "LmOptions",
            "build",
        ),
        "model": (
            "LanguageModel",
            "Perplexity",
            "SentenceScores",
            "WordScore",
        ),
        "natural": ("natural_scores",),
        "scored_text": (
            "ScoreLevel",
            "ScoredText",
        ),
    },
)
