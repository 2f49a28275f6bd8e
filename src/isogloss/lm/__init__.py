"""Back-off n-gram language models: estimating, storing, asking.

>>> from isogloss.lm import BuildOptions, LanguageModel, build
"""

from isogloss.lm.build import BuildOptions, BuildReport, build
from isogloss.lm.model import LanguageModel, Perplexity, SentenceScores, WordScore

__all__ = [
    "BuildOptions",
    "BuildReport",
    "LanguageModel",
    "Perplexity",
    "SentenceScores",
    "WordScore",
    "build",
]
