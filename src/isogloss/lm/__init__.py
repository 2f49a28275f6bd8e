"""Back-off n-gram language models: estimate, store and query them.

>>> from isogloss.lm import LmOptions, LanguageModel, build
"""

from isogloss.lm.build import BuildReport, LmOptions, build
from isogloss.lm.model import LanguageModel, Perplexity, SentenceScores, WordScore
from isogloss.lm.natural_scores import natural_scores
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
