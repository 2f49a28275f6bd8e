"""Queries to a language model."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from isogloss._engine import LmModel, Vocabulary
from isogloss.io.errors import ModelFormatError
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath
from isogloss.lm.stored import StoredModel, in_own_memory, open_model, vocabulary_arrays, write_model

__all__ = ["LanguageModel", "Perplexity", "SentenceScores", "WordScore"]

_ROUNDING = 0.01  # in the sum of the log probabilities of a sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class WordScore:
    """The score of one word in its context."""

    word: str
    log10: float
    """log10 of its probability."""
    matched: int
    """Words in the longest n-gram of the model that ends here, this word included."""
    known: bool
    """Whether the model has the word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceScores:
    """Scores of many sentences, as columns."""

    log10: npt.NDArray[np.float64]
    words: npt.NDArray[np.uint32]
    """Words scored, the end of the sentence included."""
    unknown: npt.NDArray[np.uint32]
    """Words that the model does not have."""
    unknown_log10: npt.NDArray[np.float64]
    """The part of ``log10`` that unknown words contribute."""

    def total(self) -> Perplexity:
        """All sentences together."""
        return Perplexity(
            sentences=len(self.log10),
            words=int(self.words.sum(dtype=np.int64)),
            unknown=int(self.unknown.sum(dtype=np.int64)),
            log10=float(self.log10.sum()),
            unknown_log10=float(self.unknown_log10.sum()),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Perplexity:
    """How well a model predicts a text."""

    sentences: int
    words: int
    """Words scored, ends of sentences included."""
    unknown: int
    """Words that the model does not have."""
    log10: float
    """log10 probability of the text."""
    unknown_log10: float
    """The part of it that unknown words contribute."""

    def __add__(self, other: Perplexity) -> Perplexity:
        return Perplexity(
            sentences=self.sentences + other.sentences,
            words=self.words + other.words,
            unknown=self.unknown + other.unknown,
            log10=self.log10 + other.log10,
            unknown_log10=self.unknown_log10 + other.unknown_log10,
        )

    def to_dict(self) -> dict[str, float | None]:
        """As plain values; a perplexity that is not finite is None."""
        return {
            "sentence_count": self.sentences,
            "words": self.words,
            "unknown": self.unknown,
            "log10": self.log10,
            "perplexity": _finite(self.including_unknown),
            "perplexity_without_unknown": _finite(self.excluding_unknown),
        }

    @property
    def including_unknown(self) -> float:
        """Perplexity over all words; NaN for an empty text."""
        return _perplexity(self.log10, self.words)

    @property
    def excluding_unknown(self) -> float:
        """Perplexity over the known words; NaN if there are none."""
        return _perplexity(self.log10 - self.unknown_log10, self.words - self.unknown)


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _perplexity(log10: float, words: int) -> float:
    if words == 0:
        return math.nan
    exponent = -log10 / words
    return math.inf if exponent > 308 else 10.0**exponent


class LanguageModel:
    """A back-off n-gram model, read from an ARPA file or opened from a stored folder.

    Words are separated by ASCII whitespace. All log probabilities are to base 10. Any
    number of threads may use the same model.
    """

    def __init__(self, stored: StoredModel, vocabulary: Vocabulary | None = None, path: StrPath = "") -> None:
        self._stored, self._vocabulary, self._path = stored, vocabulary, path
        try:
            self._engine = stored.engine()
        except (KeyError, ValueError, TypeError) as error:
            raise ModelFormatError(f"the arrays are not a language model ({error})", path) from None

    @classmethod
    def load(
        cls,
        path: StrPath,
        *,
        vocabulary: Vocabulary | None = None,
        own_memory: bool = False,
        track: Track = no_track,
    ) -> LanguageModel:
        """Open a stored folder, or read an ARPA file (plain, gzip or zstd).

        The tables of a stored model are mapped into memory: opening is instant and processes share them. With
        ``own_memory`` they are copied, into large pages if available, which makes queries of a large model up
        to a third faster. With a ``vocabulary``, words of an ARPA file get its ids, and new words are added
        to it. A stored model has its own ids: see ``word_ids``.
        """
        if Path(path).is_dir():
            try:
                stored = in_own_memory(open_model(path)) if own_memory else open_model(path)
            except (ValueError, TypeError) as error:
                if isinstance(error, ModelFormatError):
                    raise
                raise ModelFormatError(f"the tables are damaged ({error})", path) from None
            return cls(stored, path=path)
        words = Vocabulary() if vocabulary is None else vocabulary
        from isogloss.lm.arpa import read_arpa

        reader = read_arpa(path, words, track=track)
        unigrams, tables = reader.take_tables()
        arrays = {f"ngrams_{order}": table for order, table in enumerate(tables, start=2)}
        stored = StoredModel(
            order=reader.order,
            counts=tuple(reader.counts),
            special=reader.special,
            has_unknown=reader.has_unknown,
            arrays={"unigrams": unigrams, **arrays, **vocabulary_arrays(words)},
        )
        return cls(stored, words, path)

    def save(self, path: StrPath) -> None:
        """Store the model in a folder that ``load`` opens instantly."""
        write_model(path, self._stored)

    @property
    def order(self) -> int:
        """Words in the longest n-grams."""
        return self._stored.order

    @property
    def counts(self) -> tuple[int, ...]:
        """n-grams of each order."""
        return self._stored.counts

    @property
    def has_unknown(self) -> bool:
        """Whether the model was estimated with an unknown word; if not, its log probability is -100."""
        return self._stored.has_unknown

    @property
    def engine(self) -> LmModel:
        """The engine's model for a search, by word ids."""
        return self._engine

    @property
    def vocabulary(self) -> Vocabulary:
        """The words by id; read from a stored model on first use."""
        if self._vocabulary is None:
            try:
                self._vocabulary = Vocabulary.from_arrays(
                    self._stored.arrays["word_bytes"], self._stored.arrays["word_offsets"]
                )
            except (KeyError, ValueError, TypeError) as error:
                raise ModelFormatError(f"the words are damaged ({error})", self._path) from None
        return self._vocabulary

    def word_ids(self, vocabulary: Vocabulary) -> npt.NDArray[np.uint32]:
        """The id in this model for every word of another vocabulary; <unk> if it has none."""
        return self._engine.map_words(vocabulary)

    def score(self, sentence: str, *, bos: bool = True, eos: bool = True) -> float:
        """log10 P(sentence). Without ``bos``, the left context is unknown; without ``eos``, the end of the
        sentence is not scored."""
        return float(self.score_sentences([sentence], bos=bos, eos=eos)[0])

    def score_words(self, sentence: str, *, bos: bool = True, eos: bool = True) -> list[WordScore]:
        """The score of every word and, with ``eos``, of the end of the sentence (shown as ``</s>``)."""
        scores = self._engine.score_words(sentence, bos=bos, eos=eos)
        words = [*_split(sentence), "</s>"]
        return [
            WordScore(word=word, log10=log10, matched=matched, known=known)
            for word, (_, log10, matched, known) in zip(words, scores, strict=False)
        ]

    def score_sentences(
        self, sentences: Iterable[str], *, bos: bool = True, eos: bool = True, threads: int = 1
    ) -> npt.NDArray[np.float64]:
        """log10 probabilities of many sentences: the fast way."""
        return self.all_scores(sentences, bos=bos, eos=eos, threads=threads).log10

    def all_scores(
        self, sentences: Iterable[str], *, bos: bool = True, eos: bool = True, threads: int = 1
    ) -> SentenceScores:
        """The same, with the number of words and of unknown words."""
        log10, words, unknown, unknown_log10 = self._engine.score_sentences(
            sentences if isinstance(sentences, list) else list(sentences), bos=bos, eos=eos, threads=threads
        )
        if len(log10) and (log10 > _ROUNDING).any():
            raise ModelFormatError(
                f"gives sentence {int(np.argmax(log10 > _ROUNDING)) + 1} a probability above 1",
                self._path or "language model",
                "its back-off weights are wrong; estimate it again",
            )
        return SentenceScores(log10=log10, words=words, unknown=unknown, unknown_log10=unknown_log10)

    def perplexity(self, sentences: Iterable[str], *, threads: int = 1) -> Perplexity:
        """How well the model predicts a text, given sentence by sentence."""
        return self.all_scores(sentences, threads=threads).total()


def _split(sentence: str) -> list[str]:
    # Like the engine: bytes have only ASCII whitespace.
    return [word.decode() for word in sentence.encode().split()]
