"""What the scores of an engine do not say, and what would make it better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from isogloss.report.verdict import PartVerdict, UnknownWord, share

__all__ = ["Evidence", "advice", "warnings"]

_FEW_STRINGS = 100
_WIDE_INTERVAL = 10.0
_COMBINED = 0.9
_MANY_DROPPED = 0.2
_LISTED = 12
_CHANCE = 0.05
_WORTHWHILE = 2.0  # points of chrF


@dataclass(frozen=True, eq=False, kw_only=True)
class Evidence:
    """What is known after training and testing."""

    set: str
    pairs: int
    words: Sequence[UnknownWord]
    tuned: bool
    """Whether weights were tuned on the development set."""
    dropped: int
    """Pairs that were dropped in cleaning, other than duplicates."""
    segmenter: str
    """Advice on a segmenter that is not installed; empty if none is needed."""
    parts: Mapping[str, PartVerdict] = field(default_factory=dict)
    p_value: float | None = None
    chrf: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """Sentence chrF of every string."""
    unknown: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    """Which strings have unknown words."""
    gains: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """How much sentence chrF the first strings lose with half of the training pairs."""
    combined: float = 0.0
    """Share of strings that are pieces of training strings."""


def warnings(evidence: Evidence) -> list[str]:
    """Why the scores may mislead."""
    if not evidence.parts:
        return [
            f"There are too few training pairs to hold any out ({evidence.pairs:,}): nothing was tested, and "
            "no weights were tuned."
        ]
    found = []
    whole = evidence.parts["all"]
    score = whole.engine.scores["chrF2"]
    if evidence.set == "dev" and evidence.tuned:
        found.append("There is no test set: these strings were tuned on. Expect lower scores on other text.")
    if whole.strings < _FEW_STRINGS or score.high - score.low > _WIDE_INTERVAL:
        found.append(
            f"{whole.strings:,} strings are too few to tell exactly: with other strings of this kind, chrF "
            f"would be between {score.low:.0f} and {score.high:.0f} (95% interval)."
        )
    if evidence.combined >= _COMBINED:
        found.append(
            f"{share(round(100 * evidence.combined), 100)} of these strings are pieces of training strings "
            "put together in another way. The scores show that the engine knows these patterns; they do not "
            "show how well it translates anything else."
        )
    if evidence.p_value is not None and evidence.p_value > _CHANCE:
        found.append(
            "The difference between the engine and the translation memory may be chance "
            f"(p = {evidence.p_value:.2f})."
        )
    return found


def advice(evidence: Evidence) -> list[str]:
    """What would help, the most first."""
    first = [f"Install a word segmenter: {evidence.segmenter}."] if evidence.segmenter else []
    weighed = [item for item in (_terms(evidence), _more_pairs(evidence), _dropped(evidence)) if item[1]]
    return [*first, *(text for _, text in sorted(weighed, key=lambda item: -item[0]))]


def _terms(evidence: Evidence) -> tuple[float, str]:
    """Terms for unknown words; worth at most what strings without unknown words score more."""
    if not evidence.words:
        return 0.0, ""
    words = ", ".join(item.word for item in evidence.words[:_LISTED])
    text = f"Add terms or corrections for unknown words. The most frequent ones: {words}."
    with_unknown, others = evidence.chrf[evidence.unknown], evidence.chrf[~evidence.unknown]
    if not len(with_unknown) or not len(others):
        return 0.0, text
    gain = len(with_unknown) / len(evidence.chrf) * float(others.mean() - with_unknown.mean())
    return gain, (
        f"{text} {share(len(with_unknown), len(evidence.chrf))} of the strings have an unknown word; their "
        f"mean chrF is {with_unknown.mean():.0f}, that of the others {others.mean():.0f}."
    )


def _more_pairs(evidence: Evidence) -> tuple[float, str]:
    """More pairs: going from half of them to all of them shows what doubling brings."""
    gains = evidence.gains
    if not len(gains):
        return 0.0, ""
    gain, error = float(gains.mean()), 2 * float(gains.std()) / len(gains) ** 0.5
    pairs = f"{evidence.pairs:,} training pairs"
    if gain <= error:
        told = (
            "More pairs of the same kind may not help much"
            if gain + error < _WORTHWHILE
            else "These strings are too few to tell whether more pairs of the same kind would help"
        )
        return max(gain, 0.0), (
            f"{told}: with half of the {pairs}, the mean chrF changes by {_signed(-gain)} (± {error:.1f})."
        )
    return gain, (
        f"Add more pairs of the same kind. With half of the {pairs}, the mean chrF is {gain:.1f} lower "
        f"(± {error:.1f}); twice as many would probably bring about as much."
    )


def _signed(value: float) -> str:
    return f"{value:+.1f}".replace("-", "\N{MINUS SIGN}")


def _dropped(evidence: Evidence) -> tuple[float, str]:
    pairs = evidence.pairs + evidence.dropped
    if evidence.dropped <= _MANY_DROPPED * pairs:
        return 0.0, ""
    return 1.0, (
        f"Look at work/clean/dropped.tsv: {evidence.dropped:,} pairs were dropped in cleaning, duplicates "
        "not counted."
    )
