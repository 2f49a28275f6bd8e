"""Online large-margin training with the decoder in the loop (Watanabe et al. 2007).

Sentences are decoded with the current weights; every update makes the best translations of a sentence seen so
far outscore its current candidates by their difference in quality. The result is the average of the weights
after every sentence.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.decoder.decoder import Decoder
from isogloss.decoder.search_result import FeatureRows, Searched
from isogloss.decoder.sentence import Source
from isogloss.features.name_log import NameLog
from isogloss.features.weights import SparseWeights
from isogloss.io.errors import ConfigError, ModelFormatError, TrainingError
from isogloss.io.options import Above, AtLeast, Options
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath
from isogloss.learn.large_margin import LargeMarginOptions, large_margin_update
from isogloss.metric import References
from isogloss.metric.bleu import SENTENCE_BLEU, bleu_scores
from isogloss.metric.document import DocumentBleu
from isogloss.metric.interface import FloatArray
from isogloss.nbest.statistics import BatchStatistics
from isogloss.nbest.store import CsrRows
from isogloss.storage.folder import open_folder, write_folder
from isogloss.tuning.oracles import KeptOracle, OracleMemory

if TYPE_CHECKING:
    from pathlib import Path

    from isogloss.decoder.system import System
    from isogloss.tuning.job import TuneResult, TuningJob

__all__ = [
    "PAPER",
    "MixedWeights",
    "OnlineIteration",
    "OnlineOptions",
    "OnlineTrainer",
    "TrainedWeights",
]

KIND, VERSION = "online-training", 3
BEFORE = {"dense_scale": 1.0, "keep_start": False, "mixed_parts": 1}
"""What versions did that did not have these options."""
UPDATE_RULES = ("mira", "perceptron", "tillmann-zhang")
SELECTIONS = ("oracles", "hope-fear")
LOSSES = ("document", "sentence")


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineOptions(Options):
    """Options of the method ``online-mira``.

    The defaults are the preset ``best``: one good candidate with a high score against one bad candidate with
    a high score, with quality differences scaled by the length of the sentence. ``PAPER`` is the preset
    ``paper``.

    >>> OnlineOptions().iterations, PAPER.iterations
    (8, 50)
    """

    iterations: Annotated[int, AtLeast(1)] = 8
    """Passes over the development set."""
    candidates: Annotated[int, AtLeast(1)] = 1
    """Best candidates of the current list that every oracle must outscore (k)."""
    oracles: Annotated[int, AtLeast(1)] = 1
    """Oracle translations to keep per sentence (m)."""
    nbest: Annotated[int, AtLeast(1)] = 100
    """Candidates per sentence to look for oracles in."""
    aggressiveness: Annotated[float, Above(0)] = 0.001
    """Largest size of an update (C)."""
    slack: Literal["sentence", "pair"] = "sentence"
    """Whether the large-margin update has one slack variable per ``sentence`` or per ``pair``."""
    loss: Literal["document", "sentence"] = "document"
    """How the quality of a candidate is measured: BLEU of the whole ``document`` with the candidate put in
    (times the number of sentences), or smoothed ``sentence`` BLEU. The document consists of oracles; for
    ``hope-fear``, of the model's best candidates, so that translations learn the right length."""
    loss_scale: Annotated[float, Above(0)] = 10.0
    """Factor that scales differences in quality to differences in model score."""
    sparse_scale: Annotated[float, Above(0)] = 3.0
    """Step size of sparse weights relative to dense weights (dense features are scaled to a spread of 1).
    Sparse features fire rarely: with 1, they need many passes to have an effect."""
    dense_scale: Annotated[float, AtLeast(0)] = 0.1
    """Step size of dense weights. Batch tuning finds them from all sentences at once; with 1, single
    sentences move them away from there, and with 0 they keep their start."""
    method: Literal["mira", "perceptron", "tillmann-zhang"] = "mira"
    """Update rule: ``mira``, ``perceptron`` (the same step for every violated pair) or ``tillmann-zhang`` (a
    step in proportion to loss and violation)."""
    learning_rate: Annotated[float, Above(0)] = 0.01
    """Step size of ``perceptron`` and ``tillmann-zhang``; the perceptron of the literature has 1."""
    selection: Literal["oracles", "hope-fear"] = "hope-fear"
    """``oracles`` keeps the best translations seen so far; ``hope-fear`` uses the candidates of the current
    list with the highest score plus quality and the highest score minus quality."""
    keep_inverted: bool = False
    """Also use pairs in which the oracle is no better than the candidate."""
    batch: Annotated[int, AtLeast(1)] = 4
    """Sentences to decode, in parallel, between two updates of the weights."""
    shuffle: bool = True
    """Visit the sentences in a random order, another one in each pass. Without it, in the order of the
    text."""
    keep_start: bool = True
    """Return the weights that training started from if those that it found translate the development set
    worse."""
    mixed_parts: Annotated[int, AtLeast(1)] = 1
    """Parts of the development set that learn apart during a pass; after it, each goes on from the mean of
    their weights (iterative parameter mixing). On a cluster, parts run on several machines. It is another
    algorithm than 1, which learns from one sentence after the other."""
    patience: Annotated[int, AtLeast(0)] = 0
    """Stop after this many iterations without a better result on the held-out set; 0 never stops early."""
    seed: Annotated[int, AtLeast(0)] = 1
    """Random seed for the order of sentences."""

    def large_margin(self) -> LargeMarginOptions:
        """The options of a single update."""
        return LargeMarginOptions(
            aggressiveness=self.aggressiveness, slack=self.slack, keep=self.keep_inverted, tolerance=1e-4
        )

    def tune(self, job: TuningJob, system: System, weights: Mapping[str, float], folder: Path) -> TuneResult:
        """Find dense and sparse weights for a system."""
        from isogloss.tuning.online_tuning import tune_online

        return tune_online(self, job, system, weights, folder)


