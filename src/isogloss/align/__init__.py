"""Word alignment: which words of a sentence pair translate each other."""

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
