"""Translating what a recogniser of speech heard: hypotheses, lattices, and what they are worth.

>>> from isogloss.speech import SpeechOptions, best_strings, translate_speech
"""

from isogloss.speech.hypotheses import (
    Hypothesis,
    Utterance,
    lattice_utterances,
    list_utterances,
    text_utterances,
)
from isogloss.speech.strings import best_strings, strings_store
from isogloss.speech.translate import SpeechOptions, spoken_lines, translate_speech

__all__ = [
    "Hypothesis",
    "SpeechOptions",
    "Utterance",
    "best_strings",
    "lattice_utterances",
    "list_utterances",
    "spoken_lines",
    "strings_store",
    "text_utterances",
    "translate_speech",
]
