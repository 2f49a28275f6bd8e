"""What other tools say about words: lemmas, parts of speech, synsets, as columns that sparse features see."""

from isogloss.features.annotators.annotator import (
    ANNOTATORS,
    Annotator,
    ColumnOptions,
    annotate,
    annotate_text,
    annotator,
)

__all__ = ["ANNOTATORS", "Annotator", "ColumnOptions", "annotate", "annotate_text", "annotator"]
