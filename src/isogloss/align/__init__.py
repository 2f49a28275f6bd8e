"""Word alignment: which words of a sentence pair translate each other."""

from typing import TYPE_CHECKING

from isogloss.io.lazy import lazy_names

if TYPE_CHECKING:
    from isogloss.align.corpus import CorpusAlignment, align_corpus
    from isogloss.align.files import align_files
    from isogloss.align.gold import AlignmentScores, GoldLinks, read_gold, score_alignments
    from isogloss.align.links import Alignments, symmetrize
    from isogloss.align.model import AlignmentModel
    from isogloss.align.options import AlignOptions, AlignResources, Backend, LinkOptions

__all__ = [
    "AlignOptions",
    "AlignResources",
    "AlignmentModel",
    "AlignmentScores",
    "Alignments",
    "Backend",
    "CorpusAlignment",
    "GoldLinks",
    "LinkOptions",
    "align_corpus",
    "align_files",
    "read_gold",
    "score_alignments",
    "symmetrize",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "corpus": (
            "CorpusAlignment",
            "align_corpus",
        ),
        "files": ("align_files",),
        "gold": (
            "AlignmentScores",
            "GoldLinks",
            "read_gold",
            "score_alignments",
        ),
        "links": (
            "Alignments",
            "symmetrize",
        ),
        "model": ("AlignmentModel",),
        "options": (
            "AlignOptions",
            "AlignResources",
            "Backend",
            "LinkOptions",
        ),
    },
)
