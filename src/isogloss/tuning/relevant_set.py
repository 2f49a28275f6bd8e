"""Approximate relevant set training (Tillmann and Zhang 2006).

For every training sentence there are truths, the K sequences of the highest BLEU V_K, and a growing set of
alternatives V_r. The weights minimize, by stochastic gradient descent,

    (1/N) Σ_i Φ_i / 2 + λ‖w‖²,    Φ = (1/K) Σ_{z in V_K} max_{z' in V_r} φ(z, z'),
    φ(z, z') = (Bl(z) - Bl(z')) · max(0, 1 - (s_w(z) - s_w(z')))²

(the 2 of the square is inside η, so that λ here is half the λ beside Φ itself). A step takes a truth and its
most costly alternative: w ← (1 - 2ηλ) w + η (Bl(z) - Bl(z')) max(0, 1 - w·Δh) Δh. Then every sentence is
decoded with the new weights, the results are added to V_r, and learning continues. The decoder is a black box
(``isogloss.tuning.sequence_decoder``). A decoded sequence that is better than the worst truth replaces it,
because truths found by beam search may not be the best; duplicates are not added. Features in fewer than
``min_count`` stored sequences get no weight.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.features.name_log import NameLog
from isogloss.io.errors import ConfigError, ModelFormatError, TrainingError
from isogloss.io.options import Above, AtLeast, Options, Range
from isogloss.io.progress import Track, no_track
from isogloss.metric.interface import FloatArray
from isogloss.storage.folder import open_folder, write_folder
from isogloss.tuning.online import Clock
from isogloss.tuning.sequence_decoder import EVERYTHING, SequenceDecoder, Sequences, SequenceWeights

if TYPE_CHECKING:
    from isogloss.decoder.system import System
    from isogloss.tuning.job import TuneResult, TuningJob

__all__ = [
    "PAPER",
    "SELECTIONS",
    "RelevantSetIteration",
    "RelevantSetOptions",
    "RelevantSetTrainer",
    "weights_of",
]

KIND, VERSION = "relevant-set", 1
SELECTIONS = ("top", "nbest", "exact")
_TRUTHS, _BEGIN = "truths", "begin"
_LARGEST = 1e6  # a larger weight means that learning diverges


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevantSetOptions(Options):
    """Options of relevant-set training, which learns weights from the training text.

    >>> RelevantSetOptions(selection="nbest").nbest
    10
    """

    iterations: Annotated[int, AtLeast(1)] = 30
    """How often to decode the training text."""
    truths: Annotated[int, AtLeast(1)] = 5
    """Best sequences per sentence that should win, called truths (K)."""
    force: bool = True
    """Give a truth the derivation that the initial weights of all dense features prefer. Without it, the
    blocks of a truth are those that the search for the highest BLEU happens to find."""
    selection: Literal["top", "nbest", "exact"] = "top"
    """Which decoded sequences become alternatives: the ``top`` one; or, for each truth, the most costly of
    the ``nbest`` best or of all sequences (``exact``, for small problems)."""
    nbest: Annotated[int, AtLeast(1)] = 10
    """Sequences per sentence to decode with the selection ``nbest``."""
    bags: bool = False
    """Begin with a bag of blocks as the first alternative of a sentence: for each source phrase its most
    frequent block, with quality 0, as in the paper. It teaches that frequent blocks are bad. Without it, the
    first alternatives are what the search finds with zero weights."""
    parts: Annotated[int, AtLeast(1)] = 10
    """Parts to split the text into; weights are updated after each. With 1, the whole text is decoded with
    the same weights, as in the paper."""
    passes: Annotated[int, AtLeast(1)] = 5
    """Passes of stochastic gradient descent over the part that was just decoded."""
    learning_rate: Annotated[float, Above(0)] = 0.005
    """Learning rate at the start of these passes (η)."""
    decay: Annotated[float, AtLeast(0)] = 0.0
    """Decay of the learning rate: after p passes it is η / (1 + decay · p)."""
    regularization: Annotated[float, AtLeast(0)] = 1e-5
    """Strength of L2 regularization (λ): of sparse weights toward zero, of dense weights toward their
    start."""
    average: bool = True
    """Decode with the mean of the weights after every step instead of the last weights."""
    memory: Annotated[float, Range(low=0, high=1, below=True)] = 0.9
    """How much a step still counts in this mean after the next part, as a factor."""
    min_count: Annotated[int, AtLeast(1)] = 2
    """Number of stored sequences that a sparse feature must occur in to get a weight."""
    real_features: tuple[str, ...] = ()
    """Dense features to learn too, such as ``lm``. The model in the paper has none."""
    truth_list: Annotated[int, AtLeast(0)] = 100
    """With dense features, take truths from this many best sequences of the initial weights; 0 searches all
    sequences, as without dense features."""
    real_rate: Annotated[float, Range(low=0, high=1, above=True)] = 1e-4
    """Learning rate of dense features, as a share of η. Keep it small: with few alternatives, truths differ
    from them mainly by being less probable, and fast weights would learn just that."""
    folds: Annotated[int, AtLeast(0)] = 10
    """Folds of the text, each decoded with rules and a language model made from all other sentences of the
    training text. With 0, rules from the very sentence take part, as in the paper. ``tune`` knows no training
    text and ignores it."""
    sentences: Annotated[int, AtLeast(0)] = 0
    """Learn from this many sentences at the start of the text; 0 uses all."""
    shared_phrase: Annotated[int, AtLeast(0)] = 0
    """Learn only from sentences that share a phrase of this many source words with the test set; 0 uses
    all."""
    seed: Annotated[int, AtLeast(0)] = 1
    """Random seed for the order of sentences."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if 2 * self.learning_rate * self.regularization >= 1:
            raise ConfigError(
                f"learning_rate {self.learning_rate:g} times regularization {self.regularization:g} must be "
                "below 0.5; lower one of them"
            )

    def tune(self, job: TuningJob, system: System, weights: Mapping[str, float], folder: Path) -> TuneResult:
        """Find sparse weights for a system."""
        from isogloss.tuning.relevant_set_tuning import tune_relevant_set

        return tune_relevant_set(self, job, system, weights, folder)


