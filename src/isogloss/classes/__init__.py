"""Word classes: induce, read, write and look them up."""

from typing import TYPE_CHECKING

from isogloss.io.lazy import lazy_names

if TYPE_CHECKING:
    from isogloss.classes.counting import CountedText, count_in_shards
    from isogloss.classes.exchange import (
        ClassOptions,
        Clustering,
        Pass,
        class_perplexity,
        induce_classes,
    )
    from isogloss.classes.words import WordClasses

__all__ = [
    "ClassOptions",
    "Clustering",
    "CountedText",
    "Pass",
    "WordClasses",
    "class_perplexity",
    "count_in_shards",
    "induce_classes",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "counting": ("CountedText", "count_in_shards"),
        "exchange": (
            "ClassOptions",
            "Clustering",
            "Pass",
            "class_perplexity",
            "induce_classes",
        ),
        "words": ("WordClasses",),
    },
)
