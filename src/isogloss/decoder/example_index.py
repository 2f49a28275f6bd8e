"""Sentences as queries to an index of examples: their words, and how much each of them tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.decoder.sentence import split_words
from isogloss.io.errors import ModelFormatError
from isogloss.io.streams import StrPath

__all__ = ["INDEX_ARRAYS", "Frequencies", "QueryTerms"]

Array = npt.NDArray[Any]

INDEX_ARRAYS = ("norms", "posting_offsets", "postings", "posting_weights", "largest_weights")
"""What ``_engine.index_examples`` computes."""


class Frequencies:
    """Document frequencies of words, and their idf weights.

    The idf of a word is log(N / df). An unseen word has df 1, and N is at least 2, so that the first examples
    of a new memory do not all have the same similarity.
    """

    def __init__(self, words: _engine.Vocabulary, counts: npt.NDArray[np.int64], sentences: int) -> None:
        self.words, self.counts, self.sentences = words, counts, sentences

    @classmethod
    def count(cls, sentences: Sequence[Sequence[str]]) -> Frequencies:
        """Count the words of a corpus."""
        words = _engine.Vocabulary()
        numbers, offsets = words.encode(sentences)
        owner = np.repeat(np.arange(len(sentences), dtype=np.int64), np.diff(offsets))
        distinct = np.unique(owner * max(1, len(words)) + numbers) % max(1, len(words))
        return cls(words, np.bincount(distinct, minlength=len(words)).astype(np.int64), len(sentences))

    def idf(self, words: Sequence[str]) -> npt.NDArray[np.float64]:
        """The idf of each word."""
        numbers = np.array([self.words.find(word) for word in words], dtype=np.int64)
        known = numbers < len(self.counts)
        df = np.ones(len(words))
        df[known] = np.maximum(self.counts[numbers[known]], 1)
        return np.maximum(np.log(max(self.sentences, 2) / df), 0.0)

    def arrays(self) -> dict[str, Array]:
        """The stored form."""
        word_bytes, word_offsets = self.words.arrays()
        return {
            "word_bytes": word_bytes,
            "word_offsets": word_offsets,
            "counts": self.counts,
            "sentences": np.array([self.sentences], np.int64),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], path: StrPath) -> Frequencies:
        """Inverse of ``arrays``."""
        try:
            words = _engine.Vocabulary.from_arrays(arrays["word_bytes"], arrays["word_offsets"])
            counts, sentences = arrays["counts"], int(arrays["sentences"][0])
            if counts.dtype != np.int64 or counts.shape != (len(words),) or sentences < 0:
                raise ValueError("counts and words do not match")
        except (KeyError, ValueError, TypeError, IndexError) as error:
            raise ModelFormatError(f"is damaged ({error})", path, "rebuild the memory") from None
        return cls(words, counts, sentences)


class QueryTerms(NamedTuple):
    """A sentence as distinct words and their order."""

    words: list[str]
    tokens: npt.NDArray[np.uint16]
    idf: npt.NDArray[np.float64]

    @classmethod
    def of(cls, sentence: str, frequencies: Frequencies) -> QueryTerms:
        """The terms of a sentence."""
        terms: dict[str, int] = {}
        tokens = [terms.setdefault(word, len(terms)) for word in split_words(sentence)]
        words = list(terms)
        return cls(words, np.array(tokens, dtype=np.uint16), frequencies.idf(words))
