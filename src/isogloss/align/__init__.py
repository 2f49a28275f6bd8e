"""Word alignment: which words of a sentence pair translate each other."""

from isogloss.align.gold import AlignmentScores, GoldLinks, read_gold, score_alignments
from isogloss.align.links import Alignments, symmetrize
from isogloss.align.model import AlignmentModel
from isogloss.align.options import LinkOptions, TrainingOptions

__all__ = [
    "AlignmentModel",
    "AlignmentScores",
    "Alignments",
    "GoldLinks",
    "LinkOptions",
    "TrainingOptions",
    "read_gold",
    "score_alignments",
    "symmetrize",
]
