"""IBM Model 1, both ways: the strongest single feature of Shen et al. 2004."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from isogloss.align import AlignmentModel
from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction
from isogloss.rerank.functions.lexical import lexical_sentences

__all__ = ["Model1"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Model1(FeatureFunction):
    """log p(candidate | source) and log p(source | candidate) under Model 1."""

    name: ClassVar[str] = "model1"
    needs_source: ClassVar[bool] = True

    path: str
    """A stored alignment model, as written by ``isogloss align --model-output``."""
    floor: float = 1e-6
    """Minimum probability of a word, used for unknown words."""
    label: str = "Model1"

    def columns(self) -> tuple[str, ...]:
        """Candidate given source, source given candidate."""
        return f"{self.label}Forward", f"{self.label}Backward"

    def resources(self) -> dict[str, str]:
        """The alignment model."""
        return {"path": self.path}

    def compute(self, context: FeatureContext) -> FloatArray:
        """Every word may be aligned to any word of the other side or to none, with uniform probability."""
        parts = []
        for at in lexical_sentences(AlignmentModel.load(self.path), context):
            source, starts = len(at.null_backward), at.starts
            per_word = (at.forward.sum(axis=0) + at.null_forward) / (source + 1)
            forward = _sums(np.log(np.maximum(per_word, self.floor))[np.newaxis], starts)[0]
            lengths = np.diff(starts)
            per_source = (_sums(at.backward, starts) + at.null_backward[:, np.newaxis]) / (lengths + 1)
            backward = np.log(np.maximum(per_source, self.floor)).sum(axis=0)
            parts.append(np.stack([forward, backward], axis=1))
        return np.concatenate(parts)


def _sums(values: FloatArray, starts: npt.NDArray[np.int64]) -> FloatArray:
    """Sums over the words of each candidate (columns), for each row; an empty candidate has 0."""
    summed = np.concatenate([np.zeros((len(values), 1)), np.cumsum(values, axis=1)], axis=1)
    return np.asarray(summed[:, starts[1:]] - summed[:, starts[:-1]])
