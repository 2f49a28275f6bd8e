"""Word alignment: which words of a sentence pair translate each other."""

from isogloss.align.corpus import CorpusAlignment, align_corpus
from isogloss.align.files import align_files
from isogloss.align.gold import AlignmentScores, GoldLinks, read_gold, score_alignments
from isogloss.align.links import Alignments, symmetrize
from isogloss.align.model import AlignmentModel
from isogloss.align.options import AlignResources, Backend, LinkOptions, TrainingOptions

__all__ = [
    "AlignResources",
    "AlignmentModel",
    "AlignmentScores",
    "Alignments",
    "Backend",
    "CorpusAlignment",
    "GoldLinks",
    "LinkOptions",
    "TrainingOptions",
    "align_corpus",
    "align_files",
    "read_gold",
    "score_alignments",
    "symmetrize",
]
