"""BLEU computed by the engine: fast enough for tuning, and equal to sacreBLEU on the same tokens.

Statistics are rows of integers in sacreBLEU's order: length, reference length, matched n-grams for n = 1, 2,
…, total n-grams for n = 1, 2, ….
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss import _engine
from isogloss._version import __version__
from isogloss.io.errors import ConfigError
from isogloss.metric.interface import FloatArray, Metric, Statistics
from isogloss.metric.references import References
from isogloss.metric.tokens import ScoringEncoder, ScoringTokenizer

__all__ = ["SENTENCE_BLEU", "Bleu", "BleuOptions", "bleu_scores"]

MAX_ORDER = 16
SMOOTHINGS = ("none", "exp", "floor", "add-k")
LENGTHS = ("closest", "shortest", "average")


@dataclass(frozen=True, slots=True, kw_only=True)
class BleuOptions:
    """Options of BLEU.

    >>> BleuOptions(smoothing="add-k", effective_order=True).order
    4
    """

    order: int = 4
    """Length of the longest n-grams, in words."""
    length: str = "closest"
    """Reference length if there are several references: closest (ties to the shorter), shortest, or average
    (rounded to whole tokens, halves upward)."""
    smoothing: str = "exp"
    """Smoothing for orders without a match: none, exp, floor or add-k, as in sacreBLEU."""
    smoothing_value: float | None = None
    """Value for floor (default 0.1) and add-k (default 1)."""
    effective_order: bool = False
    """Ignore n-grams longer than the hypothesis, as is usual for single sentences."""

    def __post_init__(self) -> None:
        if not 1 <= self.order <= MAX_ORDER:
            raise ConfigError(f"order must be between 1 and {MAX_ORDER}, got {self.order}")
        if self.length not in LENGTHS:
            raise ConfigError(f"unknown length '{self.length}'; choose one of: {', '.join(LENGTHS)}")
        if self.smoothing not in SMOOTHINGS:
            raise ConfigError(f"unknown smoothing '{self.smoothing}'; choose one of: {', '.join(SMOOTHINGS)}")
        if self.smoothing_value is not None and not 0 <= self.smoothing_value < float("inf"):
            raise ConfigError(f"smoothing_value must be at least 0, got {self.smoothing_value}")


SENTENCE_BLEU = BleuOptions(effective_order=True)
"""Sentence BLEU as sacreBLEU recommends it."""


def bleu_scores(
    rows: Statistics,
    options: BleuOptions | None = None,
    *,
    background: Statistics | None = None,
    threads: int = 1,
) -> FloatArray:
    """BLEU (0 to 1) of each row of statistics, after adding ``background`` to every row.

    >>> bleu_scores(np.array([[4, 4, 4, 3, 2, 1, 4, 3, 2, 1]])).tolist()
    [1.0]
    """
    options = options or BleuOptions()
    return _engine.bleu_scores(
        rows,
        background=None if background is None else np.asarray(background, dtype=np.float64),
        smoothing=options.smoothing,
        smoothing_value=options.smoothing_value,
        effective_order=options.effective_order,
        threads=threads,
    )


class Bleu(Metric):
    """BLEU from the engine, on the scale 0 to 100.

    Tokens are separated by spaces unless ``tokenize`` names one of sacreBLEU's tokenizers. Tokenized
    references are cached until other references are given.

    >>> references = References([["the cat sat on the mat"]])
    >>> metric = Bleu(BleuOptions(smoothing="none"))
    >>> rows = metric.statistics(["the cat sat on a mat"], references)
    >>> rows.tolist()
    [[6, 6, 5, 3, 2, 1, 6, 5, 4, 3]]
    >>> round(metric.score(rows.sum(axis=0)), 2)
    53.73
    """

    name = "BLEU"

    def __init__(
        self,
        options: BleuOptions | None = None,
        *,
        tokenize: str = "none",
        lowercase: bool = False,
        threads: int = 1,
    ) -> None:
        self.options = options or BleuOptions()
        self._encoder = ScoringEncoder(ScoringTokenizer(tokenize, lowercase=lowercase))
        self._threads = threads

    @property
    def tokenizer(self) -> ScoringTokenizer:
        """The tokenizer of lines."""
        return self._encoder.tokenizer

    def signature(self, references: References) -> str:
        """Settings and version, in the style of sacreBLEU."""
        options = self.options
        value = "" if options.smoothing_value is None else f"[{options.smoothing_value:g}]"
        parts = {
            "nrefs": references.count or "var",
            "case": "lc" if self._encoder.tokenizer.lowercase else "mixed",
            "order": options.order,
            "length": options.length,
            "eff": "yes" if options.effective_order else "no",
            "tok": self._encoder.tokenizer.signature,
            "smooth": options.smoothing + value,
            "version": f"isogloss-{__version__}",
        }
        return "|".join(f"{key}:{part}" for key, part in parts.items())

    def statistics(
        self, hypotheses: Sequence[str], references: References, sentences: Sequence[int] | None = None
    ) -> NDArray[np.int32]:
        """Rows as described at the top of this module."""
        return _engine.bleu_statistics(
            *self._encoder.arrays(hypotheses, references, sentences),
            order=self.options.order,
            length=self.options.length,
            threads=self._threads,
        )

    def score(self, summed: Statistics) -> float:
        """BLEU in 0..100 from summed statistics."""
        return float(self.scores(np.asarray(summed)[np.newaxis])[0])

    def scores(self, rows: Statistics) -> FloatArray:
        """BLEU in 0..100 of each row."""
        return 100 * bleu_scores(rows, self.options, threads=self._threads)

    def zero_sentences(self, rows: Statistics) -> int:
        """The number of rows whose BLEU is zero without smoothing."""
        return int(np.count_nonzero(bleu_scores(rows, BleuOptions(smoothing="none")) == 0))
