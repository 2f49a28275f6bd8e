"""Data selection: find the training pairs that are similar to a text.

>>> from isogloss.selection import SampleOptions, sample_corpus
"""

from isogloss.selection.choice import Chosen, choose
from isogloss.selection.options import SampleOptions
from isogloss.selection.sample import Sampled, read_text, sample_corpus

__all__ = ["Chosen", "SampleOptions", "Sampled", "choose", "read_text", "sample_corpus"]
