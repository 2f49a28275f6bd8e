"""Similarity of new sentences to the training text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from isogloss.adapt.options import RetrievalOptions
from isogloss.adapt.segment import Example, Segment, segment_columns
from isogloss.decoder.example_index import Frequencies, QueryTerms
from isogloss.decoder.sentence import split_words

__all__ = ["SIMILAR", "nearest_similarities"]

SIMILAR = 0.7
"""Similarity from which a translation memory would offer a match."""
_NEAREST = RetrievalOptions(size=1, edit_share=1.0)


def nearest_similarities(known: Sequence[str], sentences: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return how similar each tokenized sentence is to the nearest known one: 1 minus the share of edits.

    >>> nearest_similarities(["the cat is old", "a dog"], ["the cat is young", "a dog", "birds"]).tolist()
    [0.75, 1.0, 0.0]
    """
    examples = [Example(source=line, references=("",)) for line in dict.fromkeys(known) if line]
    found = np.zeros(len(sentences))
    if not examples:
        return found
    frequencies = Frequencies.count([split_words(example.source) for example in examples])
    segment = Segment(segment_columns(examples, range(len(examples)), frequencies), "the training text")
    for at, sentence in enumerate(sentences):
        if sentence:
            _, scores = segment.search(QueryTerms.of(sentence, frequencies), _NEAREST, 0.0)
            found[at] = scores[0] if len(scores) else 0.0
    return found