PAPER = OnlineOptions(
    iterations=50,
    nbest=1000,
    candidates=10,
    oracles=10,
    aggressiveness=0.01,
    selection="oracles",
    loss_scale=1.0,
    sparse_scale=1.0,
    dense_scale=1.0,
    keep_start=False,
    keep_inverted=True,
    batch=1,
    shuffle=False,
)
"""The settings of Watanabe et al. (2007): ten stored oracles against the ten best candidates of a 1000-best
list, one sentence at a time in the order of the text, one limit C on all pairs of a sentence as in the dual
of the paper, inverted pairs kept. The paper prints no C: choose ``aggressiveness`` on held-out text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineIteration:
    """A point of the learning curve."""

    iteration: int
    score: float
    """BLEU (0 to 100) of the model's best candidates during the iteration, each with the weights at that
    moment."""
    oracle_score: float
    """BLEU of the best oracles; for ``hope-fear``, which keeps none, the same as ``score``."""
    active_features: int
    """Sparse features whose weight is not 0."""
    held_out_score: float | None = None
    """BLEU of the held-out set with the average of the weights so far."""
    collisions: list[str]
    """A message for every sparse feature whose hash collides with another one; nearly always none."""
    seconds: dict[str, float]
    """Time by part of the work."""


class OnlineState:
    """The state of training."""

    def __init__(self, dense: FloatArray, sentences: int, options: OnlineOptions) -> None:
        self.dense = dense
        """Weights of scaled dense features."""
        self.dense_sum = np.zeros_like(dense)
        self.sparse = _engine.LearnedWeights()
        self.oracles = OracleMemory(sentences, options.oracles)
        self.iteration = 0

    def next_step(self) -> None:
        """Add the current weights to the average."""
        self.dense_sum += self.dense
        self.sparse.next_step()

    def dense_average(self) -> FloatArray:
        """Mean of the dense weights after every step."""
        return self.dense_sum / max(1, self.sparse.steps)


class OnlineTrainer:
    """Trains the weights of a decoder, dense and sparse, on sentences with references."""

    def __init__(
        self,
        decoder: Decoder,
        sources: Sequence[Source],
        references: References,
        start: Mapping[str, float],
        options: OnlineOptions | None = None,
        *,
        name_log: NameLog | None = None,
        threads: int = 1,
        resume: StrPath | None = None,
    ) -> None:
        """Decode all sentences with the start weights, or ``resume`` a run that ``save`` has stored."""
        if len(sources) != len(references):
            raise ConfigError(f"{len(sources):,} source sentences but references for {len(references):,}")
        if not sources:
            raise ConfigError("there are no sentences to learn from")
        if decoder.sparse is not None and name_log is None:
            raise ConfigError("sparse features need a name_log for their names")
        self.decoder, self.options, self._threads = decoder, options or OnlineOptions(), threads
        self._sources, self._statistics = list(sources), BatchStatistics(references)
        self._names, self._told = name_log, 0
        self._margin = self.options.large_margin()
        self._clock = Clock()
        weights = np.array([start[name] for name in decoder.names])
        self.scales = np.ones_like(weights)
        rows = np.zeros((len(self._sources), 10), np.int32)
        self.start_score: float | None = None
        """BLEU (0 to 100) of the sentences with the start weights, unless the run resumes."""
        if resume is None:
            rows, self.scales = self._first_decode(weights)
            self.start_score = 100 * float(bleu_scores(rows.sum(axis=0)[np.newaxis])[0])
        self._document = DocumentBleu(rows)
        self._best_now = np.array(rows)
        self.state = OnlineState(weights * self.scales, len(self._sources), self.options)
        if resume is not None:
            self.restore(resume)

    def _first_decode(self, weights: FloatArray) -> tuple[npt.NDArray[np.int32], FloatArray]:
        """Statistics of the best translation of every sentence, and the spread of every dense feature.

        A constant feature keeps its scale.
        """
        self.decoder.set_weights(dict(zip(self.decoder.names, weights.tolist(), strict=True)))
        rows = np.zeros((len(self._sources), 10), np.int32)
        found: list[FloatArray] = []
        everything = np.arange(len(self._sources))
        for batch in np.array_split(everything, math.ceil(len(everything) / 50)):
            given = [self._sources[i] for i in batch]
            store = self.decoder.search(given, nbest=100, threads=self._threads).store
            first = store.sentence_offsets[:-1]
            rows[batch[store.sentence_ids]] = self._statistics.rows(store, batch)[first]
            sentence = store.sentence_of_row()
            lengths = np.diff(store.sentence_offsets)
            means = np.add.reduceat(store.dense, first, axis=0) / lengths[:, None]
            found.append(store.dense - means[sentence])
        spread = np.sqrt(np.mean(np.concatenate(found) ** 2, axis=0))
        return rows, np.where(spread > 1e-9, spread, 1.0)

    def iterate(self, track: Track = no_track) -> OnlineIteration:
        """One pass over the sentences."""
        state, options = self.state, self.options
        state.iteration += 1
        order = np.arange(len(self._sources))
        if options.shuffle:
            order = np.random.default_rng([options.seed, state.iteration]).permutation(order)
        batches = [np.sort(order[i : i + options.batch]) for i in range(0, len(order), options.batch)]
        for batch in track(batches, f"iteration {state.iteration}", len(batches)):
            with self._clock.of("search"):
                self._set_current()
                found = self.decoder.search(
                    [self._sources[i] for i in batch], nbest=options.nbest, threads=self._threads
                )
            with self._clock.of("statistics"):
                rows = self._statistics.rows(found.store, batch)
            for index in range(found.store.num_sentences):
                position = int(found.store.sentence_ids[index])
                self._learn(int(batch[position]), position, index, found, rows)
            for _ in range(len(batch) - found.store.num_sentences):
                state.next_step()  # sentences without a translation still count in the average
        if not np.all(np.isfinite(state.dense)) or np.abs(state.dense).max() > 1e6:
            raise TrainingError("the weights grow without bound; lower aggressiveness or learning_rate")
        return OnlineIteration(
            iteration=state.iteration,
            score=100 * float(bleu_scores(self._best_now.sum(axis=0)[np.newaxis])[0]),
            oracle_score=100 * self._document.score(),
            active_features=state.sparse.active,
            collisions=self._collisions(),
            seconds=self._clock.take(),
        )

    def _set_current(self) -> None:
        weights = (self.state.dense / self.scales).tolist()
        sparse = None if self.decoder.sparse is None else self.state.sparse
        self.decoder.set_weights(dict(zip(self.decoder.names, weights, strict=True)), sparse)

    def _learn(
        self, sentence: int, position: int, index: int, found: Searched, rows: npt.NDArray[np.int32]
    ) -> None:
        """Update the weights by one sentence."""
        options, state, store = self.options, self.state, found.store
        begin, end = store.sentence_offsets[index : index + 2].tolist()
        rows = rows[begin:end]
        self._best_now[sentence] = rows[0]
        with self._clock.of("oracles"):
            quality = self._quality(sentence, rows)
            oracles, listed = self._merged_oracles(sentence, position, found, begin, rows, quality)
            oracle_quality = self._quality(sentence, np.array([oracle.statistics for oracle in oracles]))
            count = min(options.candidates, end - begin)
            candidates = np.arange(count)
            if options.selection == "hope-fear":
                model = store.scores[begin:end]
                candidates = np.argsort(-(model - quality), kind="stable")[:count]
        with self._clock.of("features"):
            dense = np.concatenate(
                [
                    np.array([oracle.dense for oracle in oracles]),
                    store.dense[begin + candidates] / self.scales,
                ]
            )
            events = FeatureRows.join(
                [*(oracle.events for oracle in oracles), self._events(found, sentence, position, candidates)]
            )
            offsets, columns, counts, different, sparse_scores = state.oracles.pool(
                sentence
            ).different_features(events.offsets, events.features, events.counts, state.sparse)
            scores = dense @ state.dense + sparse_scores
        with self._clock.of("update"):
            first = np.repeat(np.arange(len(oracles), dtype=np.uint32), count)
            second = np.tile(np.arange(len(oracles), len(oracles) + count, dtype=np.uint32), len(oracles))
            losses = np.repeat(oracle_quality, count) - np.tile(quality[candidates], len(oracles))
            matrix = CsrRows(offsets, columns, options.sparse_scale * counts)
            scaled = options.dense_scale * dense
            coefficients = self._coefficients(scaled, matrix, scores, first, second, losses)
            if np.any(coefficients):
                state.dense += options.dense_scale * (coefficients @ scaled)
                change = np.zeros(len(different))
                for row in np.flatnonzero(coefficients).tolist():
                    own = slice(offsets[row], offsets[row + 1])
                    change[columns[own]] += coefficients[row] * counts[own]  # a row has a column once
                change *= options.sparse_scale**2  # as above, features and weights are both scaled
                changed = np.flatnonzero(change)
                fresh = state.sparse.add(different[changed], change[changed].astype(np.float32))
                self._log_names(found, position, [*listed, *candidates.tolist()], fresh)
            state.oracles.tidy(sentence)
            state.next_step()

    def _quality(self, sentence: int, rows: npt.NDArray[np.int32]) -> FloatArray:
        if self.options.loss == "sentence":
            return self.options.loss_scale * bleu_scores(rows, SENTENCE_BLEU)
        scale = self.options.loss_scale * len(self._document)
        return scale * self._document.scores(sentence, rows)

    def _merged_oracles(
        self,
        sentence: int,
        position: int,
        found: Searched,
        begin: int,
        rows: npt.NDArray[np.int32],
        quality: FloatArray,
    ) -> tuple[list[KeptOracle], list[int]]:
        """The best of the stored oracles and the current list, which become the new oracles.

        Also returns which candidates of the list are among them.
        """
        options, store = self.options, found.store
        hope = options.selection == "hope-fear"
        wanted = quality + store.scores[begin : begin + len(rows)] if hope else quality
        best = np.argsort(-wanted, kind="stable")[: options.oracles].tolist()
        old = [] if hope else self.state.oracles.of(sentence)
        known = {oracle.text for oracle in old}
        texts = dict(zip(best, store.texts([begin + row for row in best]), strict=True))
        fresh = [row for row in best if texts[row] not in known]
        ranked: list[tuple[float, KeptOracle | int]] = [
            *zip(
                self._quality(sentence, np.array([o.statistics for o in old])).tolist() if old else [],
                old,
                strict=True,
            ),
            *((float(quality[row]), row) for row in fresh),
        ]
        ranked.sort(key=lambda item: -item[0])
        ranked = ranked[: options.oracles] if not hope else ranked
        new = [item for _, item in ranked if isinstance(item, int)]
        pool = self.state.oracles.pool(sentence)
        before = len(pool)
        events = self._events(found, sentence, position, np.array(new, np.int64))
        if len(pool) > before and not hope:  # the names of its features would be unknown later
            features = pool.features_since(before)
            added = self.state.sparse.add(features, np.zeros(len(features), np.float32))
            self._log_names(found, position, new, added)
        made = {
            row: KeptOracle(
                texts[row], rows[row].copy(), store.dense[begin + row] / self.scales, events.row(number)
            )
            for number, row in enumerate(new)
        }
        oracles = [made[item] if isinstance(item, int) else item for _, item in ranked]
        if not hope:
            self.state.oracles.keep(sentence, oracles)
        if options.loss == "document":
            # In a document of oracles, as in the paper, no candidate is too short. So hope and fear are
            # scored in a document of the model's current translations (Chiang 2012).
            self._document.replace(sentence, rows[0] if hope else oracles[0].statistics)
        return oracles, new

    def _events(
        self, found: Searched, sentence: int, position: int, rows: npt.NDArray[np.int64]
    ) -> FeatureRows:
        if self.decoder.sparse is None:
            return FeatureRows.empty(len(rows))
        pool = self.state.oracles.pool(sentence)
        return FeatureRows(*found.engine.events(position, rows.tolist(), pool, self.state.sparse))

    def _log_names(
        self, found: Searched, position: int, rows: list[int], fresh: npt.NDArray[np.uint64]
    ) -> None:
        if len(fresh) and self._names is not None:
            self._names.add(*found.engine.name_arrays(position, rows, fresh, self.state.sparse))

    def _collisions(self) -> list[str]:
        """New messages about hash collisions of features."""
        found = self.state.sparse.collisions[self._told :]
        if not found or self._names is None:
            return []
        self._told += len(found)
        text, ends = self._names.names_of(np.array([feature for feature, _ in found], np.uint64))
        firsts = [part.tobytes().decode(errors="replace") for part in np.split(text, ends[:-1].astype(int))]
        return [
            f"the sparse features '{first}' and '{second}' have the same number and so share a weight"
            for first, (_, second) in zip(firsts, found, strict=True)
        ]

    def _coefficients(
        self,
        dense: FloatArray,
        sparse: CsrRows,
        scores: FloatArray,
        first: npt.NDArray[np.uint32],
        second: npt.NDArray[np.uint32],
        losses: FloatArray,
    ) -> FloatArray:
        """How much to add of the features of every row."""
        options = self.options
        if options.method == "mira":
            return large_margin_update(
                dense, sparse, scores, first, second, losses, self._margin
            ).coefficients
        margins = scores[first] - scores[second]
        if options.method == "perceptron":
            steps = np.where((losses > 0) & (margins <= 0), options.learning_rate, 0.0)
        else:
            steps = options.learning_rate * np.maximum(losses, 0.0) * np.maximum(0.0, 1.0 - margins)
        coefficients = np.zeros(len(dense))
        np.add.at(coefficients, first, steps)
        np.add.at(coefficients, second, -steps)
        return coefficients

    def save(self, path: StrPath) -> None:
        """Store the state after the last iteration."""
        state = self.state
        features, weights, sums, checks = state.sparse.columns()
        if self._names is not None:
            self._names.flush()
        arrays: dict[str, npt.NDArray[Any]] = {
            "dense": state.dense,
            "dense_sum": state.dense_sum,
            "scales": self.scales,
            "document": self._document.rows(),
            "best_now": self._best_now,
            "features": features,
            "weights": weights,
            "sums": sums,
            "checks": checks,
            **state.oracles.arrays(),
        }
        attributes = {
            "iteration": state.iteration,
            "steps": state.sparse.steps,
            "names": 0 if self._names is None else len(self._names),
            "options": asdict(self.options),
        }
        write_folder(path, kind=KIND, version=VERSION, arrays=arrays, attributes=attributes)

    def restore(self, path: StrPath) -> None:
        """Resume a stored run with the same options, decoder and sentences."""
        folder = open_folder(path, kind=KIND, version=VERSION)
        if folder.version < VERSION:
            raise ModelFormatError(
                f"format version {folder.version} is too old, {VERSION} is expected",
                path,
                "remove it to start over",
            )
        arrays, attributes, state = folder.arrays, folder.attributes, self.state
        try:
            # A run of an earlier version lacks newer options; this is what it did.
            options = {
                **asdict(OnlineOptions()),
                **BEFORE,
                **attributes["options"],
                "iterations": self.options.iterations,
            }
            fits = options == {**asdict(self.options), "patience": options["patience"]}
            fits = fits and arrays["best_now"].shape == self._best_now.shape
            fits = fits and arrays["dense"].shape == state.dense.shape
            if not fits:
                raise ConfigError(
                    f"{path}: contains a run with other options or sentences; remove it to start over"
                )
            self._document = DocumentBleu(arrays["document"])
            self._best_now = np.array(arrays["best_now"])
            self.scales = np.array(arrays["scales"])
            state.dense, state.dense_sum = np.array(arrays["dense"]), np.array(arrays["dense_sum"])
            state.iteration = int(attributes["iteration"])
            state.sparse.restore(
                arrays["features"],
                arrays["weights"],
                arrays["sums"],
                arrays["checks"],
                int(attributes["steps"]),
            )
            state.oracles.restore(arrays)
            if self._names is not None:
                self._names.rewind(int(attributes["names"]))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            if isinstance(error, ConfigError):
                raise
            raise ModelFormatError(f"is not a stored run ({error})", path) from None

    def take(self, weights: MixedWeights) -> None:
        """Go on from other weights; the average so far stays."""
        state = self.state
        own, _, own_sums, _ = state.sparse.columns()
        order = np.argsort(own)
        at = np.minimum(np.searchsorted(own, weights.features, sorter=order), max(len(own) - 1, 0))
        sums = np.zeros(len(weights.features))
        if len(own):
            at = order[at]
            sums = np.where(own[at] == weights.features, own_sums[at], 0.0)
        state.dense = weights.dense * self.scales
        state.sparse.restore(weights.features, weights.weights, sums, weights.checks, state.sparse.steps)

    def average(self) -> TrainedWeights:
        """The mean of the weights after every sentence so far."""
        names, state = self.decoder.names, self.state
        dense = dict(zip(names, (state.dense_average() / self.scales).tolist(), strict=True))
        if self.decoder.sparse is None or self._names is None:
            return TrainedWeights(dense, None)
        features, _, sums, _ = state.sparse.columns()
        weights = (sums / max(1, state.sparse.steps)).astype(np.float32)
        kept = np.flatnonzero(weights)
        kept = kept[np.argsort(features[kept])]  # after resuming, their order differs
        text, ends = self._names.names_of(features[kept])
        sparse = SparseWeights.from_numbers(
            features[kept], weights[kept], text, ends, signature=self.decoder.sparse.signature
        )
        return TrainedWeights(dense, sparse)


@dataclass(frozen=True, slots=True)
class MixedWeights:
    """The mean of the weights of several parts, which all features of all parts have."""

    dense: FloatArray
    """Of features that are not scaled."""
    features: npt.NDArray[np.uint64]
    weights: npt.NDArray[np.float32]
    checks: npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class TrainedWeights:
    """The learned weights."""

    dense: dict[str, float]
    sparse: SparseWeights | None


class Clock:
    """Measures time by part of the work."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}

    @contextmanager
    def of(self, what: str) -> Iterator[None]:
        """Time the body."""
        begin = time.perf_counter()
        yield
        self._seconds[what] = self._seconds.get(what, 0.0) + time.perf_counter() - begin

    def take(self) -> dict[str, float]:
        """The times so far; resets them."""
        taken, self._seconds = self._seconds, {}
        return taken
