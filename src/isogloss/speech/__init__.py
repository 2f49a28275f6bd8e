"""Speech translation: hypotheses and lattices of a recognizer, and their confidences.

>>> from isogloss.speech import SpeechOptions, best_strings, translate_speech
"""

from typing import TYPE_CHECKING

from isogloss.io.lazy import lazy_names

if TYPE_CHECKING:
    from isogloss.speech.heard import HeardOptions, read_heard
    from isogloss.speech.hypotheses import (
        Hypothesis,
        Utterance,
        best_hypotheses,
        lattice_utterances,
        list_utterances,
        text_utterances,
    )
    from isogloss.speech.strings import LatticeStringOptions, best_strings, lattice_nbest, strings_store
    from isogloss.speech.translate import SpeechOptions, spoken_lines, translate_speech

__all__ = [
    "HeardOptions",
    "Hypothesis",
    "LatticeStringOptions",
    "SpeechOptions",
    "Utterance",
    "best_hypotheses",
    "best_strings",
    "lattice_nbest",
    "lattice_utterances",
    "list_utterances",
    "read_heard",
    "spoken_lines",
    "strings_store",
    "text_utterances",
    "translate_speech",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "heard": (
            "HeardOptions",
            "read_heard",
        ),
        "hypotheses": (
            "Hypothesis",
            "Utterance",
            "best_hypotheses",
            "lattice_utterances",
            "list_utterances",
            "text_utterances",
        ),
        "strings": (
            "LatticeStringOptions",
            "best_strings",
            "lattice_nbest",
            "strings_store",
        ),
        "translate": (
            "SpeechOptions",
            "spoken_lines",
            "translate_speech",
        ),
    },
)
