"""Train an alignment model in shards: the E-step for each shard of the corpus, the M-step for each range of
source words.

Lexical counts are whole numbers (fixed point), so their sums do not depend on shards. Position counts are
added up in the order of the corpus. The model is then the same to the byte as that of ``learn``.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.align.bitext import EncodedPairs
from isogloss.align.options import AlignOptions
from isogloss.align.sharded_em import (
    ExpectShard,
    MaximizeRange,
    PruneRange,
    StartRange,
    expect_shard,
    maximize_range,
    plain_parameters,
    prune_range,
    start_range,
)
from isogloss.align.sharded_table import (
    LEVELS,
    CollectShard,
    MergeRange,
    collect_shard,
    merge_range,
    offsets_of,
    word_ranges,
)
from isogloss.align.shared_pairs import PairShard
from isogloss.align.train import (
    TrainedParts,
    count_of_cells,
    fitting_table,
    initial_parameters,
    perplexities_of,
    schedule_of,
)
from isogloss.io.executor import Executor, absolute
from isogloss.io.progress import Track, no_track
from isogloss.io.shared_arrays import join_parts, write_parts

__all__ = ["learn_in_shards"]

Numbers = npt.NDArray[np.int64]


def learn_in_shards(
    pairs: EncodedPairs,
    shards: Sequence[PairShard],
    *,
    source_words: int,
    target_words: int,
    options: AlignOptions,
    executor: Executor,
    folder: Path,
    memory_limit: int | None = None,
    twins: npt.NDArray[np.uint32] | None = None,
    progress: Track = no_track,
    warn: Callable[[str], None] = lambda message: None,
) -> TrainedParts:
    """Train on the shards of sentence pairs; the result is that of ``learn``. ``folder`` is shared."""
    work = _Work(pairs, shards, source_words, target_words, options, executor, folder, twins)
    work.collect()
    work.merge(memory_limit, warn)
    log_likelihoods = [
        work.iterate(*step) for step in progress(list(schedule_of(options)), "learning", options.rounds)
    ]
    rows, columns, probabilities = work.lexicon()
    source_null, target_null = work.nulls
    return TrainedParts(
        parameters=work.positions.parameters,
        row_offsets=rows,
        columns=columns,
        probabilities=probabilities,
        source_null=source_null,
        target_null=target_null,
        perplexities=perplexities_of(log_likelihoods, pairs, options.max_length),
    )


class _Work:
    """Training under way."""

    def __init__(
        self,
        pairs: EncodedPairs,
        shards: Sequence[PairShard],
        source_words: int,
        target_words: int,
        options: AlignOptions,
        executor: Executor,
        folder: Path,
        twins: npt.NDArray[np.uint32] | None,
    ) -> None:
        self.pairs, self.shards, self.options = pairs, shards, options
        self.executor, self.folder = executor, folder
        self.words = source_words, target_words
        self.ranges = word_ranges(pairs, source_words, target_words, options.max_length, len(shards))
        self.twins = np.full(source_words, _engine.NO_WORD, np.uint32)
        twin_prior = 0.0
        if options.twin_prior > 0 and twins is not None:
            self.twins, twin_prior = twins, options.twin_prior
        self.most = float(max(len(pairs.source), len(pairs.target))) + twin_prior
        self.twin_count = _engine.fixed_count(twin_prior, most=self.most)
        # Position parameters are learned here, by a trainer without pairs of its own.
        empty = _engine.Cooccurrence(
            pairs[:0].bitext(), source_words=0, target_words=0, max_length=options.max_length
        )
        empty.build(1, 1)
        self.positions = _engine.AlignmentTrainer(
            empty, initial_parameters(options), symmetric=options.symmetric_lexicon
        )
        self.passed = 0

    @cached_property
    def frequencies(self) -> tuple[Numbers, Numbers]:
        """Occurrences of source and target words."""
        sides = zip((self.pairs.source, self.pairs.target), self.words, strict=True)
        source, target = (np.bincount(words, minlength=count) for words, count in sides)
        return source, target

    @property
    def nulls(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Probability of each word under the empty word."""
        source, target = ((count / max(count.sum(), 1)).astype(np.float32) for count in self.frequencies)
        return source, target

    def collect(self) -> None:
        """Collect the word pairs of every shard."""
        parts = (
            CollectShard(
                pairs=shard,
                source_words=self.words[0],
                target_words=self.words[1],
                max_length=self.options.max_length,
                ranges=self.ranges,
                output=self._name(f"table-{shard.number}"),
            )
            for shard in self.shards
        )
        self.tables = list(self.executor.map(collect_shard, parts, "collecting word pairs"))

    def merge(self, memory_limit: int | None, warn: Callable[[str], None]) -> None:
        """Merge them by ranges, and drop rare ones if memory is limited as it would be on one machine."""
        self._merge(LEVELS)
        if memory_limit is not None:
            _, level = fitting_table(
                count_of_cells(self.pairs, self.options.max_length),
                lambda: np.sum([table.levels for table in self.merged], axis=0),
                self.pairs,
                self.options,
                memory_limit,
                warn,
            )
            if level is not None:
                self._merge(level)
        sizes = np.zeros(self.words[1], np.uint32)
        self.twin_sums = np.zeros(self.words[1], np.int64)
        for table in self.merged:
            sizes += table.column_sizes.read()
            self.twin_sums[table.columns.read()[table.twins.read()]] += self.twin_count
        self.column_sizes = sizes
        (shared,) = write_parts(self._name("column-sizes"), sizes)
        starts = (
            StartRange(table=table, column_sizes=shared, output=self._name(f"start-{number}"))
            for number, table in enumerate(self.merged)
        )
        self.probabilities = list(self.executor.map(start_range, starts, "starting"))
        self.shared_nulls = write_parts(self._name("nulls"), *self.nulls)

    def _merge(self, level: int) -> None:
        source, target = self.frequencies
        (shared,) = write_parts(self._name("target-frequency"), target)
        cuts = self.ranges[1:-1]
        frequencies = write_parts(self._name("source-frequency"), *np.split(source, cuts))
        twins = write_parts(self._name("twins"), *np.split(self.twins, cuts))
        parts = (
            MergeRange(
                row_sizes=[table.row_sizes[number] for table in self.tables],
                columns=[table.columns[number] for table in self.tables],
                together=[table.together[number] for table in self.tables],
                source_frequency=frequencies[number],
                target_frequency=shared,
                twins=twins[number],
                level=level,
                output=self._name(f"range-{number}"),
            )
            for number in range(len(self.ranges) - 1)
        )
        self.merged = list(self.executor.map(merge_range, parts, "merging word pairs"))

    def iterate(self, kind: _engine.AlignmentModelType, prior: float) -> tuple[float, float]:
        """One pass of EM; the log likelihood of both directions before it."""
        self.passed += 1
        work = self.folder / f"pass-{self.passed}"
        work.mkdir()
        self.positions.set_type(kind)
        expected = list(self.executor.map(expect_shard, self._expectations(work), "expected counts"))
        sums = self.twin_sums.copy()
        for found in expected:
            self.positions.add_positions(found.positions)
            self.positions.add_masses(*found.masses)
            sums += found.column_sums.read()
        factors = _engine.column_factors(sums, self.column_sizes, most=self.most, prior=prior)
        (shared,) = write_parts(work / "factors", factors)
        before = self.probabilities
        ranges = (
            MaximizeRange(
                table=table,
                counts=[
                    [found.counts[d][number] for found in expected]
                    for d in range(1 if self.options.symmetric_lexicon else 2)
                ],
                factors=shared,
                twin_count=self.twin_count,
                most=self.most,
                prior=prior,
                output=self._name(f"probabilities-{self.passed}-{number}"),
            )
            for number, table in enumerate(self.merged)
        )
        self.probabilities = list(self.executor.map(maximize_range, ranges, "lexical probabilities"))
        shutil.rmtree(work, ignore_errors=True)
        for part in before:
            Path(part.path).unlink(missing_ok=True)
        return self.positions.maximize(lexical_prior=prior, jump_prior=self.options.jump_prior, threads=1)

    def _expectations(self, work: Path) -> Iterator[ExpectShard]:
        for shard, table in zip(self.shards, self.tables, strict=True):
            yield ExpectShard(
                pairs=shard,
                table=table,
                index=[merged.index[shard.number] for merged in self.merged],
                probabilities=self.probabilities,
                nulls=self.shared_nulls,
                parameters=plain_parameters(self.positions.parameters),
                symmetric=self.options.symmetric_lexicon,
                max_length=self.options.max_length,
                most=self.most,
                output=absolute(work / str(shard.number)),
            )

    def lexicon(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32], npt.NDArray[np.float32]]:
        """The entries worth keeping: row offsets, columns, probabilities."""
        parts = (
            PruneRange(
                table=table,
                probabilities=probabilities,
                threshold=self.options.prune,
                output=self._name(f"pruned-{number}"),
            )
            for number, (table, probabilities) in enumerate(zip(self.merged, self.probabilities, strict=True))
        )
        kept = list(self.executor.map(prune_range, parts, "pruning"))
        sizes, columns, probabilities = (join_parts(column) for column in zip(*kept, strict=True))
        return offsets_of(sizes), columns, probabilities

    def _name(self, name: str) -> str:
        return absolute(self.folder / name)
