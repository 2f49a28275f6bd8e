"""How long the chosen candidates are, beside their score."""

from __future__ import annotations

import math

from isogloss.learn.problem import Problem
from isogloss.metric import Bleu
from isogloss.nbest.store import Int64

__all__ = ["brevity_penalty", "length_cells", "length_ratio", "length_text"]


def length_ratio(problem: Problem, rows: Int64) -> float | None:
    """Words of these candidates per word of their references; None if the metric does not count words."""
    if not isinstance(problem.metric, Bleu):
        return None
    words, expected = problem.stats()[rows][:, :2].sum(axis=0).tolist()
    return float(words) / max(float(expected), 1.0)


def brevity_penalty(ratio: float) -> float:
    """BLEU's penalty for translations that are too short; 1 if there is none.

    >>> brevity_penalty(1.1), round(brevity_penalty(0.95), 3)
    (1.0, 0.949)
    """
    return min(1.0, math.exp(1 - 1 / ratio)) if ratio > 0 else 0.0


def length_text(ratio: float | None) -> str:
    """The ratio and the penalty in words, for a place after a score.

    >>> length_text(0.95)
    ' (length 0.950, brevity penalty 0.949)'
    """
    if ratio is None:
        return ""
    return f" (length {ratio:.3f}, brevity penalty {brevity_penalty(ratio):.3f})"


def length_cells(ratio: float | None) -> tuple[str, str]:
    """The ratio and the penalty as cells of a table."""
    return ("", "") if ratio is None else (f"{ratio:.3f}", f"{brevity_penalty(ratio):.3f}")
