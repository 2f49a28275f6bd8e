"""Word classes: induce, read, write and look them up."""

from isogloss.classes.exchange import (
    ClassOptions,
    Clustering,
    Pass,
    class_perplexity,
    induce_classes,
)
from isogloss.classes.words import WordClasses

__all__ = ["ClassOptions", "Clustering", "Pass", "WordClasses", "class_perplexity", "induce_classes"]
