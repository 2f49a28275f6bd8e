"""Tune some dense features of a decoder by batch MIRA; all others have weight 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from isogloss.decoder.decoder import Decoder
from isogloss.decoder.sentence import Source
from isogloss.metric import References
from isogloss.nbest.store import NbestStore
from isogloss.tuning import TuneOptions, tune

__all__ = ["tuned_scores"]


@dataclass(frozen=True, slots=True)
class _OnlyScores:
    """A decoder whose lists have no other dense features."""

    decoder: Decoder
    names: tuple[str, ...]
    threads: int

    def decode(self, sources: Sequence[Source], weights: Mapping[str, float], *, size: int) -> NbestStore:
        """Translations with these weights."""
        self.decoder.set_weights({**dict.fromkeys(self.decoder.names, 0.0), **weights})
        found = self.decoder.nbest(sources, nbest=size, threads=self.threads)
        groups = tuple(group for group in found.dense_groups if group.name in self.names)
        columns = [column for group in groups for column in found.columns_of(group.name)]
        return replace(found, dense_groups=groups, dense=found.dense[:, columns], sparse=None)


def tuned_scores(
    decoder: Decoder,
    sources: Sequence[Source],
    references: References,
    start: Mapping[str, float],
    *,
    iterations: int,
    seed: int,
    work: Path,
    threads: int = 1,
) -> dict[str, float]:
    """Weights of the features in ``start``, which have the sum of absolute values that they begin with.

    Batch MIRA finds weights of any size, and a step of learning assumes the usual one.
    """
    only = _OnlyScores(decoder, tuple(start), threads)
    options = TuneOptions(method="batch-mira", iterations=iterations, seed=seed)
    found = tune(only, sources, references, options, start=start, threads=threads, work=work).dense
    size = sum(map(abs, start.values())) / (sum(abs(found[name]) for name in start) or 1.0)
    return {name: size * found[name] for name in start}
