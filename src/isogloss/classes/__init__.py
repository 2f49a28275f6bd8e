"""Word classes: inducing them from text, reading, writing and looking them up."""

from isogloss.classes.exchange import (
    ClassOptions,
    Clustering,
    Pass,
    class_perplexity,
    induce_classes,
)
from isogloss.classes.words import WordClasses

__all__ = ["ClassOptions", "Clustering", "Pass", "WordClasses", "class_perplexity", "induce_classes"]
