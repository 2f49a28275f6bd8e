"""Decoders for relevant-set training: black boxes that return sequences with features.

A sequence is a derivation with its words, quality and features. For our decoder, it is a sequence of blocks
or hierarchical rules; for an external decoder, a candidate of its lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.decoder.decoder import Decoder
from isogloss.decoder.external import NbestDecoder
from isogloss.decoder.search_result import FeatureRows, Searched
from isogloss.decoder.sentence import Source
from isogloss.features.block import IDENTITY_TEMPLATES
from isogloss.io.errors import ConfigError, ModelFormatError
from isogloss.io.progress import Track, no_track
from isogloss.metric import References
from isogloss.metric.bleu import SENTENCE_BLEU, bleu_scores
from isogloss.metric.interface import FloatArray
from isogloss.nbest.edit import concatenate
from isogloss.nbest.statistics import BatchStatistics
from isogloss.nbest.store import NbestStore

__all__ = [
    "EVERYTHING",
    "ListSequences",
    "RealFeature",
    "SearchSequences",
    "SequenceDecoder",
    "SequenceWeights",
    "Sequences",
]

UInt64 = npt.NDArray[np.uint64]
SentenceNumbers = npt.NDArray[np.int64]
NameArrays = tuple[UInt64, npt.NDArray[np.uint8], UInt64]

EVERYTHING = 10_000
"""Maximum number of sequences of a sentence for exhaustive search."""
_BATCH = 200  # sentences whose searches are in memory at a time
_SAMPLE, _SAMPLE_LIST = 200, 100  # sentences and candidates for scaling real-valued features
_FULL = 0.5  # load factor of the weight table
_ROWS = ("row_offsets", "row_features", "row_counts", "row_qualities")


class RealFeature(NamedTuple):
    """A dense feature that is learned in addition to the sparse ones."""

    name: str
    start: float
    """Initial weight of the unscaled feature."""
    scale: float
    """Its typical difference between sequences of a sentence. Values are divided by it during learning."""


@dataclass(frozen=True, slots=True)
class SequenceWeights:
    """Weights to decode with."""

    real: dict[str, float]
    """Weights of real-valued features, by name."""
    features: UInt64
    """Sorted ids of sparse features."""
    values: npt.NDArray[np.float32]
    """Their weights."""

    def table(self) -> _engine.StoredWeights:
        """The weights of sparse features as the search reads them."""
        slots = int(len(self.features) / _FULL) + 1
        return _engine.StoredWeights(_engine.fill_weight_table(self.features, self.values, slots))

    def plus(self, more: Mapping[str, float]) -> SequenceWeights:
        """With more weights of sparse features, by name, added."""
        added = np.fromiter(more.values(), np.float64, len(more))
        numbers = np.concatenate([self.features, _engine.feature_numbers(list(more))])
        found, place = np.unique(numbers, return_inverse=True)
        summed = np.bincount(place, np.concatenate([self.values.astype(np.float64), added]), len(found))
        return SequenceWeights(self.real, found, summed.astype(np.float32))


@dataclass(frozen=True, slots=True, eq=False)
class Sequences:
    """Sequences of some sentences, sorted by sentence, with everything needed for learning."""

    store: NbestStore
    """Their words and dense features; sentences are numbered as in the training text."""
    rows: FeatureRows
    qualities: FloatArray
    """Sentence BLEU, between 0 and 1."""
    names: Callable[[UInt64], NameArrays]
    """Ids and names of some features that occur here."""

    def select(self, chosen: Sequence[int] | npt.NDArray[np.int64]) -> Sequences:
        """A selection of the sequences, in order."""
        rows = np.asarray(chosen, np.int64)
        parts = [self.rows.row(row) for row in rows.tolist()]
        joined = FeatureRows.join(parts) if parts else FeatureRows.empty()
        return Sequences(self.store.select(rows), joined, self.qualities[rows], self.names)

    def sentences(self) -> npt.NDArray[np.uint32]:
        """The sentence of each row."""
        return self.store.sentence_ids[self.store.sentence_of_row()].astype(np.uint32)

    @classmethod
    def join(cls, parts: Sequence[Sequences]) -> Sequences:
        """Concatenate sequences of consecutive sentences."""
        return cls(
            concatenate([part.store for part in parts]),
            FeatureRows.join([part.rows for part in parts]),
            np.concatenate([part.qualities for part in parts]),
            parts[0].names,
        )

    def save(self, path: str) -> None:
        """Store them as an n-best list with features and qualities."""
        stored = self.store.save(path)
        rows = self.rows
        arrays: tuple[npt.NDArray[Any], ...] = (rows.offsets, rows.features, rows.counts, self.qualities)
        for name, array in zip(_ROWS, arrays, strict=True):
            stored.keep(name, array)

    @classmethod
    def open(cls, path: str) -> Sequences:
        """Open stored sequences; feature names are not stored."""
        stored = NbestStore.open(path)
        arrays = [stored.cached(name) for name in _ROWS]
        if any(array is None for array in arrays):
            raise ModelFormatError("is not a list of sequences with features", path)
        offsets, features, counts, qualities = (np.array(array) for array in arrays)
        if len(offsets) != stored.num_candidates + 1 or len(qualities) != stored.num_candidates:
            raise ModelFormatError("the features of the sequences do not match the list", path)
        return cls(stored, FeatureRows(offsets, features, counts), qualities, _no_names)


def _no_names(wanted: UInt64) -> NameArrays:
    return np.zeros(0, np.uint64), np.zeros(0, np.uint8), np.zeros(0, np.uint64)


class SequenceDecoder(Protocol):
    """The interface that relevant-set training needs. Sentences are numbered from 0."""

    @property
    def size(self) -> int:
        """Number of sentences."""

    @property
    def real(self) -> Sequence[RealFeature]:
        """Real-valued features that are learned."""

    def begin(self, track: Track) -> Iterator[Sequences]:
        """Initial alternatives; may be empty."""

    def truths(self, count: int, track: Track) -> Iterator[Sequences]:
        """The ``count`` sequences of the highest quality of every sentence, as far as they can be found."""

    def decode(
        self,
        weights: SequenceWeights,
        sentences: SentenceNumbers,
        *,
        nbest: int,
        distinct: bool,
        track: Track,
    ) -> Iterator[Sequences]:
        """The best sequences of some sentences, best first; unless ``distinct``, they may have the same
        words."""


class SearchSequences:
    """Our own decoder with its sparse features and any search: blocks, phrases or hierarchical rules.

    Dense features are used only if named in ``real``, starting from the decoder's weights; the others have
    weight 0. With real features, truths are the best of the ``truth_list`` sequences that these weights
    prefer: the sequences with the highest BLEU are out of reach for such a model, and weights that try to
    reach them are worse than the initial ones.

    With ``force``, a truth found by oracle search gets the derivation that the decoder's weights prefer;
    otherwise it is arbitrary.

    ``unseen`` are decoders with the same features for consecutive folds of the sentences, each made without
    the sentences of its fold. Without them, ``decoder`` itself decodes all sentences.
    """

    def __init__(
        self,
        decoder: Decoder,
        sources: Sequence[Source],
        references: References,
        *,
        real: Sequence[str] = (),
        truth_list: int = 0,
        force: bool = False,
        unseen: Sequence[Decoder] = (),
        threads: int = 1,
    ) -> None:
        if decoder.sparse is None:
            raise ConfigError("relevant-set training needs a system with sparse features")
        if len(sources) != len(references):
            raise ConfigError(f"{len(sources):,} source sentences but references for {len(references):,}")
        strange = sorted(set(real) - set(decoder.names))
        if strange:
            raise ConfigError(
                f"no dense feature is called '{strange[0]}'; known are {', '.join(decoder.names)}"
            )
        self._decoder, self._sources, self._threads = decoder, list(sources), threads
        self._folds = list(unseen) or [decoder]
        parts = np.array_split(np.arange(len(self._sources)), len(self._folds))
        self._fold_ends = np.cumsum([len(part) for part in parts])
        self._references = references
        self._statistics = BatchStatistics(references)
        self._templates = [
            position
            for position, name in enumerate(decoder.sparse.options.templates)
            if name in IDENTITY_TEMPLATES
        ]
        self._force, self._start = force, dict(decoder.weights)
        start = self._start
        found = self._scales(real, start)
        self._real = [RealFeature(name, start[name], found[name]) for name in real]
        self._truth_list = truth_list if real else 0

    @property
    def size(self) -> int:
        """Number of sentences."""
        return len(self._sources)

    @property
    def real(self) -> Sequence[RealFeature]:
        """Real-valued features that are learned."""
        return self._real

    def _scales(self, real: Sequence[str], start: Mapping[str, float]) -> dict[str, float]:
        """The mean deviation of each feature from the mean of its sentence."""
        if not real or not self._sources:
            return dict.fromkeys(real, 1.0)
        first = self._folds[0]
        first.set_weights(start)
        sample = self._sources[: min(_SAMPLE, int(self._fold_ends[0]))]
        store = first.search(sample, nbest=_SAMPLE_LIST, threads=self._threads).store
        sizes = dict(zip(self._decoder.names, _spread(store), strict=True))
        return {name: sizes[name] for name in real}

    def begin(self, track: Track = no_track) -> Iterator[Sequences]:
        """A bag of blocks: the most frequent block of each source phrase of a sentence, without order.

        It has only features of blocks and word pairs, and quality 0. A bag has no real-valued features, so
        there are none if these are used: the initial weights are sensible then.
        """
        if not self._templates or self._real:
            return
        for decoder in self._folds:
            decoder.set_weights(dict.fromkeys(decoder.names, 0.0))
        for decoder, batch in self._batches(np.arange(self.size), track, "bags of blocks"):
            found = decoder.search([self._sources[at] for at in batch], threads=self._threads)
            rows = FeatureRows(*found.engine.bags(self._templates))
            first = replace(
                found.store.select(found.store.sentence_offsets[:-1]),
                dense=np.zeros((found.store.num_sentences, found.store.dense.shape[1])),
            )
            kept = [rows.row(position) for position in first.sentence_ids.tolist()]
            if not kept:
                continue

            def names(wanted: UInt64, found: Searched = found) -> NameArrays:
                return found.engine.bag_names(self._templates, wanted)

            yield Sequences(
                _renumbered(first, batch), FeatureRows.join(kept), np.zeros(first.num_candidates), names
            )

    def truths(self, count: int, track: Track = no_track) -> Iterator[Sequences]:
        """Different translations with the highest BLEU: among all, by oracle search, or among those that the
        initial weights prefer."""
        if self._truth_list:
            start = SequenceWeights(
                {feature.name: feature.start for feature in self._real},
                np.zeros(0, np.uint64),
                np.zeros(0, np.float32),
            )
            for listed in self.decode(start, np.arange(self.size), nbest=self._truth_list, track=track):
                yield _best(listed, count)
            return
        for decoder, batch in self._batches(np.arange(self.size), track, "looking for the best sequences"):
            found = decoder.oracle(
                [self._sources[at] for at in batch],
                [self._references.of(at) for at in batch.tolist()],
                nbest=count,
                threads=self._threads,
            )
            yield self._likely(decoder, found, batch) if self._force else self._sequences(found, batch)

    def _likely(self, decoder: Decoder, found: Searched, batch: SentenceNumbers) -> Sequences:
        """The same translations with their most probable derivations under the initial weights."""
        owners = found.store.sentence_ids[found.store.sentence_of_row()]
        sources = [self._sources[batch[at]] for at in owners]
        with decoder.restored():
            decoder.set_weights(self._start)
            forced = decoder.force(sources, [[text] for text in found.store.texts()], threads=self._threads)
        return self._sequences(forced, batch[owners])

    def decode(
        self,
        weights: SequenceWeights,
        sentences: SentenceNumbers,
        *,
        nbest: int = 1,
        distinct: bool = True,
        track: Track = no_track,
    ) -> Iterator[Sequences]:
        """The best sequences of the search with these weights."""
        self.use(weights)
        for decoder, batch in self._batches(sentences, track, "decoding"):
            found = decoder.search(
                [self._sources[at] for at in batch], nbest=nbest, distinct=distinct, threads=self._threads
            )
            yield self._sequences(found, batch)

    def use(self, weights: SequenceWeights) -> None:
        """Set the weights of the decoder and of those of the folds."""
        table = weights.table()
        dense = {**dict.fromkeys(self._decoder.names, 0.0), **weights.real}
        for decoder in {id(one): one for one in (self._decoder, *self._folds)}.values():
            decoder.set_weights(dense, table)

    def _batches(
        self, sentences: SentenceNumbers, track: Track, what: str
    ) -> Iterator[tuple[Decoder, SentenceNumbers]]:
        """Sentences of the same fold, with its decoder."""
        folds = np.searchsorted(self._fold_ends, sentences, side="right")
        batches = []
        for fold, decoder in enumerate(self._folds):
            own = sentences[folds == fold]
            batches += [(decoder, own[at : at + _BATCH]) for at in range(0, len(own), _BATCH)]
        return iter(track(batches, what, len(batches)))

    def _sequences(self, found: Searched, batch: SentenceNumbers) -> Sequences:
        store = found.store
        positions = store.sentence_ids[store.sentence_of_row()]
        ranks = np.arange(store.num_candidates) - np.repeat(
            store.sentence_offsets[:-1], np.diff(store.sentence_offsets)
        )
        sentences, rows = positions.tolist(), ranks.tolist()

        def names(wanted: UInt64) -> NameArrays:
            return found.engine.names_of(sentences, rows, wanted)

        return Sequences(
            _renumbered(store, batch),
            FeatureRows(*found.engine.sparse_of(sentences, rows)),
            bleu_scores(self._statistics.rows(store, batch), SENTENCE_BLEU),
            names,
        )


def _renumbered(store: NbestStore, batch: SentenceNumbers) -> NbestStore:
    return replace(store, sentence_ids=batch[store.sentence_ids])


class ListSequences:
    """Any decoder that returns n-best lists, such as an external command: its dense features are real-valued.

    The truths are the best candidates of one list with the initial weights; there are no initial
    alternatives.
    """

    def __init__(
        self,
        decoder: NbestDecoder,
        sources: Sequence[Source],
        references: References,
        start: Mapping[str, float],
        *,
        truth_list: int = 100,
    ) -> None:
        if len(sources) != len(references):
            raise ConfigError(f"{len(sources):,} source sentences but references for {len(references):,}")
        self._decoder, self._sources = decoder, list(sources)
        self._statistics = BatchStatistics(references)
        self._truth_list, self._start = truth_list, dict(start)
        self._names: dict[int, str] = {}
        self._first = decoder.decode(self._sources, self._start, size=truth_list)
        self._real = [
            RealFeature(name, self._start.get(name, 0.0), scale)
            for name, scale in zip(self._first.dense_names, _spread(self._first), strict=True)
        ]

    @property
    def size(self) -> int:
        """Number of sentences."""
        return len(self._sources)

    @property
    def real(self) -> Sequence[RealFeature]:
        """The dense features of its lists."""
        return self._real

    def begin(self, track: Track = no_track) -> Iterator[Sequences]:
        """Nothing: the first decoding finds the first alternatives."""
        return iter(())

    def truths(self, count: int, track: Track = no_track) -> Iterator[Sequences]:
        """The best of the first list."""
        yield _best(self._sequences(self._first, np.arange(self.size)), count)

    def decode(
        self,
        weights: SequenceWeights,
        sentences: SentenceNumbers,
        *,
        nbest: int = 1,
        distinct: bool = True,
        track: Track = no_track,
    ) -> Iterator[Sequences]:
        """Run the decoder once."""
        sparse = zip(weights.features.tolist(), weights.values.tolist(), strict=True)
        named = {self._names[feature]: value for feature, value in sparse}
        sources = [self._sources[at] for at in sentences.tolist()]
        yield self._sequences(self._decoder.decode(sources, {**weights.real, **named}, size=nbest), sentences)

    def _sequences(self, found: NbestStore, batch: SentenceNumbers) -> Sequences:
        statistics = self._statistics.rows(found, batch)
        store = _renumbered(found, batch)
        rows = FeatureRows.empty(store.num_candidates)
        if store.sparse is not None:
            numbers = store.sparse.names.hashes()
            self._names |= dict(zip(numbers.tolist(), store.sparse.names.words(), strict=True))
            cells = store.sparse.rows(np.arange(store.num_candidates))
            rows = _by_number(cells.offsets, numbers[cells.columns], cells.values)
        return Sequences(store, rows, bleu_scores(statistics, SENTENCE_BLEU), self._name_arrays)

    def _name_arrays(self, wanted: UInt64) -> NameArrays:
        names = [self._names[feature].encode() for feature in wanted.tolist()]
        ends = np.cumsum([len(name) for name in names], dtype=np.uint64)
        return wanted, np.frombuffer(b"".join(names), np.uint8), ends


def _best(found: Sequences, count: int) -> Sequences:
    """The best of every sentence."""
    chosen: list[int] = []
    for sentence in range(found.store.num_sentences):
        rows = np.array(found.store.rows_of(sentence))
        best = rows[np.argsort(-found.qualities[rows], kind="stable")[:count]]
        chosen += sorted(best.tolist())
    return found.select(chosen)


def _spread(store: NbestStore) -> list[float]:
    means = np.add.reduceat(store.dense, store.sentence_offsets[:-1], axis=0)
    means /= np.diff(store.sentence_offsets)[:, np.newaxis]
    spread = np.sqrt(np.mean((store.dense - means[store.sentence_of_row()]) ** 2, axis=0))
    return [float(size) for size in np.where(spread > 1e-9, spread, 1.0)]


def _by_number(
    offsets: npt.NDArray[np.int64], features: UInt64, values: npt.NDArray[np.float32]
) -> FeatureRows:
    """Rows whose features rise."""
    row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = np.lexsort((features, row))
    return FeatureRows(offsets, features[order], values[order])
