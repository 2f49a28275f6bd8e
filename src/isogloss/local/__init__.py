"""Local training: weights made for each sentence from the examples nearest to it."""

from isogloss.local.decoding import BuildOptions
from isogloss.local.growth import (
    add_examples,
    build_memory,
    compact_memory,
    read_examples,
    remove_examples,
    save_tuned,
)
from isogloss.local.memory import Hit, Memory
from isogloss.local.options import RetrievalOptions, UpdateOptions
from isogloss.local.segment import Example
from isogloss.local.translator import LocallyTranslated, LocalSystem, LocalTranslator
from isogloss.local.update import LocalWeights, local_weights

__all__ = [
    "BuildOptions",
    "Example",
    "Hit",
    "LocalSystem",
    "LocalTranslator",
    "LocalWeights",
    "LocallyTranslated",
    "Memory",
    "RetrievalOptions",
    "UpdateOptions",
    "add_examples",
    "build_memory",
    "compact_memory",
    "local_weights",
    "read_examples",
    "remove_examples",
    "save_tuned",
]
