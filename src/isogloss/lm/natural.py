"""Scores of whole lines as features: natural logarithms, with unknown words counted separately."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from isogloss.io.streams import StrPath
from isogloss.lm.model import LanguageModel

__all__ = ["natural_scores"]


def natural_scores(path: StrPath, lines: list[str], threads: int) -> npt.NDArray[np.float64]:
    """Two columns: log probability and minus the number of unknown words.

    If the model has no <unk>, unknown words are left out of the probability: their -100 would dominate it.
    """
    model = LanguageModel.load(path)
    scores = model.all_scores(lines, threads=threads)
    log10 = scores.log10 if model.has_unknown else scores.log10 - scores.unknown_log10
    return np.stack([log10 * np.log(10), -scores.unknown.astype(np.float64)], axis=1)
