"""Train an alignment model: the loop over iterations and batches. The engine processes each batch."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.align.bitext import EncodedPairs
from isogloss.align.options import AlignOptions
from isogloss.io.errors import ConfigError
from isogloss.io.progress import Track, no_track

__all__ = ["TrainedParts", "learn", "make_batches", "usable_pairs"]

T = TypeVar("T")

_FEW = 16  # a batch has at least this many pairs, whatever their lengths
_BATCH_CELLS = 2_000_000
_BATCH_WORK = 400_000_000  # of HMM posteriors: words times words times words
_TABLE_WORK = 30_000_000
_BYTES_PER_ENTRY = 20  # a column, two probabilities, a count
_BYTES_PER_ENTRY_ASYMMETRIC = 28
_BYTES_PER_CELL = 4


class TrainedParts:
    """The result of training: position parameters, pruned lexical table and statistics."""

    def __init__(
        self, trainer: _engine.AlignmentTrainer, prune: float, perplexities: list[tuple[float, float]]
    ):
        self.parameters = trainer.parameters
        self.row_offsets, self.columns, self.probabilities = trainer.lexicon(prune)
        self.source_null, self.target_null = trainer.source_null, trainer.target_null
        self.perplexities = perplexities


def learn(
    pairs: EncodedPairs,
    *,
    source_words: int,
    target_words: int,
    options: AlignOptions,
    threads: int = 1,
    memory_limit: int | None = None,
    twins: npt.NDArray[np.uint32] | None = None,
    progress: Track = no_track,
    warn: Callable[[str], None] = lambda message: None,
) -> TrainedParts:
    """Train on sentence pairs; the result does not depend on the number of threads.

    ``memory_limit`` bounds the tables, in bytes: word pairs seen only once are left out, those of frequent
    words first, until the rest fits.
    """
    table = _engine.Cooccurrence(
        pairs.bitext(), source_words=source_words, target_words=target_words, max_length=options.max_length
    )
    if memory_limit is not None:
        _fit_memory(table, pairs, options, memory_limit, threads, progress, warn)
    for _ in progress(_until(lambda: table.build(_TABLE_WORK, threads)), "collecting word pairs"):
        pass
    trainer = _engine.AlignmentTrainer(table, _parameters(options), symmetric=options.symmetric_lexicon)
    if options.twin_prior > 0 and twins is not None:
        trainer.expect_twins(twins, options.twin_prior)
    perplexities = _iterate(trainer, pairs, options, threads, progress)
    return TrainedParts(trainer, options.prune, perplexities)


def _iterate(
    trainer: _engine.AlignmentTrainer,
    pairs: EncodedPairs,
    options: AlignOptions,
    threads: int,
    progress: Track,
) -> list[tuple[float, float]]:
    batches = make_batches(pairs, options.max_length)
    schedule = list(_schedule(options))
    usable = usable_pairs(pairs, options.max_length)
    words = (int(pairs.target_lengths[usable].sum()), int(pairs.source_lengths[usable].sum()))
    steps = [(step, batch) for step in range(len(schedule)) for batch in range(len(batches))]
    perplexities = []
    for step, batch in progress(steps, "learning", len(steps)):
        kind, prior = schedule[step]
        if batch == 0:
            trainer.set_type(kind)
        trainer.expect(*batches[batch], threads)
        if batch == len(batches) - 1:
            both = trainer.maximize(lexical_prior=prior, jump_prior=options.jump_prior, threads=threads)
            perplexities.append((_perplexity(both[0], words[0]), _perplexity(both[1], words[1])))
    return perplexities


def _schedule(options: AlignOptions) -> Iterator[tuple[_engine.AlignmentModelType, float]]:
    kinds = _engine.AlignmentModelType
    yield from [(kinds.model1, 0.0)] * options.model1_iterations
    yield from [(kinds[options.model_type], options.lexical_prior)] * options.iterations


def _parameters(options: AlignOptions) -> _engine.AlignmentParameters:
    parameters = _engine.AlignmentParameters()
    parameters.type = _engine.AlignmentModelType[options.model_type]
    parameters.null_probability = options.null_probability
    parameters.uniform_jump = options.uniform_jump
    parameters.lexical_floor = options.lexical_floor
    return parameters


def _perplexity(log_likelihood: float, words: int) -> float:
    return float(np.exp(-log_likelihood / max(words, 1)))


def usable_pairs(pairs: EncodedPairs, max_length: int) -> npt.NDArray[np.bool_]:
    """Which pairs have words on both sides and are not too long."""
    shorter = np.minimum(pairs.source_lengths, pairs.target_lengths)
    longer = np.maximum(pairs.source_lengths, pairs.target_lengths)
    return (shorter > 0) & (longer <= max_length)


def make_batches(pairs: EncodedPairs, max_length: int) -> list[tuple[int, int]]:
    """Ranges of pairs that take about equal time, a fraction of a second each."""
    if len(pairs) <= _FEW:
        return [(0, len(pairs))] if len(pairs) else []
    usable = usable_pairs(pairs, max_length)
    rows = np.where(usable, pairs.source_lengths, 0).astype(np.float64)
    columns = np.where(usable, pairs.target_lengths, 0)
    cells = rows * columns
    load = np.cumsum(cells / _BATCH_CELLS + cells * (rows + columns) / _BATCH_WORK + 1e-5)
    cuts = np.searchsorted(load, np.arange(1, int(load[-1]) + 1)) + 1
    return list(itertools.pairwise(sorted({0, *cuts.tolist(), len(pairs)})))


def _until(finished: Callable[[], bool]) -> Iterator[int]:
    step = 0
    while not finished():
        step += 1
        yield step


def _fit_memory(
    table: _engine.Cooccurrence,
    pairs: EncodedPairs,
    options: AlignOptions,
    memory: int,
    threads: int,
    progress: Track,
    warn: Callable[[str], None],
) -> None:
    per_entry = _BYTES_PER_ENTRY if options.symmetric_lexicon else _BYTES_PER_ENTRY_ASYMMETRIC
    # Memory for the corpus and its index, the interpreter, the posteriors of a batch, and a margin.
    room = memory - 12 * len(pairs.source) - 4 * len(pairs.target) - 24 * len(pairs) - (200 << 20)
    cells = table.cells * _BYTES_PER_CELL
    if table.cells * per_entry + cells <= room:
        return
    for _ in progress(_until(lambda: table.survey(_TABLE_WORK, threads)), "counting word pairs"):
        pass
    sizes = np.cumsum(table.levels) * per_entry
    if sizes[-1] + cells <= room:
        return
    table.keep_cells(False)
    if sizes[-1] <= room:
        return
    level = int(np.searchsorted(sizes, room, side="right")) - 1
    if level < 1:
        needed = (memory - room + int(sizes[1])) / 2**30
        raise ConfigError(
            f"aligning these {len(pairs):,} sentence pairs needs at least {needed:.1f} GB of memory; "
            "raise memory_limit, or align parts of the corpus"
        )
    table.limit_level(level)
    dropped = 1 - sizes[level] / sizes[-1]
    warn(
        f"to stay below the memory limit, {dropped:.0%} of the word pairs are left out: pairs seen only once "
        f"whose words both occur at least {2**level:,} times"
    )