BEFORE = {"folds": 0, "bags": True, "force": False}
"""What versions without these options did."""
PAPER = RelevantSetOptions(force=False, bags=True, parts=1, average=False, memory=0.0, folds=0)
"""The settings of Tillmann and Zhang (2006): learn, then decode the whole text, 30 times; the decoder's best
sequence becomes an alternative; the last weights count. The paper prints neither η nor λ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevantSetIteration:
    """A point of the learning curve."""

    iteration: int
    score: float
    """Mean sentence BLEU (0 to 100) of the training text as decoded in this iteration."""
    upper_bound: float
    """The same for the best sequences known."""
    loss: float
    """Mean Φ of the relevant set after the last step."""
    active_features: int
    """Sparse features that have a weight."""
    features: int
    """Sparse features that have occurred in any sequence."""
    sequences: int
    """Stored sequences of all sentences, including those this iteration added."""
    added: int
    """Alternatives and truths that the iteration added."""
    seconds: dict[str, float]
    """Time by part of the work."""


class RelevantSetTrainer:
    """Learns the weights of a decoder. All sequences are stored in ``work``; their features are in memory."""

    def __init__(
        self,
        decoder: SequenceDecoder,
        options: RelevantSetOptions,
        work: Path,
        *,
        threads: int = 1,
    ) -> None:
        if decoder.size == 0:
            raise ConfigError("there are no sentences to learn from")
        self._decoder, self.options, self._work, self._threads = decoder, options, work, threads
        self._real = list(decoder.real)
        # Scaled-down values have larger weights, so a step changes the original weights by less.
        self._scales = np.array([feature.scale for feature in self._real]) / math.sqrt(options.real_rate)
        self.set = _engine.RelevantSet(
            sentences=decoder.size,
            truths=options.truths,
            real_columns=len(self._real),
            min_count=options.min_count,
        )
        self._start = np.array([feature.start for feature in self._real]) * self._scales
        self._mean, self._share = np.zeros(0), 0.0  # weighted sum of weights by column, and the total
        self._names = NameLog(work / "names")
        self._clock = Clock()
        self.iteration = 0

    # Beginning and going on ---------------------------------------------------------------------------

    def begin(self, track: Track = no_track) -> None:
        """Find truths and the first alternatives, and store them."""
        first = self._decoder.begin(track) if self.options.bags else iter(())
        for name, found in ((_TRUTHS, self._decoder.truths(self.options.truths, track)), (_BEGIN, first)):
            kept: list[Sequences] = []
            for part in found:
                self._take_in(part, kept, as_truth=name == _TRUTHS)
            self._store(kept, name)
            if self.set.rows == 0:
                raise TrainingError("the rules cannot translate any sentence")
        now = self.set.now()
        now[: len(self._start)] = self._start
        self.set.restart(now)

    def save(self, keep: Iterable[int] = ()) -> None:
        """Store the weights of this iteration; remove older ones except the best."""
        weights = self.weights()
        arrays: dict[str, npt.NDArray[np.generic]] = {
            "now": self.set.now(),
            "mean": self._mean,
            "real": np.array(list(weights.real.values())),
            "features": weights.features,
            "values": weights.values,
        }
        attributes = {"names": len(self._names), "share": self._share, "options": self._signature()}
        self._names.flush()
        write_folder(
            self._weights_folder(self.iteration),
            kind=KIND,
            version=VERSION,
            arrays=arrays,
            attributes=attributes,
        )
        wanted = {self.iteration, self.iteration - 1, *keep}
        for folder in self._work.glob("weights-*"):
            if int(folder.name.rpartition("-")[2]) not in wanted:
                shutil.rmtree(folder, ignore_errors=True)

    def restore(self, iteration: int) -> None:
        """Resume after a stored iteration with the same options, decoder and sentences."""
        folder = open_folder(self._weights_folder(iteration), kind=KIND, version=VERSION)
        if {**BEFORE, **folder.attributes.get("options", {})} != self._signature():
            raise ConfigError(f"{self._work}: contains a run with other options; remove it to start over")
        stored = [_TRUTHS, _BEGIN, *(_name(number) for number in range(1, iteration + 1))]
        for name in stored:
            if (self._work / name).exists():
                self._add(Sequences.open(str(self._work / name)), as_truth=name == _TRUTHS)
        self.set.take_activated()
        self._names.rewind(int(folder.attributes["names"]))
        now = np.array(folder.arrays["now"], np.float64)
        if len(now) > self.set.columns:
            raise ModelFormatError("the stored sequences are incomplete", self._work, "repeat the command")
        # Sequences of an iteration are stored after its weights.
        self.set.restart(np.concatenate([now, np.zeros(self.set.columns - len(now))]))
        self._mean, self._share = np.array(folder.arrays["mean"]), float(folder.attributes["share"])
        self.iteration = iteration

    def _signature(self) -> dict[str, object]:
        options = {**asdict(self.options), "iterations": 0}
        return {**options, "real_features": list(self.options.real_features), "size": self._decoder.size}

    def _weights_folder(self, iteration: int) -> Path:
        return _weights_folder(self._work, iteration)

    # An iteration ------------------------------------------------------------------------------------

    def iterate(self, track: Track = no_track) -> RelevantSetIteration:
        """Decode every part of the text with the current weights, add the results and learn from them."""
        decoded = self._parts()[-1] if self.iteration else self._everyone()
        self.iteration += 1
        before, score = self.set.rows, 0.0
        kept: list[Sequences] = []
        for part in self._parts():
            with self._clock.of("learning"):
                self.learn(decoded, track)
            weights = self.weights()
            with self._clock.of("decoding"):
                score += self._decode(weights, part, kept, track)
            decoded = part
        self._store(kept, _name(self.iteration))
        return RelevantSetIteration(
            iteration=self.iteration,
            score=100 * score / self._decoder.size,
            upper_bound=100 * self.set.best_quality(),
            loss=float(self.set.losses(self._threads).mean()),
            active_features=len(weights.features),
            features=self.set.columns - len(self._real),
            sequences=self.set.rows,
            added=self.set.rows - before,
            seconds=self._clock.take(),
        )

    def _everyone(self) -> npt.NDArray[np.int64]:
        return np.arange(self._decoder.size)

    def _parts(self) -> list[npt.NDArray[np.int64]]:
        """Sentences in random order, split into parts."""
        return np.array_split(self._everyone(), min(self.options.parts, self._decoder.size))

    def learn(self, sentences: npt.NDArray[np.int64], track: Track = no_track) -> None:
        """Passes of stochastic gradient descent over the sequences of some sentences.

        The engine regularizes all weights toward zero. Dense weights would become smaller with every
        sentence, whatever they are good for, so each pass gives back to them what it took from their start.
        """
        options = self.options
        dense = bool(len(self._start) and options.regularization)
        passes, now = range(options.passes), self.set.now()
        mean = np.zeros(len(now))
        for number in track(passes, f"iteration {self.iteration}: learning", len(passes)):
            rng = np.random.default_rng([options.seed, self.iteration, int(sentences[0]), number])
            if dense or number == 0:
                self.set.restart(now)
            slower = 1 + options.decay * number * len(sentences) / self._decoder.size if dense else 1.0
            rate = options.learning_rate / slower
            steps, _, _ = self.set.sweep(
                rng.permutation(sentences).astype(np.uint32),
                learning_rate=rate,
                decay=options.decay / slower,
                regularization=options.regularization,
            )
            if dense:
                at_end, on_average = _shrinkage(2 * rate * options.regularization, steps)
                mean += self._given_back(self.set.mean(), on_average) / options.passes
                now = self._given_back(self.set.now(), at_end)
        if dense:
            self.set.restart(now)
        else:
            mean = self.set.mean()
        norm = self.set.squared_norm()
        if not math.isfinite(norm) or norm > _LARGEST**2 * max(1, self.set.columns):
            raise TrainingError("the weights grow without bound; lower learning_rate")
        share = 1 - options.memory
        mean *= share
        mean[: len(self._mean)] += options.memory * self._mean
        self._mean, self._share = mean, options.memory * self._share + share

    def _given_back(self, weights: FloatArray, share: float) -> FloatArray:
        weights[: len(self._start)] += share * self._start
        return weights

    def _decode(
        self,
        weights: SequenceWeights,
        sentences: npt.NDArray[np.int64],
        kept: list[Sequences],
        track: Track,
    ) -> float:
        """Add the decoder's sequences; return the summed quality of the best ones."""
        nbest = {"top": 1, "nbest": self.options.nbest, "exact": EVERYTHING}[self.options.selection]
        found = self._decoder.decode(
            weights, sentences, nbest=nbest, distinct=self.options.selection != "exact", track=track
        )
        score = 0.0
        for part in found:
            score += float(part.qualities[part.store.sentence_offsets[:-1]].sum())
            self._take_in(part if nbest == 1 else self._most_costly(part), kept)
        return score

    def _most_costly(self, found: Sequences) -> Sequences:
        if int(np.diff(found.store.sentence_offsets).max()) >= EVERYTHING:
            raise ConfigError(
                f"a sentence has {EVERYTHING:,} sequences or more; choose the selection 'nbest' or 'top'"
            )
        return found.select(self.set.most_costly(*self._arrays(found)))

    # Sequences ---------------------------------------------------------------------------------------

    def _take_in(self, part: Sequences, kept: list[Sequences], *, as_truth: bool = False) -> None:
        """Add sequences, and log the names of features that reach ``min_count``."""
        if part.store.num_candidates == 0:
            return
        self._add(part, as_truth=as_truth)
        activated = self.set.take_activated()
        if len(activated):
            self._names.add(*part.names(activated))
        # Free the search, which is large and no longer needed.
        kept.append(Sequences(part.store, part.rows, part.qualities, _forgotten))

    def _store(self, kept: list[Sequences], name: str) -> None:
        if kept:
            Sequences.join(kept).save(str(self._work / name))

    def _add(self, part: Sequences, *, as_truth: bool) -> None:
        self.set.add(*self._arrays(part), as_truth=as_truth)

    def _arrays(
        self, part: Sequences
    ) -> tuple[
        npt.NDArray[np.uint32],
        npt.NDArray[np.int64],
        npt.NDArray[np.uint64],
        npt.NDArray[np.float32],
        FloatArray,
        FloatArray,
    ]:
        columns = [part.store.dense_names.index(feature.name) for feature in self._real]
        real = np.ascontiguousarray(part.store.dense[:, columns] / self._scales) if columns else None
        if real is None:
            real = np.zeros((part.store.num_candidates, 0))
        rows = part.rows
        return part.sentences(), rows.offsets, rows.features, rows.counts, real, part.qualities

    # Results -----------------------------------------------------------------------------------------

    def weights(self) -> SequenceWeights:
        """The weights to decode with."""
        by_column = self._mean / self._share if self.options.average and self._share else self.set.now()
        real, features, values = self.set.weights(by_column)
        names = [feature.name for feature in self._real]
        return SequenceWeights(
            dict(zip(names, (real / self._scales).tolist(), strict=True)), features, values
        )

    def stored_weights(self, iteration: int) -> SequenceWeights:
        """The weights of a stored iteration."""
        return weights_of(self._work, iteration, [feature.name for feature in self._real])

    def name_arrays(
        self, features: npt.NDArray[np.uint64]
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint64]]:
        """The concatenated names of features that have a weight, and the end of each."""
        return self._names.names_of(features)


def weights_of(work: Path, iteration: int, real: Sequence[str]) -> SequenceWeights:
    """The weights that a trainer stored after an iteration."""
    arrays = open_folder(_weights_folder(work, iteration), kind=KIND, version=VERSION).arrays
    return SequenceWeights(
        dict(zip(real, arrays["real"].tolist(), strict=True)), arrays["features"], arrays["values"]
    )


def _shrinkage(rate: float, steps: int) -> tuple[float, float]:
    """The share of a weight that is lost if it shrinks by ``rate`` in each of some steps: at the end, and on
    average over the weights after each step.

    >>> _shrinkage(0.5, 2)
    (0.75, 0.625)
    """
    if not rate or not steps:
        return 0.0, 0.0
    lost = 1 - (1 - rate) ** steps
    return lost, 1 - (1 - rate) * lost / (rate * steps)


def _weights_folder(work: Path, iteration: int) -> Path:
    return work / f"weights-{iteration}"


def _name(iteration: int) -> str:
    return f"sequences-{iteration}"


def _forgotten(
    wanted: npt.NDArray[np.uint64],
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint8], npt.NDArray[np.uint64]]:
    raise ModelFormatError("names of features are no longer known", "sequences")
