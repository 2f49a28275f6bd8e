"""The best translations of each sentence seen during training, with their features.

Features are stored as events: translations of a sentence share most of them, and one event, such as two
adjacent words, has a feature for every combination of token types.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.decoder.search_result import FeatureRows
from isogloss.metric.interface import FloatArray

__all__ = ["KeptOracle", "OracleMemory"]


@dataclass(frozen=True, slots=True, eq=False)
class KeptOracle:
    """A translation with everything needed for an update."""

    text: str
    statistics: npt.NDArray[np.int32]
    dense: FloatArray
    events: FeatureRows
    """One row of event ids in the pool of its sentence."""


class OracleMemory:
    """Up to ``size`` different translations per sentence."""

    def __init__(self, sentences: int, size: int) -> None:
        self.size = size
        self._oracles: list[list[KeptOracle]] = [[] for _ in range(sentences)]
        self._pools = [_engine.EventPool() for _ in range(sentences)]

    def of(self, sentence: int) -> list[KeptOracle]:
        """The oracles of a sentence, the best first."""
        return self._oracles[sentence]

    def pool(self, sentence: int) -> _engine.EventPool:
        """The events of its oracles, and others until ``tidy``."""
        return self._pools[sentence]

    def keep(self, sentence: int, oracles: list[KeptOracle]) -> None:
        """Replace the oracles of a sentence."""
        self._oracles[sentence] = oracles[: self.size]

    def tidy(self, sentence: int) -> None:
        """Drop events that no oracle has."""
        oracles = self._oracles[sentence]
        if not oracles:
            self._pools[sentence] = _engine.EventPool()
            return
        used = np.unique(np.concatenate([oracle.events.features for oracle in oracles]))
        numbers = self._pools[sentence].keep(used).astype(np.uint64)
        self._oracles[sentence] = [
            replace(oracle, events=replace(oracle.events, features=numbers[oracle.events.features]))
            for oracle in oracles
        ]

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The oracles as flat arrays, for storage."""
        flat = [oracle for oracles in self._oracles for oracle in oracles]
        events = FeatureRows.join([oracle.events for oracle in flat]) if flat else FeatureRows.empty()
        texts = "\n".join(oracle.text for oracle in flat)
        pools = [pool.arrays() for pool in self._pools]
        return {
            "oracle_counts": np.array([len(oracles) for oracles in self._oracles], np.int64),
            "oracle_texts": np.frombuffer(texts.encode(), np.uint8),
            "oracle_statistics": np.array([oracle.statistics for oracle in flat], np.int32),
            "oracle_dense": np.array([oracle.dense for oracle in flat], np.float64),
            "oracle_offsets": events.offsets,
            "oracle_events": events.features,
            "oracle_event_counts": events.counts,
            "pool_sizes": np.array([len(pool) for pool in self._pools], np.int64),
            "pool_keys": np.concatenate([keys for keys, _, _ in pools]),
            "pool_feature_counts": np.concatenate([np.diff(offsets) for _, offsets, _ in pools]),
            "pool_features": np.concatenate([features for _, _, features in pools]),
        }

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Restore from ``arrays``."""
        texts = arrays["oracle_texts"].tobytes().decode().split("\n")
        events = FeatureRows(
            np.asarray(arrays["oracle_offsets"], np.int64),
            np.asarray(arrays["oracle_events"], np.uint64),
            np.asarray(arrays["oracle_event_counts"], np.float32),
        )
        ends = np.cumsum(arrays["pool_sizes"])
        begins = np.concatenate([np.zeros(1, np.int64), np.cumsum(arrays["pool_feature_counts"])])
        at = 0
        for sentence, count in enumerate(arrays["oracle_counts"].tolist()):
            own = slice(ends[sentence] - arrays["pool_sizes"][sentence], ends[sentence])
            offsets = begins[own.start : own.stop + 1]
            self._pools[sentence] = _engine.EventPool(
                np.array(arrays["pool_keys"][own], np.uint64),
                offsets - offsets[0],
                np.array(arrays["pool_features"][offsets[0] : offsets[-1]], np.uint64),
            )
            numbers = events.features[events.offsets[at] : events.offsets[at + count]]
            if np.any(numbers >= len(self._pools[sentence])):
                raise ValueError("an oracle has an event that does not exist")
            self._oracles[sentence] = [
                KeptOracle(
                    texts[row],
                    np.array(arrays["oracle_statistics"][row], np.int32),
                    np.array(arrays["oracle_dense"][row], np.float64),
                    events.row(row),
                )
                for row in range(at, at + count)
            ]
            at += count
