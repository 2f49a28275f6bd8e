"""Decode a development set in shards of sentences, on many machines, for learners that use n-best lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol

from isogloss.decoder.decoder import Decoder
from isogloss.decoder.sentence import Source
from isogloss.io.executor import Executor, line_ranges
from isogloss.nbest.edit import concatenate
from isogloss.nbest.store import NbestStore

__all__ = ["DecodeShard", "OpenDecoder", "ShardedDecoder", "decode_shard", "elsewhere", "opened"]

_SENTENCES = 50  # of a shard: about a second of work


class OpenDecoder(Protocol):
    """Opens a decoder on a worker: a frozen object of plain values, so that it can travel and be compared."""

    def __hash__(self) -> int: ...

    def open(self) -> Decoder:
        """The decoder, from files that all nodes share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodeShard:
    """Some sentences, and what to decode them with."""

    decoder: OpenDecoder
    weights: Mapping[str, float]
    size: int
    first: int
    sources: Sequence[Source]


class ShardedDecoder:
    """An ``NbestDecoder`` whose sentences are decoded by an executor, with dense weights only."""

    def __init__(self, decoder: OpenDecoder, executor: Executor) -> None:
        self.opener, self.executor = decoder, executor

    def decode(self, sources: Sequence[Source], weights: Mapping[str, float], *, size: int) -> NbestStore:
        """The same list that one decoder would give."""
        shards = (
            DecodeShard(decoder=self.opener, weights=dict(weights), size=size, first=first, sources=some)
            for first, some in line_ranges(sources, _SENTENCES)
        )
        return concatenate(list(self.executor.map(decode_shard, shards, "decoding")))


def elsewhere(decoder: OpenDecoder, executor: Executor | None) -> ShardedDecoder | None:
    """The decoder on the executor's machines; None if they are this one."""
    return ShardedDecoder(decoder, executor) if executor is not None and executor.distributed else None


def decode_shard(shard: DecodeShard, threads: int) -> NbestStore:
    """The n-best lists of some sentences."""
    decoder = opened(shard.decoder)
    decoder.set_weights(dict(shard.weights))
    store = decoder.nbest(shard.sources, nbest=shard.size, threads=threads)
    return replace(store, sentence_ids=store.sentence_ids + shard.first)


# A worker has many shards. Models are mapped, so that the processes of a node share them.
@lru_cache(maxsize=2)
def opened(decoder: OpenDecoder) -> Decoder:
    """The decoder, opened once in this process."""
    return decoder.open()
