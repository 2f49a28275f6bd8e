"""Convert lines to token ids, for the metrics of the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from isogloss._engine import Vocabulary
from isogloss.io.errors import ConfigError
from isogloss.metric.references import References

__all__ = ["EncodedReferences", "ScoringEncoder", "ScoringTokenizer", "owners"]

Offsets = NDArray[np.int64]


class ScoringTokenizer:
    """Splits lines into tokens exactly as sacreBLEU's BLEU does.

    >>> ScoringTokenizer("13a", lowercase=True)("Hello, world!")
    ['hello', ',', 'world', '!']
    """

    def __init__(self, name: str = "none", *, lowercase: bool = False) -> None:
        self.name, self.lowercase = name, lowercase
        self.signature = name
        self._split: Callable[[str], str] | None = None
        if name != "none":
            tokenizer = sacrebleu_tokenizer(name)
            self._split, self.signature = tokenizer, tokenizer.signature()

    def __call__(self, line: str) -> list[str]:
        """The tokens of a line."""
        line = line.lower() if self.lowercase else line
        return (line if self._split is None else self._split(line.rstrip())).split()


@lru_cache
def sacrebleu_tokenizer(name: str):  # type: ignore[no-untyped-def]  # sacreBLEU gives its tokenizers no type
    """The tokenizer that sacreBLEU calls ``name``: one for all metrics, because it remembers lines."""
    from sacrebleu.metrics.bleu import BLEU

    if name not in BLEU.TOKENIZERS:
        choices = ", ".join(sorted(BLEU.TOKENIZERS))
        raise ConfigError(f"unknown tokenizer '{name}'; choose one of: {choices}")
    try:
        return BLEU(tokenize=name).tokenizer
    except (ImportError, OSError, RuntimeError, AssertionError, SystemExit) as error:
        reason = " ".join(str(error).split())
        raise ConfigError(f"the tokenizer '{name}' cannot be used here: {reason}") from None


@dataclass(frozen=True, slots=True)
class EncodedReferences:
    """References as word ids."""

    source: References
    vocabulary: Vocabulary
    ids: NDArray[np.uint32]
    offsets: Offsets
    sentence_offsets: Offsets


class ScoringEncoder:
    """Maps the tokens of hypotheses and references to ids for the engine.

    Words that are in no reference become ``NO_WORD``, which matches nothing. Ids of references are cached
    until other references are given.
    """

    def __init__(self, tokenizer: ScoringTokenizer) -> None:
        self.tokenizer = tokenizer
        self._references: EncodedReferences | None = None

    def arrays(
        self, hypotheses: Sequence[str], references: References, sentences: Sequence[int] | None
    ) -> tuple[NDArray[np.uint32], Offsets, Offsets, NDArray[np.uint32], Offsets, Offsets]:
        """The engine's arguments: hypotheses, then references."""
        encoded = self.references(references)
        ids, offsets = encoded.vocabulary.encode((self.tokenizer(line) for line in hypotheses), grow=False)
        sentence_offsets = _candidate_offsets(len(hypotheses), len(references), sentences)
        return ids, offsets, sentence_offsets, encoded.ids, encoded.offsets, encoded.sentence_offsets

    def references(self, references: References) -> EncodedReferences:
        """The ids of the references, computed if they are new."""
        if self._references is None or self._references.source is not references:
            self._references = self._encode(references)
        return self._references

    def _encode(self, references: References) -> EncodedReferences:
        vocabulary = Vocabulary()
        groups = [references.of(i) for i in range(len(references))]
        ids, offsets = vocabulary.encode(self.tokenizer(line) for group in groups for line in group)
        sentence_offsets = np.cumsum([0, *map(len, groups)], dtype=np.int64)
        return EncodedReferences(references, vocabulary, ids, offsets, sentence_offsets)


def owners(hypotheses: int, count: int, sentences: Sequence[int] | None) -> NDArray[np.int64]:
    """The sentence of each hypothesis: as given, or one hypothesis for each of ``count`` sentences."""
    if sentences is None:
        if hypotheses != count:
            raise ConfigError(f"{hypotheses} hypotheses for {count} sentences: one each is expected")
        return np.arange(count, dtype=np.int64)
    owner = np.asarray(sentences, dtype=np.int64)
    if len(owner) != hypotheses:
        raise ConfigError(f"{hypotheses} hypotheses but {len(owner)} sentence numbers")
    if len(owner) and (owner[0] < 0 or owner[-1] >= count or np.any(np.diff(owner) < 0)):
        raise ConfigError(f"sentence numbers must lie between 0 and {count - 1} and never fall")
    return owner


def _candidate_offsets(hypotheses: int, count: int, sentences: Sequence[int] | None) -> Offsets:
    owner = owners(hypotheses, count, sentences)
    return np.searchsorted(owner, np.arange(count + 1)).astype(np.int64)
