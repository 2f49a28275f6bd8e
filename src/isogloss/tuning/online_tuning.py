"""Tuning by online training: dense weights first, then several passes; the best one is kept.

If the trained weights translate the development set worse than the weights that training started from, these
are the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from isogloss.decoder.decoder import Decoder
from isogloss.decoder.system import System
from isogloss.decoder.weights import read_weights, write_weights
from isogloss.features.name_log import NameLog
from isogloss.features.weights import SparseWeights
from isogloss.tuning.job import TuneIteration, TuneResult, TuningJob
from isogloss.tuning.mixing import Mixing
from isogloss.tuning.online import OnlineIteration, OnlineOptions, OnlineTrainer, TrainedWeights
from isogloss.tuning.turns import read_turn, tune_in_turns
from isogloss.tuning.weight_scale import spread

__all__ = ["dense_first", "mixed_passes", "online_passes", "tune_online"]

_ONLINE, _NAMES, _DENSE_FIRST = "online", "names", "dense"


def tune_online(
    options: OnlineOptions, job: TuningJob, system: System, weights: Mapping[str, float], folder: Path
) -> TuneResult:
    """Find dense and sparse weights while decoding."""
    start = dense_first(job, system, weights, folder)
    with system.decoder.restored():
        if options.mixed_parts > 1:
            return mixed_passes(options, job, system.decoder, start, folder)
        return online_passes(options, job, system.decoder, start, folder)


def dense_first(
    job: TuningJob, system: System, weights: Mapping[str, float], folder: Path
) -> dict[str, float]:
    """Dense weights tuned on lists, rescaled to the score differences of the given weights.

    The step size of online training assumes weights of the usual scale, but ``batch-mira`` finds weights of
    any scale.
    """
    if not job.options.dense_first:
        return dict(weights)
    folder = folder / _DENSE_FIRST
    options = replace(job.options, method="batch-mira", iterations=job.options.dense_first or 0)
    turns = job.with_options(options)
    with system.decoder.restored():
        system.decoder.set_weights(weights)
        found = tune_in_turns(turns, system, options.learner(job.threads), weights, folder).dense
    _, _, pool = read_turn(folder, len(turns.history))
    size = spread(pool, weights) / (spread(pool, found) or 1.0)
    return {name: weight * size for name, weight in found.items()}


def online_passes(
    options: OnlineOptions, job: TuningJob, decoder: Decoder, weights: dict[str, float], folder: Path
) -> TuneResult:
    """Train in several passes; the decoder has other weights afterward."""
    best = job.read_state(folder)
    trainer = OnlineTrainer(
        decoder,
        job.dev.sources,
        job.dev.references,
        weights,
        options,
        name_log=NameLog(folder / _NAMES) if decoder.sparse is not None else None,
        threads=job.threads,
        resume=folder / f"{_ONLINE}-{len(job.history)}" if job.history else None,
    )

    def one_pass() -> tuple[OnlineIteration, TrainedWeights]:
        found = trainer.iterate(job.track)
        trainer.save(folder / f"{_ONLINE}-{found.iteration}")
        return found, trainer.average()

    result = repeat_passes(one_pass, options, job, decoder, best, folder)
    return no_worse(result, job, decoder, weights, trainer.start_score) if options.keep_start else result


def mixed_passes(
    options: OnlineOptions, job: TuningJob, decoder: Decoder, weights: dict[str, float], folder: Path
) -> TuneResult:
    """The same with parts of the sentences that learn apart; the decoder has other weights afterward."""
    best = job.read_state(folder)
    mixing = Mixing(options, job, decoder, weights, folder, passed=len(job.history))
    result = repeat_passes(mixing.iterate, options, job, decoder, best, folder)
    return no_worse(result, job, decoder, weights, None) if options.keep_start else result


def repeat_passes(
    one_pass: Callable[[], tuple[OnlineIteration, TrainedWeights]],
    options: OnlineOptions,
    job: TuningJob,
    decoder: Decoder,
    best: TuneIteration | None,
    folder: Path,
) -> TuneResult:
    """Repeat passes until there are enough, or until held-out text gains no more; the best weights win."""
    waited = len(job.history) - (best.iteration if best else 0)
    while len(job.history) < options.iterations and not 0 < options.patience <= waited:
        found, average = one_pass()
        if job.held_out is not None:
            decoder.set_weights(average.dense, average.sparse)
        step = TuneIteration(
            iteration=found.iteration,
            dev_score=found.score,
            held_out_score=job.score_held_out(decoder),
            active_features=found.active_features,
            collisions=found.collisions,
            seconds=found.seconds,
        )
        job.history.append(step)
        waited += 1
        if best is None or job.worth(step) >= job.worth(best):
            best, waited = step, 0
            _save_best(average, folder, step.iteration)
        job.write_state(folder, best)
        job.report(step)
    assert best is not None
    dense, sparse = _load_best(folder, best.iteration)
    return TuneResult(dense=dense, sparse=sparse, history=job.history, best=best)


def no_worse(
    found: TuneResult,
    job: TuningJob,
    decoder: Decoder,
    start: dict[str, float],
    start_score: float | None,
) -> TuneResult:
    """What was found, or the start if that translates the development set better."""
    if start_score is None:
        decoder.set_weights(start)
        start_score = job.score_dev(decoder)
    decoder.set_weights(found.dense, found.sparse)
    score = job.score_dev(decoder)
    if score >= start_score:
        return found
    decoder.set_weights(start)
    best = TuneIteration(
        iteration=0, dev_score=start_score, held_out_score=job.score_held_out(decoder), active_features=0
    )
    note = (
        f"the weights of online training translate the development set worse ({score:.2f} BLEU) than those "
        f"that it started from ({start_score:.2f}), which are kept"
    )
    return TuneResult(dense=start, sparse=None, history=found.history, best=best, notes=(note,))


def _save_best(weights: TrainedWeights, folder: Path, iteration: int) -> None:
    if weights.sparse is not None:
        weights.sparse.save(folder / f"best-{iteration}.sparse")
    write_weights(folder / f"best-{iteration}", weights.dense)


def _load_best(folder: Path, iteration: int) -> tuple[dict[str, float], SparseWeights | None]:
    sparse = folder / f"best-{iteration}.sparse"
    return read_weights(folder / f"best-{iteration}"), SparseWeights.open(sparse) if sparse.exists() else None
