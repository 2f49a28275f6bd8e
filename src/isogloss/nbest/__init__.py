"""The n-best store, its file formats, and operations on whole lists."""

from isogloss.nbest.formats import FORMATS, read_nbest, write_nbest
from isogloss.nbest.store import DenseGroup, NbestStore, Ragged, SparseFeatures

__all__ = [
    "FORMATS",
    "DenseGroup",
    "NbestStore",
    "Ragged",
    "SparseFeatures",
    "read_nbest",
    "write_nbest",
]
