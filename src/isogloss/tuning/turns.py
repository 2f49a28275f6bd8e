"""Batch tuning: decode, merge the candidates with earlier ones, and tune the weights on all of them.

WORK/lists/7       the candidates of turn 7
WORK/weights-7     the weights after it; best-7 has those of the best turn so far
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np

from isogloss.decoder.external import NbestDecoder
from isogloss.decoder.sentence import Source
from isogloss.decoder.system import System
from isogloss.decoder.weights import read_weights, write_weights
from isogloss.learn.learner import Learner
from isogloss.learn.problem import Problem
from isogloss.learn.validation import check_weights_learned
from isogloss.metric import Bleu
from isogloss.nbest.edit import merge
from isogloss.nbest.store import NbestStore
from isogloss.tuning.job import TuneIteration, TuneResult, TuningJob, first_best
from isogloss.tuning.weight_scale import in_proportion

__all__ = ["read_turn", "tune_in_turns"]

_LISTS, _POOL = "lists", "pool"


def tune_in_turns(
    job: TuningJob, decoder: NbestDecoder, learner: Learner, weights: Mapping[str, float], folder: Path
) -> TuneResult:
    """Find dense weights with an n-best learner."""
    now, passes = dict(weights), job.options.passes
    best = job.read_state(folder)
    best_weights, pool = now, None
    if job.history:
        now, best_weights, pool = read_turn(folder, len(job.history))
    decode: _Decode = decoder.decode
    if isinstance(decoder, System):  # other decoders have threads of their own
        decode = partial(decoder.decode, threads=job.threads)
        if job.elsewhere is not None:
            decode = job.elsewhere.decode
    for iteration in range(len(job.history) + 1, passes + 2):
        began = time.perf_counter()
        store = decode(job.dev.sources, now, size=job.options.nbest)
        decoded = time.perf_counter()
        size = 0 if pool is None else pool.num_candidates
        pool = store if pool is None else merge([pool, store])
        step = TuneIteration(
            iteration=iteration,
            dev_score=first_best(store, job.dev),
            held_out_score=_held_out_score(job, decode, now),
            seconds={"search": decoded - began},
        )
        if best is None or job.worth(step, by_dev=True) > job.worth(best, by_dev=True):
            best, best_weights = step, now
        # The last pass only evaluates the weights of the previous one.
        if iteration <= passes and pool.num_candidates > size:
            begun = time.perf_counter()
            learned = {**now, **_learned(job, learner, pool, now)}
            # Weights reach the size that the learner wants in the first turn.
            now = in_proportion(pool, now, learned) if iteration == 1 else learned
            step.seconds["learning"] = time.perf_counter() - begun
        job.history.append(step)
        _write_turn(folder, iteration, now, best_weights, store)
        job.write_state(folder, best)
        job.report(step)
        if pool.num_candidates == size:
            break
    assert best is not None
    notes = _prohibitions(weights, best_weights, pool)
    return TuneResult(dense=best_weights, sparse=None, history=job.history, best=best, notes=notes)


_MOST_MASS = 0.8


def _prohibitions(
    start: Mapping[str, float], found: Mapping[str, float], pool: NbestStore | None
) -> tuple[str, ...]:
    """A note if one weight came to outweigh all others together many times.

    That of ``unknown`` is large from the start: it is noted if the share of the others was halved.
    """
    if pool is None:
        return ()
    free = [name for name, column in zip(pool.dense_names, pool.dense.T, strict=True) if np.ptp(column)]

    def mass(weights: Mapping[str, float]) -> dict[str, float]:
        total = sum(abs(weights[name]) for name in free) or 1.0
        return {name: abs(weights[name]) / total for name in free}

    before = mass(start)
    return tuple(
        f"the weight of '{name}' has {part:.0%} of the size of all weights: it forbids what it should weigh, "
        "and other text may suffer; compare with the method batch-mira"
        for name, part in mass(found).items()
        if part > _MOST_MASS >= before[name] and 1 - part < (1 - before[name]) / 2
    )


class _Decode(Protocol):
    def __call__(self, sources: Sequence[Source], weights: Mapping[str, float], *, size: int) -> NbestStore:
        """The n-best lists of the sources with these weights."""


def _held_out_score(job: TuningJob, decode: _Decode, weights: Mapping[str, float]) -> float | None:
    if job.held_out is None:
        return None
    return first_best(decode(job.held_out.sources, weights, size=1), job.held_out)


def _learned(
    job: TuningJob, learner: Learner, pool: NbestStore, weights: Mapping[str, float]
) -> Mapping[str, float]:
    problem = Problem.of(pool, job.dev.references, Bleu())
    found = learner.learn(problem, weights, track=job.track).weights
    check_weights_learned(problem, found)
    return found


def _write_turn(
    folder: Path, iteration: int, weights: Mapping[str, float], best: Mapping[str, float], store: NbestStore
) -> None:
    write_weights(folder / f"best-{iteration}", best)
    write_weights(folder / f"weights-{iteration}", weights)
    store.save(folder / _LISTS / str(iteration))


def read_turn(folder: Path, iteration: int) -> tuple[dict[str, float], dict[str, float], NbestStore]:
    """The weights after an iteration, the best so far, and all candidates so far."""
    earlier = folder / f"{_POOL}-{iteration}"
    if earlier.exists():  # all candidates, as an earlier version stored them
        NbestStore.open(earlier).save(folder / _LISTS / "0")
    stored = sorted(int(path.name) for path in (folder / _LISTS).iterdir())
    lists = [NbestStore.open(folder / _LISTS / str(number)) for number in stored if number <= iteration]
    return (
        read_weights(folder / f"weights-{iteration}"),
        read_weights(folder / f"best-{iteration}"),
        merge(lists) if len(lists) > 1 else lists[0],
    )
