"""Sparse features of the search: token types, templates and their weights."""

from typing import TYPE_CHECKING

from isogloss.io.lazy import lazy_names

if TYPE_CHECKING:
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

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "annotators": (
            "ColumnOptions",
            "annotate_text",
        ),
        "columns": ("TokenColumn",),
        "model": ("SparseModel",),
        "options": (
            "ALL_TEMPLATES",
            "PythonTemplate",
            "SPELLING_TYPES",
            "SparseOptions",
        ),
        "system_features": ("SystemFeatures",),
        "weights": ("SparseWeights",),
    },
)
