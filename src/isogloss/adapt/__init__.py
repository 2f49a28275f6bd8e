"""Local training: weights for each sentence, trained on the most similar examples."""

from typing import TYPE_CHECKING

from isogloss.io.lazy import lazy_names

if TYPE_CHECKING:
    from isogloss.adapt.memory import Hit, Memory
    from isogloss.adapt.memory_update import (
        add_examples,
        build_memory,
        compact_memory,
        read_examples,
        remove_examples,
        save_tuned,
    )
    from isogloss.adapt.options import LocalOptions, MemoryOptions, QueryOptions, RetrievalOptions
    from isogloss.adapt.segment import Example
    from isogloss.adapt.translator import LocallyTranslated, LocalSystem, LocalTranslator, adapted_system
    from isogloss.adapt.tune import LocalTrial, LocalTuning, MemoryTuneOptions, tune_memory
    from isogloss.adapt.update import LocalWeights, local_weights

__all__ = [
    "Example",
    "Hit",
    "LocalOptions",
    "LocalSystem",
    "LocalTranslator",
    "LocalTrial",
    "LocalTuning",
    "LocalWeights",
    "LocallyTranslated",
    "Memory",
    "MemoryOptions",
    "MemoryTuneOptions",
    "QueryOptions",
    "RetrievalOptions",
    "adapted_system",
    "add_examples",
    "build_memory",
    "compact_memory",
    "local_weights",
    "read_examples",
    "remove_examples",
    "save_tuned",
    "tune_memory",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "decoding": ("MemoryOptions",),
        "memory": (
            "Hit",
            "Memory",
        ),
        "memory_update": (
            "add_examples",
            "build_memory",
            "compact_memory",
            "read_examples",
            "remove_examples",
            "save_tuned",
        ),
        "options": (
            "LocalOptions",
            "QueryOptions",
            "RetrievalOptions",
        ),
        "segment": ("Example",),
        "translator": (
            "LocalSystem",
            "LocalTranslator",
            "LocallyTranslated",
            "adapted_system",
        ),
        "tune": (
            "LocalTrial",
            "LocalTuning",
            "MemoryTuneOptions",
            "tune_memory",
        ),
        "update": (
            "LocalWeights",
            "local_weights",
        ),
    },
)
