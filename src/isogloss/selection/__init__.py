"""Data selection: find the training pairs that are similar to a text.

>>> from isogloss.selection import SampleOptions, sample_corpus
"""

from typing import TYPE_CHECKING

from isogloss.io.lazy import lazy_names

if TYPE_CHECKING:
    from isogloss.selection.choice import Chosen, choose
    from isogloss.selection.options import SampleOptions
    from isogloss.selection.sample import Sampled, read_text, sample_corpus

__all__ = ["Chosen", "SampleOptions", "Sampled", "choose", "read_text", "sample_corpus"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "choice": (
            "Chosen",
            "choose",
        ),
        "options": ("SampleOptions",),
        "sample": (
            "Sampled",
            "read_text",
            "sample_corpus",
        ),
    },
)
