"""The n-best store, its file formats, and operations on whole lists."""

from isogloss.nbest.edit import best_rows
from isogloss.nbest.formats import FORMATS, FormatName, losses, read_nbest, write_nbest
from isogloss.nbest.store import DenseGroup, NbestStore, Ragged, SparseFeatures

__all__ = [
    "FORMATS",
    "DenseGroup",
    "FormatName",
    "NbestStore",
    "Ragged",
    "SparseFeatures",
    "best_rows",
    "losses",
    "read_nbest",
    "write_nbest",
]
