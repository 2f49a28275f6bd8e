"""Train an alignment model: the loop over iterations and batches. The engine processes each batch."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.align.bitext import EncodedPairs
from isogloss.align.options import AlignOptions
from isogloss.io.errors import ConfigError
from isogloss.io.progress import Track, no_track

__all__ = [
    "TrainedParts",
    "count_of_cells",
    "fitting_table",
    "initial_parameters",
    "learn",
    "make_batches",
    "perplexities_of",
    "schedule_of",
    "usable_pairs",
]

_FEW = 16  # a batch has at least this many pairs, whatever their lengths
_BATCH_CELLS = 2_000_000
_BATCH_WORK = 400_000_000  # of HMM posteriors: words times words times words
_TABLE_WORK = 30_000_000
_BYTES_PER_ENTRY = 20  # a column, two probabilities, a count
_BYTES_PER_ENTRY_ASYMMETRIC = 28
_BYTES_PER_CELL = 4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrainedParts:
    """The result of training: position parameters, pruned lexical table and statistics."""

    parameters: _engine.AlignmentParameters
    row_offsets: npt.NDArray[np.uint64]
    columns: npt.NDArray[np.uint32]
    probabilities: npt.NDArray[np.float32]
    source_null: npt.NDArray[np.float32]
    target_null: npt.NDArray[np.float32]
    perplexities: list[tuple[float, float]]
    """Of both directions, before each pass."""


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

        def survey() -> npt.NDArray[np.uint64]:
            for _ in progress(_until(lambda: table.survey(_TABLE_WORK, threads)), "counting word pairs"):
                pass
            return table.levels

        keep_cells, level = fitting_table(table.cells, survey, pairs, options, memory_limit, warn)
        table.keep_cells(keep_cells)
        if level is not None:
            table.limit_level(level)
    for _ in progress(_until(lambda: table.build(_TABLE_WORK, threads)), "collecting word pairs"):
        pass
    trainer = _engine.AlignmentTrainer(
        table, initial_parameters(options), symmetric=options.symmetric_lexicon
    )
    if options.twin_prior > 0 and twins is not None:
        trainer.expect_twins(twins, options.twin_prior)
    log_likelihoods = _iterate(trainer, pairs, options, threads, progress)
    rows, columns, probabilities = trainer.lexicon(options.prune)
    return TrainedParts(
        parameters=trainer.parameters,
        row_offsets=rows,
        columns=columns,
        probabilities=probabilities,
        source_null=trainer.source_null,
        target_null=trainer.target_null,
        perplexities=perplexities_of(log_likelihoods, pairs, options.max_length),
    )


def _iterate(
    trainer: _engine.AlignmentTrainer,
    pairs: EncodedPairs,
    options: AlignOptions,
    threads: int,
    progress: Track,
) -> list[tuple[float, float]]:
    batches = make_batches(pairs, options.max_length)
    schedule = list(schedule_of(options))
    steps = [(step, batch) for step in range(len(schedule)) for batch in range(len(batches))]
    log_likelihoods = []
    for step, batch in progress(steps, "learning", len(steps)):
        kind, prior = schedule[step]
        if batch == 0:
            trainer.set_type(kind)
        trainer.expect(*batches[batch], threads)
        if batch == len(batches) - 1:
            log_likelihoods.append(
                trainer.maximize(lexical_prior=prior, jump_prior=options.jump_prior, threads=threads)
            )
    return log_likelihoods


def schedule_of(options: AlignOptions) -> Iterator[tuple[_engine.AlignmentModelType, float]]:
    """The model and the lexical prior of each pass."""
    kinds = _engine.AlignmentModelType
    yield from [(kinds.model1, 0.0)] * options.model1_iterations
    yield from [(kinds[options.model_type], options.lexical_prior)] * options.iterations


def initial_parameters(options: AlignOptions) -> _engine.AlignmentParameters:
    """Position parameters before the first pass."""
    parameters = _engine.AlignmentParameters()
    parameters.type = _engine.AlignmentModelType[options.model_type]
    parameters.null_probability = options.null_probability
    parameters.uniform_jump = options.uniform_jump
    parameters.lexical_floor = options.lexical_floor
    return parameters


def perplexities_of(
    log_likelihoods: Sequence[tuple[float, float]], pairs: EncodedPairs, max_length: int
) -> list[tuple[float, float]]:
    """Perplexities of both directions, from log likelihoods of all usable pairs."""
    usable = usable_pairs(pairs, max_length)
    words = (int(pairs.target_lengths[usable].sum()), int(pairs.source_lengths[usable].sum()))
    return [
        (_perplexity(forward, words[0]), _perplexity(backward, words[1]))
        for forward, backward in log_likelihoods
    ]


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


def count_of_cells(pairs: EncodedPairs, max_length: int) -> int:
    """Words times words, summed over all usable pairs."""
    usable = usable_pairs(pairs, max_length)
    return int(np.dot(pairs.source_lengths[usable], pairs.target_lengths[usable]))


def fitting_table(
    cells: int,
    survey: Callable[[], npt.NDArray[np.uint64]],
    pairs: EncodedPairs,
    options: AlignOptions,
    memory: int,
    warn: Callable[[str], None],
) -> tuple[bool, int | None]:
    """Which table fits into memory: whether the entry of every cell is kept, and the highest level of
    entries, if not all fit. ``survey`` counts entries by level."""
    per_entry = _BYTES_PER_ENTRY if options.symmetric_lexicon else _BYTES_PER_ENTRY_ASYMMETRIC
    # Memory for the corpus and its index, the interpreter, the posteriors of a batch, and a margin.
    room = memory - 12 * len(pairs.source) - 4 * len(pairs.target) - 24 * len(pairs) - (200 << 20)
    if cells * (per_entry + _BYTES_PER_CELL) <= room:
        return True, None
    sizes = np.cumsum(survey()) * per_entry
    if sizes[-1] + cells * _BYTES_PER_CELL <= room:
        return True, None
    if sizes[-1] <= room:
        return False, None
    level = int(np.searchsorted(sizes, room, side="right")) - 1
    if level < 1:
        needed = (memory - room + int(sizes[1])) / 2**30
        raise ConfigError(
            f"aligning these {len(pairs):,} sentence pairs needs at least {needed:.1f} GB of memory; "
            "raise memory_limit, or align parts of the corpus"
        )
    dropped = 1 - sizes[level] / sizes[-1]
    warn(
        f"to stay below the memory limit, {dropped:.0%} of the word pairs are left out: pairs seen only once "
        f"whose words both occur at least {2**level:,} times"
    )
    return False, level
