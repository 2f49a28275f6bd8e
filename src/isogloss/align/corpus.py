"""Aligning a whole corpus in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.align.bitext import BitextEncoder, EncodedPairs, Pair
from isogloss.align.eflomal import align_with_eflomal
from isogloss.align.gold import AlignmentScores
from isogloss.align.links import Alignments
from isogloss.align.model import AlignmentModel
from isogloss.align.options import AlignOptions, Backend, LinkOptions
from isogloss.align.sharded_links import align_in_shards
from isogloss.align.train import usable_pairs
from isogloss.io.errors import DataFormatError
from isogloss.io.executor import Executor
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath

__all__ = ["CorpusAlignment", "align_corpus"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusAlignment:
    """The links of a corpus and the model that made them."""

    alignments: Alignments
    model: AlignmentModel | None
    """The alignment model, trained or given; None if another aligner was used."""
    source_lengths: npt.NDArray[np.int64]
    target_lengths: npt.NDArray[np.int64]
    empty: int
    """Number of pairs with an empty side; they have no links."""
    too_long: tuple[int, ...]
    """Numbers, from 1, of the pairs that were too long and have no links."""
    scores: AlignmentScores | None = None
    """Scores against gold links; None if there are none."""

    @property
    def links_per_word(self) -> float:
        """Links per target word."""
        return len(self.alignments.links) / max(int(self.target_lengths.sum()), 1)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, without the links themselves."""
        return {
            "pairs": len(self.alignments),
            "links": len(self.alignments.links),
            "empty": self.empty,
            "too_long": len(self.too_long),
            "model": None if self.model is None else self.model.made_with,
            "scores": None if self.scores is None else asdict(self.scores),
        }


def align_corpus(
    pairs: Iterable[Pair],
    *,
    training: AlignOptions | None = None,
    links: LinkOptions | None = None,
    extra: Iterable[Pair] = (),
    model: AlignmentModel | None = None,
    backend: Backend = "isogloss",
    threads: int = 1,
    memory_limit: int | None = None,
    origin: StrPath = "the corpus",
    progress: Track = no_track,
    warn: Callable[[str], None] = lambda message: None,
    executor: Executor | None = None,
    scratch: StrPath | None = None,
) -> CorpusAlignment:
    """Align sentence pairs with a model trained on them and on ``extra`` pairs, or with a given model.

    ``origin`` is the name of the corpus in messages. The result does not depend on ``threads``, nor on a
    distributed ``executor`` that trains on many machines, which must share the folder ``scratch``.
    """
    training = training or AlignOptions()
    links = links or LinkOptions()
    if model is not None:
        encoded = model.encoder.apply(progress(pairs, "reading"))
        found = model.align_encoded(encoded, links, threads=threads, progress=progress)
        return _result(encoded, found, model, links)
    encoder = BitextEncoder(lowercase=training.lowercase)
    more = 0

    def counted(items: Iterable[Pair]) -> Iterable[Pair]:
        nonlocal more
        for item in items:
            more += 1
            yield item

    both = encoder.learn(progress(chain(counted(extra), pairs), "reading"))
    _check_usable(both, training.max_length, origin)
    if backend == "eflomal":
        found = align_with_eflomal(both, links)
    elif executor is not None and executor.distributed:
        model, found = align_in_shards(
            both,
            encoder,
            training,
            links,
            executor=executor,
            scratch=scratch,
            memory_limit=memory_limit,
            progress=progress,
            warn=warn,
        )
    else:
        model = AlignmentModel.train_encoded(
            both, encoder, training, threads=threads, memory_limit=memory_limit, progress=progress, warn=warn
        )
        found = model.align_encoded(both, links, threads=threads, progress=progress)
    return _result(both[more:], found[more:], model, links)


def _result(
    pairs: EncodedPairs, found: Alignments, model: AlignmentModel | None, links: LinkOptions
) -> CorpusAlignment:
    source_lengths, target_lengths = pairs.source_lengths, pairs.target_lengths
    empty = (source_lengths == 0) | (target_lengths == 0)
    too_long = np.flatnonzero(~empty & ~usable_pairs(pairs, links.max_length)) + 1
    return CorpusAlignment(
        alignments=found,
        model=model,
        source_lengths=source_lengths,
        target_lengths=target_lengths,
        empty=int(empty.sum()),
        too_long=tuple(too_long.tolist()),
    )


def _check_usable(pairs: EncodedPairs, max_length: int, origin: StrPath) -> None:
    if len(pairs) == 0:
        raise DataFormatError("there are no sentence pairs", origin, hint="the file is empty")
    if not usable_pairs(pairs, max_length).any():
        raise DataFormatError(
            f"none of the {len(pairs):,} sentence pairs can be used: each has an empty side or more than "
            f"{max_length} words",
            origin,
            hint="is there one sentence per line?",
        )
