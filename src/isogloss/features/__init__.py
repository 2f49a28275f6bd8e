"""Sparse features of the search: token types, templates and their weights."""

from isogloss.features.annotators import ColumnOptions, annotate_text
from isogloss.features.columns import TokenColumn
from isogloss.features.model import SparseModel
from isogloss.features.options import ALL_TEMPLATES, SPELLING_TYPES, PythonTemplate, SparseOptions
from isogloss.features.system_features import SystemFeatures
from isogloss.features.weights import SparseWeights

__all__ = [
    "ALL_TEMPLATES",
    "SPELLING_TYPES",
    "ColumnOptions",
    "PythonTemplate",
    "SparseModel",
    "SparseOptions",
    "SparseWeights",
    "SystemFeatures",
    "TokenColumn",
    "annotate_text",
]
