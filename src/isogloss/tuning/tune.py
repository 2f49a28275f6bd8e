"""Tuning: from a decoder and a development set to weights.

``mira`` learns while it decodes and can learn sparse features. ``relevant-set`` learns sparse features from
the training text itself, which it decodes again and again. ``mert``, ``kbmira`` and ``pro`` take turns:
decode, add the candidates to those of before, find the weights that are best on all of them.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np

from isogloss.decoder.decoder import Decoder
from isogloss.decoder.external import NbestDecoder
from isogloss.decoder.sentence import Source
from isogloss.decoder.system import System
from isogloss.decoder.weights import read_weights, write_weights
from isogloss.features.name_log import NameLog
from isogloss.features.weights import SparseWeights
from isogloss.io.errors import ConfigError, ModelFormatError, TrainingError
from isogloss.io.streams import atomic_output
from isogloss.learn.learner import Learner, Track, no_track
from isogloss.learn.nbest_tuning import make_learner
from isogloss.learn.problem import Problem
from isogloss.learn.validation import check_weights_learned
from isogloss.metric import Bleu, References
from isogloss.metric.interface import Metric
from isogloss.nbest.edit import merge
from isogloss.nbest.store import NbestStore
from isogloss.tuning.online import OnlineOptions, OnlineTrainer, TrainedWeights
from isogloss.tuning.relevant_set import RelevantSetOptions, RelevantSetTrainer
from isogloss.tuning.sequence_decoder import SearchSequences, SequenceWeights

__all__ = ["METHODS", "TuneIteration", "TuneOptions", "TuneResult", "tune"]

METHODS = ("mira", "mert", "kbmira", "pro", "relevant-set")
_STATE, _POOL, _ONLINE, _NAMES, _RELEVANT = "state.json", "pool", "online", "names", "relevant"
_DENSE_FIRST = "dense"


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneOptions:
    """How to tune."""

    method: str = "mira"
    """``mira`` (online, dense and sparse), ``relevant-set`` (sparse, from the training text), ``mert``,
    ``kbmira`` or ``pro`` (dense, from n-best lists)."""
    iterations: int = 0
    """Passes over the development set; 0 for what is usual with the method."""
    nbest: int = 100
    """Candidates per sentence and iteration that ``mert``, ``kbmira`` and ``pro`` learn from."""
    restarts: int = 20
    """Random restarts of ``mert``."""
    dense_first: int = 0
    """Turns of ``kbmira`` that find where ``mira`` begins; 0 begins with the weights as they are."""
    seed: int = 1
    """Random seed of restarts and shuffling."""
    online: OnlineOptions = field(default_factory=OnlineOptions)
    """Of ``mira``; ``iterations`` and ``seed`` above take the place of its own."""
    relevant: RelevantSetOptions = field(default_factory=RelevantSetOptions)
    """Of ``relevant-set``; likewise."""

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ConfigError(f"method must be one of {', '.join(METHODS)}, got {self.method!r}")
        for name in ("iterations", "restarts", "dense_first", "seed"):
            if getattr(self, name) < 0:
                raise ConfigError(f"{name} must be at least 0, got {getattr(self, name)}")
        if self.nbest < 1:
            raise ConfigError(f"nbest must be at least 1, got {self.nbest}")

    @property
    def passes(self) -> int:
        """Iterations, with the usual number filled in."""
        usual = {"mira": self.online.iterations, "relevant-set": self.relevant.iterations}
        return self.iterations or usual.get(self.method, 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneIteration:
    """A point of the learning curve; scores in 0..100."""

    iteration: int
    dev_score: float
    """Of the development set under the weights that the iteration began with; for ``relevant-set`` the mean
    sentence BLEU of what it learns from, under the iteration's weights."""
    held_out_score: float | None = None
    """Of the held-out set: under the average so far (``mira``), the iteration's weights (``relevant-set``),
    or the weights the iteration began with."""
    upper_bound: float | None = None
    """Of the best sequences that are known, where the method looks for them; like ``dev_score``."""
    active_features: int = 0
    """Sparse features that have a weight."""
    collisions: list[str] = field(default_factory=list)
    """Sparse features that were found to have the number of another one, as sentences; nearly always none."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Where the time went."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneResult:
    """What was found: the weights of the best iteration, by the held-out set if there is one."""

    dense: dict[str, float]
    sparse: SparseWeights | None
    history: list[TuneIteration]
    best: TuneIteration


@dataclass(frozen=True, slots=True)
class Sentences:
    """Sources with their references."""

    sources: Sequence[Source]
    references: References

    def __post_init__(self) -> None:
        if len(self.sources) != len(self.references):
            raise ConfigError(
                f"{len(self.sources):,} source sentences but references for {len(self.references):,}"
            )
        if not self.sources:
            raise ConfigError("there are no sentences to tune on")


def tune(
    system: System | NbestDecoder,
    sources: Sequence[Source],
    references: References,
    options: TuneOptions | None = None,
    *,
    held_out: tuple[Sequence[Source], References] | None = None,
    start: Mapping[str, float] | None = None,
    threads: int = 1,
    track: Track = no_track,
    report: Callable[[TuneIteration], None] | None = None,
    work: Path | None = None,
) -> TuneResult:
    """Tune the weights of a system on a development set. The system's own weights do not change.

    Any other decoder can be tuned too, from ``start`` weights, by the methods that learn from lists. With a
    ``work`` folder a run that was interrupted goes on where it stopped, to the same result.
    """
    options = options or TuneOptions()
    dev, test = Sentences(sources, references), Sentences(*held_out) if held_out else None
    if not isinstance(system, System) and (start is None or options.method == "mira"):
        raise ConfigError("another decoder is tuned from start weights, by mert, kbmira or pro")
    weights = dict(getattr(system, "weights", {}) if start is None else start)
    run = _Run(dev, test, options, threads, track, report or (lambda _: None))
    with contextlib.ExitStack() as stack:
        folder = work or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="isogloss-tune-")))
        if not isinstance(system, System):
            result = run.in_turns(system, weights, folder)
        elif options.method == "mira":
            if options.dense_first:
                weights = run.dense_first(system, weights, folder / _DENSE_FIRST)
            result = run.online(system.decoder, weights, folder)
        elif options.method == "relevant-set":
            stack.enter_context(system.decoder.restored())
            system.decoder.set_weights(weights)
            result = run.relevant_set(system.decoder, folder)
        else:
            stack.enter_context(system.decoder.restored())
            system.decoder.set_weights(weights)  # what these learners see has no sparse part
            result = run.in_turns(system, weights, folder)
    check_result(result, dev)
    return result


def check_result(result: TuneResult, dev: Sentences) -> None:
    """Refuse weights with which nothing sensible comes out."""
    if not any(result.dense.values()) and not result.sparse:
        raise TrainingError("all weights became 0: no candidate is told from another")
    if result.best.dev_score <= 0:
        raise TrainingError(
            "the best translations of the development set share no four words in a row with the references "
            "(BLEU 0); is the order of sources and references the same, and the tokenisation?"
        )


class _Run:
    def __init__(
        self,
        dev: Sentences,
        held_out: Sentences | None,
        options: TuneOptions,
        threads: int,
        track: Track,
        report: Callable[[TuneIteration], None],
    ) -> None:
        self.dev, self.held_out, self.options = dev, held_out, options
        self.threads, self.track, self.report = threads, track, report
        self.history: list[TuneIteration] = []

    def dense_first(self, system: System, weights: dict[str, float], folder: Path) -> dict[str, float]:
        """Weights of dense features from lists, which tell candidates apart as widely as those given.

        How far ``mira`` goes is set for weights of the usual size, and ``kbmira`` finds weights of any size.
        """
        options = replace(self.options, method="kbmira", iterations=self.options.dense_first)
        turns = _Run(self.dev, None, options, self.threads, self.track, lambda _: None)
        with system.decoder.restored():
            system.decoder.set_weights(weights)
            found = turns.in_turns(system, weights, folder).dense
        _, _, pool = _read_turn(folder, len(turns.history))
        size = _spread(pool, weights) / (_spread(pool, found) or 1.0)
        return {name: found[name] * size if found[name] != weights[name] else weights[name] for name in found}

    def online(self, decoder: Decoder, weights: dict[str, float], folder: Path) -> TuneResult:
        online = replace(self.options.online, iterations=self.options.passes, seed=self.options.seed)
        names = NameLog(folder / _NAMES) if decoder.sparse is not None else None
        with decoder.restored():
            trainer = OnlineTrainer(
                decoder,
                self.dev.sources,
                self.dev.references,
                weights,
                online,
                name_log=names,
                threads=self.threads,
            )
            best = self._read_state(folder)
            if self.history:
                trainer.restore(folder / f"{_ONLINE}-{len(self.history)}")
            waited = len(self.history) - (best.iteration if best else 0)
            while trainer.state.iteration < online.iterations and not 0 < online.patience <= waited:
                found = trainer.iterate(self.track)
                average = trainer.average()
                step = TuneIteration(
                    iteration=found.iteration,
                    dev_score=found.score,
                    held_out_score=self._score_held_out(decoder, average),
                    active_features=found.active_features,
                    collisions=found.collisions,
                    seconds=found.seconds,
                )
                self.history.append(step)
                waited += 1
                if best is None or _worth(step, self.held_out) >= _worth(best, self.held_out):
                    best, waited = step, 0
                    _save_best(average, folder, step.iteration)
                trainer.save(folder / f"{_ONLINE}-{step.iteration}")
                self._write_state(folder, best)
                self.report(step)
        assert best is not None
        dense, sparse = _load_best(folder, best.iteration)
        return TuneResult(dense=dense, sparse=sparse, history=self.history, best=best)

    def _score_held_out(self, decoder: Decoder, weights: TrainedWeights) -> float | None:
        if self.held_out is None:
            return None
        decoder.set_weights(weights.dense, weights.sparse)
        return self._decoded_held_out(decoder)

    def _decoded_held_out(self, decoder: Decoder) -> float | None:
        if self.held_out is None:
            return None
        store = decoder.nbest(self.held_out.sources, threads=self.threads)
        return _first_best(store, self.held_out, Bleu())

    def relevant_set(self, decoder: Decoder, folder: Path) -> TuneResult:
        options = replace(self.options.relevant, iterations=self.options.passes, seed=self.options.seed)
        count = options.sentences or len(self.dev.sources)
        learnt_from = References([stream[:count] for stream in self.dev.references.streams])
        box = SearchSequences(
            decoder,
            self.dev.sources[:count],
            learnt_from,
            real=options.real_features,
            truth_list=options.truth_list,
            threads=self.threads,
        )
        trainer = RelevantSetTrainer(box, options, folder / _RELEVANT, threads=self.threads)
        best = self._read_state(folder)
        if self.history:
            trainer.restore(len(self.history))
        else:
            trainer.begin(self.track)
        while trainer.iteration < options.iterations:
            found = trainer.iterate(self.track)
            box.use(trainer.weights())
            step = TuneIteration(
                iteration=found.iteration,
                dev_score=found.score,
                held_out_score=self._decoded_held_out(decoder),
                upper_bound=found.upper_bound,
                active_features=found.active_features,
                seconds=found.seconds,
            )
            self.history.append(step)
            if best is None or _worth(step, self.held_out) >= _worth(best, self.held_out):
                best = step
            trainer.save({best.iteration})
            self._write_state(folder, best)
            self.report(step)
        assert best is not None
        weights = trainer.stored_weights(best.iteration)
        dense = {**dict.fromkeys(decoder.names, 0.0), **weights.real}
        sparse = _named(trainer, weights, decoder)
        return TuneResult(dense=dense, sparse=sparse, history=self.history, best=best)

    def in_turns(self, decoder: NbestDecoder, weights: dict[str, float], folder: Path) -> TuneResult:
        learner, metric = _learner(self.options, self.threads), Bleu()
        best = self._read_state(folder)
        best_weights, pool = weights, None
        if self.history:
            weights, best_weights, pool = _read_turn(folder, len(self.history))
        for iteration in range(len(self.history) + 1, self.options.passes + 2):
            began = time.perf_counter()
            store = decoder.decode(self.dev.sources, weights, size=self.options.nbest)
            decoded = time.perf_counter()
            held_out = None
            if self.held_out is not None:
                held_out_store = decoder.decode(self.held_out.sources, weights, size=1)
                held_out = _first_best(held_out_store, self.held_out, metric)
            size = 0 if pool is None else pool.num_candidates
            pool = store if pool is None else merge([pool, store])
            step = TuneIteration(
                iteration=iteration,
                dev_score=_first_best(store, self.dev, metric),
                held_out_score=held_out,
                seconds={"search": decoded - began},
            )
            if best is None or _worth(step, self.held_out, True) > _worth(best, self.held_out, True):
                best, best_weights = step, weights
            # The last pass only tells how good the weights of the one before are.
            if iteration <= self.options.passes and pool.num_candidates > size:
                problem = Problem.of(pool, self.dev.references, metric)
                learned = learner.learn(problem, weights, track=self.track).weights
                check_weights_learned(problem, learned)
                weights = {**weights, **learned}
                step.seconds["learning"] = time.perf_counter() - decoded
            self.history.append(step)
            pool = _write_turn(folder, iteration, weights, best_weights, pool)
            self._write_state(folder, best)
            self.report(step)
            if pool.num_candidates == size:
                break
        assert best is not None
        return TuneResult(dense=best_weights, sparse=None, history=self.history, best=best)

    def _digest(self) -> str:
        relevant = replace(self.options.relevant, iterations=1)
        options = asdict(replace(self.options, iterations=0, relevant=relevant))
        what = [options, [str(source) for source in self.dev.sources], self.dev.references.streams]
        return hashlib.sha256(json.dumps(what, default=str).encode()).hexdigest()

    def _write_state(self, folder: Path, best: TuneIteration) -> None:
        state = {
            "run": self._digest(),
            "history": [asdict(step) for step in self.history],
            "best": asdict(best),
        }
        with atomic_output(folder / _STATE) as stream:
            stream.write(json.dumps(state, indent=1) + "\n")
        # Only now is what was written before of no more use.
        for old in folder.glob("*-*"):
            if not old.name.endswith(
                (f"-{len(self.history)}", f"-{best.iteration}", f"-{best.iteration}.sparse")
            ):
                shutil.rmtree(old, ignore_errors=True) if old.is_dir() else old.unlink(missing_ok=True)

    def _read_state(self, folder: Path) -> TuneIteration | None:
        """The best iteration of a run that was stopped, whose history is taken up; None to start."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / _STATE
        if not path.exists():
            return None
        try:
            state = json.loads(path.read_text())
            if state["run"] != self._digest():
                raise ConfigError(
                    f"{folder} holds a run with other options or data; remove it or choose another folder"
                )
            self.history = [TuneIteration(**step) for step in state["history"]]
            return TuneIteration(**state["best"])
        except (ValueError, KeyError, TypeError) as error:
            if isinstance(error, ConfigError):
                raise
            raise ModelFormatError("not the state of a tuning run", path, "remove the folder") from None


