"""Metrics computed by sacreBLEU, with its signatures, for reports.

This is the only file that depends on the internals of sacreBLEU. Its own paired tests use the same three
steps (statistics of a segment, sums, score).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from typing import Any

import numpy as np

from isogloss.io.progress import Track
from isogloss.metric.bleu import Bleu, BleuOptions
from isogloss.metric.engine_statistics import EngineStatistics
from isogloss.metric.interface import FloatArray, Metric, Statistics
from isogloss.metric.references import References
from isogloss.metric.tokens import owners

__all__ = ["SacreMetric", "sacre_bleu", "sacre_chrf", "sacre_ter"]


class SacreMetric(Metric):
    """Any metric object with the methods of ``sacrebleu.metrics.base.Metric``.

    Prepared references are cached until other references are given. ``fast_scores`` may compute the scores of
    many rows at once, for resampling, and ``fast_statistics`` the same rows in the engine; ``progress`` shows
    progress, because some of these metrics are slow.

    >>> from sacrebleu.metrics import CHRF
    >>> metric, references = SacreMetric(CHRF(word_order=2), "chrF2++"), References([["one two"]])
    >>> metric.score(metric.statistics(["one two"], references)[0])
    100.0
    """

    def __init__(
        self,
        metric: Any,
        name: str,
        *,
        higher_is_better: bool = True,
        fast_scores: Callable[[Statistics], FloatArray] | None = None,
        fast_statistics: EngineStatistics | None = None,
        progress: Track | None = None,
    ) -> None:
        self.name, self.higher_is_better = name, higher_is_better
        self._metric = metric
        self._fast_scores = fast_scores
        self.fast_statistics = fast_statistics
        self._progress = progress
        self._prepared: tuple[References, list[Any]] | None = None

    def signature(self, references: References) -> str:
        """sacreBLEU's own signature."""
        metric = copy(self._metric)
        metric.num_refs = -1 if references.count is None else references.count
        return str(metric.get_signature())

    def statistics(
        self, hypotheses: Sequence[str], references: References, sentences: Sequence[int] | None = None
    ) -> Statistics:
        """What sacreBLEU counts per segment; how many columns depends on the metric."""
        owner = owners(len(hypotheses), len(references), sentences)
        if self.fast_statistics is not None:
            return self.fast_statistics.of_lines(hypotheses, references, owner)
        if self._prepared is None or self._prepared[0] is not references:
            self._prepared = (references, self._metric._cache_references(references.streams))
        prepared = self._prepared[1]
        lines: Iterable[str] = hypotheses
        if self._progress is not None:
            lines = self._progress(hypotheses, f"scoring with {self.name}", len(hypotheses))
        return np.array(
            [
                self._metric._compute_segment_statistics(
                    self._metric._preprocess_segment(line), prepared[sentence]
                )
                for line, sentence in zip(lines, owner.tolist(), strict=True)
            ]
        )

    def score(self, summed: Statistics) -> float:
        """sacreBLEU's score from summed statistics."""
        # A list of Python numbers: some of sacreBLEU's smoothing methods modify their argument.
        return float(self._metric._compute_score_from_stats(np.asarray(summed).tolist()).score)

    def scores(self, rows: Statistics) -> FloatArray:
        """The score of each row."""
        return super().scores(rows) if self._fast_scores is None else self._fast_scores(rows)


class _SacreBleu(SacreMetric):
    """sacreBLEU's BLEU, whose rows the engine counts: they are the same numbers."""

    def __init__(self, metric: Any, counts: Bleu) -> None:
        super().__init__(metric, "BLEU", fast_scores=counts.scores)
        self._counts = counts

    def statistics(
        self, hypotheses: Sequence[str], references: References, sentences: Sequence[int] | None = None
    ) -> Statistics:
        """Lengths, matches and n-grams of each hypothesis."""
        return self._counts.statistics(hypotheses, references, sentences)


def sacre_bleu(*, tokenize: str = "13a", lowercase: bool = False) -> SacreMetric:
    """Corpus BLEU with sacreBLEU's defaults."""
    from sacrebleu.metrics.bleu import BLEU

    counts = Bleu(BleuOptions(smoothing="exp"), tokenize=tokenize, lowercase=lowercase)
    return _SacreBleu(BLEU(tokenize=tokenize, lowercase=lowercase, force=True), counts)


def sacre_chrf(*, lowercase: bool = False, progress: Track | None = None) -> SacreMetric:
    """The character n-gram score chrF2 with sacreBLEU's defaults."""
    from sacrebleu.metrics.chrf import CHRF

    return SacreMetric(CHRF(lowercase=lowercase), "chrF2", progress=progress)


def sacre_ter(*, progress: Track | None = None) -> SacreMetric:
    """The edit rate TER with sacreBLEU's defaults, which ignore case."""
    from sacrebleu.metrics.ter import TER

    return SacreMetric(TER(), "TER", higher_is_better=False, progress=progress)
