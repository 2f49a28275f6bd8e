"""The best translations of each sentence that training has seen so far, with their features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.metric.interface import FloatArray
from isogloss.search.searched import FeatureRows

__all__ = ["Oracle", "OracleMemory"]


@dataclass(frozen=True, slots=True, eq=False)
class Oracle:
    """A translation with all that an update needs to know of it."""

    text: str
    statistics: npt.NDArray[np.int32]
    dense: FloatArray
    sparse: FeatureRows
    """One row."""


class OracleMemory:
    """Up to ``size`` different translations per sentence."""

    def __init__(self, sentences: int, size: int) -> None:
        self.size = size
        self._oracles: list[list[Oracle]] = [[] for _ in range(sentences)]

    def of(self, sentence: int) -> list[Oracle]:
        """The oracles of a sentence, the best first."""
        return self._oracles[sentence]

    def keep(self, sentence: int, oracles: list[Oracle]) -> None:
        """Remember these instead of those of before."""
        self._oracles[sentence] = oracles[: self.size]

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All of it as flat arrays, to be stored."""
        flat = [oracle for oracles in self._oracles for oracle in oracles]
        sparse = FeatureRows.join([oracle.sparse for oracle in flat]) if flat else FeatureRows.empty()
        texts = "\n".join(oracle.text for oracle in flat)
        return {
            "oracle_counts": np.array([len(oracles) for oracles in self._oracles], np.int64),
            "oracle_texts": np.frombuffer(texts.encode(), np.uint8),
            "oracle_statistics": np.array([oracle.statistics for oracle in flat], np.int32),
            "oracle_dense": np.array([oracle.dense for oracle in flat], np.float64),
            "oracle_offsets": sparse.offsets,
            "oracle_features": sparse.features,
            "oracle_feature_counts": sparse.counts,
        }

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take up where ``arrays`` left off."""
        texts = arrays["oracle_texts"].tobytes().decode().split("\n")
        sparse = FeatureRows(
            np.asarray(arrays["oracle_offsets"], np.int64),
            np.asarray(arrays["oracle_features"], np.uint64),
            np.asarray(arrays["oracle_feature_counts"], np.float32),
        )
        at = 0
        for sentence, count in enumerate(arrays["oracle_counts"].tolist()):
            self._oracles[sentence] = [
                Oracle(
                    texts[row],
                    np.array(arrays["oracle_statistics"][row], np.int32),
                    np.array(arrays["oracle_dense"][row], np.float64),
                    sparse.row(row),
                )
                for row in range(at, at + count)
            ]
            at += count
