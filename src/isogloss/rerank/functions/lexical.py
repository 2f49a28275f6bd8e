"""Lexical translation probabilities of all words of a sentence's candidates at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.align import AlignmentModel
from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext

__all__ = ["LexicalSentence", "lexical_sentences"]


class LexicalSentence(NamedTuple):
    """Lexical probabilities between the words of a sentence's candidates and its source."""

    forward: FloatArray
    """p(word | source word): source words × words."""
    backward: FloatArray
    """p(source word | word): source words × words."""
    null_forward: FloatArray
    """p(word | no word)."""
    null_backward: FloatArray
    """p(source word | no word)."""
    starts: npt.NDArray[np.int64]
    """Offsets of the candidates."""


def lexical_sentences(model: AlignmentModel, context: FeatureContext) -> Iterator[LexicalSentence]:
    """One for each sentence of the list."""
    assert context.source is not None
    store = context.store
    encoder = model.encoder
    target_numbers = _numbers(encoder.target, store.words.words(), encoder.lowercase)
    for sentence, words in enumerate(context.source):
        source = _numbers(encoder.source, words, encoder.lowercase)
        rows = store.rows_of(sentence)
        bounds = store.tokens.offsets[rows.start : rows.stop + 1]
        tokens = target_numbers[store.tokens.values[bounds[0] : bounds[-1]]]
        distinct, places = np.unique(tokens, return_inverse=True)
        both = np.zeros((len(source), len(distinct), 2))
        for place, number in enumerate(source.tolist()):
            if number < len(model.row_offsets) - 1:
                begin, end = int(model.row_offsets[number]), int(model.row_offsets[number + 1])
                columns = model.columns[begin:end]
                at = np.minimum(np.searchsorted(columns, distinct), max(len(columns) - 1, 0))
                if len(columns):
                    known = columns[at] == distinct
                    both[place, known] = model.probabilities[begin:end][at[known]]
        yield LexicalSentence(
            both[:, places, 0],
            both[:, places, 1],
            _looked_up(model.target_null, distinct)[places],
            _looked_up(model.source_null, source),
            bounds - bounds[0],
        )


def _numbers(vocabulary: _engine.Vocabulary, words: Sequence[str], lowercase: bool) -> npt.NDArray[np.uint32]:
    return np.array([vocabulary.find(word.lower() if lowercase else word) for word in words], dtype=np.uint32)


def _looked_up(values: npt.NDArray[np.float32], numbers: npt.NDArray[np.uint32]) -> FloatArray:
    """Values by word id; 0 for an unknown word."""
    return np.append(values, np.float32(0)).astype(np.float64)[np.minimum(numbers, len(values))]
