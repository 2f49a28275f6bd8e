"""Train and align a corpus in shards, on many machines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from isogloss.align.bitext import BitextEncoder, EncodedPairs
from isogloss.align.links import Alignments
from isogloss.align.model import AlignmentModel
from isogloss.align.options import AlignOptions, LinkOptions
from isogloss.align.sharded_training import learn_in_shards
from isogloss.align.shared_pairs import PairShard, share_pairs
from isogloss.io.executor import Executor, absolute
from isogloss.io.progress import Track, no_track
from isogloss.io.scratch import temporary_folder
from isogloss.io.shared_arrays import SharedPart, write_parts
from isogloss.io.streams import StrPath

__all__ = ["LinkShard", "align_in_shards", "link_shard"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkShard:
    """A shard, and the stored model to align it with."""

    pairs: PairShard
    model: str
    options: LinkOptions
    output: str


def link_shard(shard: LinkShard, threads: int) -> list[SharedPart]:
    """Align the pairs of a shard: links and offsets."""
    found = _opened(shard.model).align_encoded(shard.pairs.pairs(), shard.options, threads=threads)
    return write_parts(shard.output, found.links, found.offsets)


@lru_cache(maxsize=1)  # a worker aligns many shards
def _opened(model: str) -> AlignmentModel:
    return AlignmentModel.load(model)


def align_in_shards(
    pairs: EncodedPairs,
    encoder: BitextEncoder,
    training: AlignOptions,
    links: LinkOptions,
    *,
    executor: Executor,
    scratch: StrPath | None,
    memory_limit: int | None = None,
    progress: Track = no_track,
    warn: Callable[[str], None] = lambda message: None,
) -> tuple[AlignmentModel, Alignments]:
    """Train a model on sentence pairs and align them; the result does not depend on the executor.

    ``scratch`` is a folder that all workers share.
    """
    with temporary_folder(scratch, ".isogloss-align-") as folder:
        shards = share_pairs(pairs, training.max_length, folder)
        parts = learn_in_shards(
            pairs,
            shards,
            source_words=len(encoder.source),
            target_words=len(encoder.target),
            options=training,
            executor=executor,
            folder=folder,
            memory_limit=memory_limit,
            twins=encoder.twins(),
            progress=progress,
            warn=warn,
        )
        model = AlignmentModel.from_training(parts, encoder, training, len(pairs))
        stored = folder / "model"
        model.save(stored)
        work = (
            LinkShard(
                pairs=shard,
                model=absolute(stored),
                options=links,
                output=absolute(folder / f"links-{shard.number}"),
            )
            for shard in shards
        )
        return model, _joined([_read(found) for found in executor.map(link_shard, work, "aligning")])


def _read(parts: list[SharedPart]) -> Alignments:
    found = Alignments(*(part.read() for part in parts))
    Path(parts[0].path).unlink(missing_ok=True)
    return found


def _joined(parts: list[Alignments]) -> Alignments:
    before = np.cumsum([0, *(len(part.links) for part in parts)])
    return Alignments(
        np.concatenate([part.links for part in parts]),
        np.concatenate(
            [np.zeros(1, np.int64)]
            + [part.offsets[1:] + base for part, base in zip(parts, before, strict=False)]
        ),
    )
