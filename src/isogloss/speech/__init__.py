"""Speech translation: hypotheses and lattices of a recognizer, and their confidences.

>>> from isogloss.speech import SpeechOptions, best_strings, translate_speech
"""

from isogloss.speech.heard import HeardOptions, read_heard
from isogloss.speech.hypotheses import (
    Hypothesis,
    Utterance,
    best_hypotheses,
    lattice_utterances,
    list_utterances,
    text_utterances,
)
from isogloss.speech.strings import best_strings, strings_store
from isogloss.speech.translate import SpeechOptions, spoken_lines, translate_speech

__all__ = [
    "HeardOptions",
    "Hypothesis",
    "SpeechOptions",
    "Utterance",
    "best_hypotheses",
    "best_strings",
    "lattice_utterances",
    "list_utterances",
    "read_heard",
    "spoken_lines",
    "strings_store",
    "text_utterances",
    "translate_speech",
]
