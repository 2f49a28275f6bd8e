"""Choosing the training pairs that are like a text to be translated.

>>> from isogloss.sampling import SampleOptions, sample_corpus
"""

from isogloss.sampling.choice import Chosen, choose
from isogloss.sampling.options import SampleOptions
from isogloss.sampling.sample import Sampled, read_text, sample_corpus

__all__ = ["Chosen", "SampleOptions", "Sampled", "choose", "read_text", "sample_corpus"]
