"""Annotations of other tools as columns for sparse features: lemmas, parts of speech, synsets."""

from isogloss.features.annotators.annotator import (
    ANNOTATORS,
    Annotator,
    ColumnOptions,
    annotate,
    annotate_text,
    annotator,
)

__all__ = ["ANNOTATORS", "Annotator", "ColumnOptions", "annotate", "annotate_text", "annotator"]