def _worth(step: TuneIteration, held_out: Sentences | None, by_dev: bool = False) -> float:
    """What decides which iteration is best: the held-out set; else the latest, or the development set."""
    if held_out is not None and step.held_out_score is not None:
        return step.held_out_score
    return step.dev_score if by_dev else float(step.iteration)


def _first_best(store: NbestStore, sentences: Sentences, metric: Metric) -> float:
    lines = list(store.lines(store.sentence_offsets[:-1], len(sentences.sources)))
    return metric.score(metric.statistics(lines, sentences.references).sum(axis=0))


def _spread(pool: NbestStore, weights: Mapping[str, float]) -> float:
    """How far the scores of a sentence's candidates lie apart."""
    scores = pool.dense @ np.array([weights[name] for name in pool.dense_names])
    first, counts = pool.sentence_offsets[:-1], np.diff(pool.sentence_offsets)
    return float(np.sqrt(np.mean((scores - np.repeat(np.add.reduceat(scores, first) / counts, counts)) ** 2)))


def _learner(options: TuneOptions, threads: int) -> Learner:
    if options.method == "mert":
        return make_learner("mert", restarts=options.restarts, seed=options.seed, threads=threads)
    return make_learner(options.method, seed=options.seed)


def _named(trainer: RelevantSetTrainer, weights: SequenceWeights, decoder: Decoder) -> SparseWeights:
    assert decoder.sparse is not None
    names, ends = trainer.name_arrays(weights.features)
    return SparseWeights.from_numbers(
        weights.features, weights.values, names, ends, signature=decoder.sparse.signature
    )


def _save_best(weights: TrainedWeights, folder: Path, iteration: int) -> None:
    if weights.sparse is not None:
        weights.sparse.save(folder / f"best-{iteration}.sparse")
    write_weights(folder / f"best-{iteration}", weights.dense)


def _load_best(folder: Path, iteration: int) -> tuple[dict[str, float], SparseWeights | None]:
    sparse = folder / f"best-{iteration}.sparse"
    return read_weights(folder / f"best-{iteration}"), SparseWeights.open(sparse) if sparse.exists() else None


def _write_turn(
    folder: Path, iteration: int, weights: Mapping[str, float], best: Mapping[str, float], pool: NbestStore
) -> NbestStore:
    write_weights(folder / f"best-{iteration}", best)
    write_weights(folder / f"weights-{iteration}", weights)
    return pool.save(folder / f"{_POOL}-{iteration}")


def _read_turn(folder: Path, iteration: int) -> tuple[dict[str, float], dict[str, float], NbestStore]:
    return (
        read_weights(folder / f"weights-{iteration}"),
        read_weights(folder / f"best-{iteration}"),
        NbestStore.open(folder / f"{_POOL}-{iteration}"),
    )
