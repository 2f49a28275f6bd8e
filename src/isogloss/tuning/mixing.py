"""Iterative parameter mixing (McDonald, Hall & Mann 2010): parts of the sentences learn apart in each pass.

After a pass, every part goes on from the mean of the weights of all parts. The result is the mean of the
averages of all parts. Parts depend on the sentences and the options alone, never on where they run. A part
keeps its own document, oracles and scales of dense features.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.decoder.decoder import Decoder
from isogloss.decoder.sentence import Source
from isogloss.features.name_log import NameLog
from isogloss.features.weights import SparseWeights
from isogloss.io.errors import ConfigError
from isogloss.io.executor import Executor, LocalExecutor, absolute
from isogloss.metric import References
from isogloss.metric.bleu import bleu_scores
from isogloss.metric.interface import FloatArray
from isogloss.storage.folder import ArrayFolder, open_folder, write_folder
from isogloss.tuning.job import TuningJob
from isogloss.tuning.online import (
    KIND,
    VERSION,
    MixedWeights,
    OnlineIteration,
    OnlineOptions,
    OnlineTrainer,
    TrainedWeights,
)
from isogloss.tuning.sharded_decoding import OpenDecoder, ShardedDecoder, opened

__all__ = ["Mixing", "PartPass", "PartResult", "pass_over_part"]

_STATE, _NAMES = "state", "names"
_MIXED_KIND, _MIXED_VERSION = "mixed-weights", 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PartPass:
    """One pass over one part of the sentences."""

    decoder: OpenDecoder
    sources: Sequence[Source]
    references: References
    start: Mapping[str, float]
    options: OnlineOptions
    work: str
    """Where to make a folder for the result."""
    before: str | None
    """Folder of this part after the pass before, if there was one."""
    mixed: str | None
    """Stored mean of the weights of all parts after the pass before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartResult:
    """What a pass over a part has made."""

    folder: str
    iteration: OnlineIteration


def pass_over_part(shard: PartPass, threads: int) -> PartResult:
    """Learn from the sentences of a part once. Every call has a folder of its own: two may run at a time."""
    # A cache of opened decoders must not keep that of a caller alive.
    decoder = shard.decoder.open() if isinstance(shard.decoder, _Here) else opened(shard.decoder)
    folder = Path(tempfile.mkdtemp(prefix="part.", dir=shard.work))
    names = None
    if decoder.sparse is not None:
        if shard.before is not None:
            shutil.copytree(Path(shard.before) / _NAMES, folder / _NAMES)
        names = NameLog(folder / _NAMES)
    trainer = OnlineTrainer(
        decoder,
        shard.sources,
        shard.references,
        shard.start,
        shard.options,
        name_log=names,
        threads=threads,
        resume=None if shard.before is None else Path(shard.before) / _STATE,
    )
    if shard.mixed is not None:
        trainer.take(_read_mixed(shard.mixed))
    found = trainer.iterate()
    trainer.save(folder / _STATE)
    return PartResult(folder=str(folder), iteration=found)


@dataclass(frozen=True, slots=True, eq=False)
class _Here:
    """The decoder of this process, for parts that do not travel."""

    decoder: Decoder

    def open(self) -> Decoder:
        return self.decoder


class Mixing:
    """Passes over all parts, with the state in a folder that all machines see."""

    def __init__(
        self,
        options: OnlineOptions,
        job: TuningJob,
        decoder: Decoder,
        start: Mapping[str, float],
        folder: Path,
        *,
        passed: int,
    ) -> None:
        parts = options.mixed_parts
        if parts > len(job.dev.sources):
            raise ConfigError(
                f"mixed_parts is {parts}, but there are only {len(job.dev.sources)} sentences to learn from"
            )
        self._options, self._decoder, self._start = options, decoder, dict(start)
        self._folder, self._passed = folder, passed
        self._dev = [job.dev.part(range(part, len(job.dev.sources), parts)) for part in range(parts)]
        self._opener: OpenDecoder = _Here(decoder)
        self._executor: Executor = LocalExecutor(threads=job.threads)
        if isinstance(job.elsewhere, ShardedDecoder):
            self._opener, self._executor = job.elsewhere.opener, job.elsewhere.executor

    def iterate(self) -> tuple[OnlineIteration, TrainedWeights]:
        """One pass over all parts, and the average so far."""
        before: list[str | None] = [None] * len(self._dev)
        mixed = None
        if self._passed:
            mixed = self._folder / f"mixed-{self._passed}"
            named = open_folder(mixed, kind=_MIXED_KIND, version=_MIXED_VERSION).attributes["parts"]
            before = [str(self._folder / name) for name in named]
        shards = [
            PartPass(
                decoder=self._opener,
                sources=dev.sources,
                references=dev.references,
                start=self._start,
                options=self._options,
                work=absolute(self._folder),
                before=None if old is None else absolute(old),
                mixed=None if mixed is None else absolute(mixed),
            )
            for dev, old in zip(self._dev, before, strict=True)
        ]
        done = list(self._executor.map(pass_over_part, shards, "learning from parts"))
        self._passed += 1
        folders = [Path(result.folder) for result in done]
        states = [open_folder(folder / _STATE, kind=KIND, version=VERSION) for folder in folders]
        _write_mixed(self._folder / f"mixed-{self._passed}", states, [folder.name for folder in folders])
        for old in self._folder.glob("part.*"):  # of the pass before, and second copies
            if old not in folders and str(old) not in before:
                shutil.rmtree(old, ignore_errors=True)
        rows = sum(state.arrays["best_now"].sum(axis=0, dtype=np.int64) for state in states)
        document = sum(state.arrays["document"].sum(axis=0, dtype=np.int64) for state in states)
        average = self._average(states, folders)
        return OnlineIteration(
            iteration=self._passed,
            score=_bleu(rows),
            oracle_score=_bleu(document),
            active_features=0 if average.sparse is None else len(average.sparse),
            collisions=[message for result in done for message in result.iteration.collisions],
            seconds=_summed([result.iteration.seconds for result in done]),
        ), average

    def _average(self, states: Sequence[ArrayFolder], folders: Sequence[Path]) -> TrainedWeights:
        """The mean, over parts, of the mean of a part's weights after every sentence."""
        dense = _mean(
            [state.arrays["dense_sum"] / _steps(state) / state.arrays["scales"] for state in states]
        )
        by_name = dict(zip(self._decoder.names, dense.tolist(), strict=True))
        if self._decoder.sparse is None:
            return TrainedWeights(by_name, None)
        features, weights, _ = _mean_by_feature(
            [(state, state.arrays["sums"] / _steps(state)) for state in states]
        )
        kept = np.flatnonzero(weights)
        named = _named(features[kept], weights[kept], folders)
        sparse = SparseWeights.from_numbers(*named, signature=self._decoder.sparse.signature)
        return TrainedWeights(by_name, sparse)


