"""What other tools say about words: lemmas, parts of speech, synsets, as columns that sparse features see."""

from isogloss.features.annotators.annotator import ANNOTATORS, Annotator, annotate, annotator

__all__ = ["ANNOTATORS", "Annotator", "annotate", "annotator"]
