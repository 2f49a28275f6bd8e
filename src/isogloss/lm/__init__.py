"""Back-off n-gram language models: estimating, storing, asking.

>>> from isogloss.lm import BuildOptions, LanguageModel, build
"""

from isogloss.lm.build import BuildOptions, BuildReport, build
from isogloss.lm.model import LanguageModel, Perplexity, SentenceScores, WordScore
from isogloss.lm.natural_scores import natural_scores

__all__ = [
    "BuildOptions",
    "BuildReport",
    "LanguageModel",
    "Perplexity",
    "SentenceScores",
    "WordScore",
    "build",
    "natural_scores",
]