def _unscaled(state: ArrayFolder, dense: FloatArray) -> FloatArray:
    return np.asarray(dense / state.arrays["scales"])


def _steps(state: ArrayFolder) -> int:
    return max(1, int(state.attributes["steps"]))


def _bleu(statistics: npt.NDArray[np.int64]) -> float:
    return 100 * float(bleu_scores(np.asarray(statistics)[np.newaxis])[0])


def _summed(parts: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = {name: None for part in parts for name in part}
    return {name: sum(part.get(name, 0.0) for part in parts) for name in names}


def _mean(rows: Sequence[FloatArray]) -> FloatArray:
    return np.asarray(np.mean(np.array(rows), axis=0))


def _mean_by_feature(
    parts: Sequence[tuple[ArrayFolder, FloatArray]],
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32], npt.NDArray[np.uint32]]:
    """All features in ascending order, the mean of their values over all parts, and their checks."""
    numbers = np.concatenate([state.arrays["features"] for state, _ in parts])
    values = np.concatenate([value for _, value in parts])
    checks = np.concatenate([state.arrays["checks"] for state, _ in parts])
    features, first, place = np.unique(numbers, return_index=True, return_inverse=True)
    mean = np.bincount(place, values, len(features)) / len(parts)
    return features, mean.astype(np.float32), checks[first]


def _named(
    features: npt.NDArray[np.uint64], weights: npt.NDArray[np.float32], folders: Sequence[Path]
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32], npt.NDArray[np.uint8], npt.NDArray[np.uint64]]:
    """Features with their names. A feature has its name in the part in which it first got a weight."""
    rest = np.arange(len(features))
    order, texts, lengths = [], [], []
    for folder in folders:
        log = NameLog(folder / _NAMES)
        log.rewind(int(open_folder(folder / _STATE, kind=KIND, version=VERSION).attributes["names"]))
        here = np.isin(features[rest], log.features())
        text, ends = log.names_of(features[rest[here]])
        order.append(rest[here])
        texts.append(text)
        lengths.append(np.diff(ends, prepend=np.uint64(0)))
        rest = rest[~here]
    rows = np.concatenate(order)
    ends = np.cumsum(np.concatenate(lengths), dtype=np.uint64)
    return features[rows], weights[rows], np.concatenate(texts), ends


def _write_mixed(path: Path, states: Sequence[ArrayFolder], parts: Sequence[str]) -> None:
    features, weights, checks = _mean_by_feature(
        [(state, np.asarray(state.arrays["weights"], np.float64)) for state in states]
    )
    arrays: dict[str, npt.NDArray[Any]] = {
        "dense": _mean([_unscaled(state, state.arrays["dense"]) for state in states]),
        "features": features,
        "weights": weights,
        "checks": checks,
    }
    write_folder(
        path, kind=_MIXED_KIND, version=_MIXED_VERSION, arrays=arrays, attributes={"parts": list(parts)}
    )


def _read_mixed(path: str) -> MixedWeights:
    arrays = open_folder(path, kind=_MIXED_KIND, version=_MIXED_VERSION).arrays
    return MixedWeights(
        np.array(arrays["dense"]),
        np.array(arrays["features"]),
        np.array(arrays["weights"]),
        np.array(arrays["checks"]),
    )
