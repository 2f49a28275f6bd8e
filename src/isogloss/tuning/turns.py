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
from isogloss.tuning.weight_scale import in_proportion, spread

__all__ = ["read_turn", "tune_in_turns"]

_LISTS, _POOL = "lists", "pool"
_LEAST_RISE = 0.1  # BLEU; turns with less are of no use
_PATIENCE = 2  # such turns in a row before there are no more
_FALL = 1.0  # BLEU; after a turn that lost as much, the next one may recover it
_OPPOSITE = 0.1  # of the spread of scores; less is left between weights that want the opposite
_CAREFUL = 2  # first turns, whose lists know only translations by the start weights or weights like them


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
    turns = range(len(job.history) + 1, passes + 2)
    for iteration in turns if not _has_settled(job) else ():
        began = time.perf_counter()
        # The last pass only evaluates the weights of the previous one.
        size = job.options.nbest if iteration <= passes else 1
        store = decode(job.dev.sources, now, size=size)
        decoded = time.perf_counter()
        known = 0 if pool is None else pool.num_candidates
        pool = store if pool is None else merge([pool, store])
        step = TuneIteration(
            iteration=iteration,
            dev_score=first_best(store, job.dev),
            held_out_score=_held_out_score(job, decode, now),
            seconds={"search": decoded - began},
        )
        if best is None or job.worth(step, by_dev=True) > job.worth(best, by_dev=True):
            best, best_weights = step, now
        job.history.append(step)
        done = pool.num_candidates == known or _has_settled(job)
        if iteration <= passes and not done:
            begun = time.perf_counter()
            found = {**now, **_learned(job, learner, pool, now)}
            if iteration <= _CAREFUL + 1:  # later, weights have the size that the learner wants
                found = in_proportion(pool, now, found)
            now = _halfway(pool, now, found) if iteration <= _CAREFUL else found
            step.seconds["learning"] = time.perf_counter() - begun
        _write_turn(folder, iteration, now, best_weights, store)
        job.write_state(folder, best)
        job.report(step)
        if done:
            break
    assert best is not None
    notes = _prohibitions(weights, best_weights, pool)
    return TuneResult(dense=best_weights, sparse=None, history=job.history, best=best, notes=notes)


def _has_settled(job: TuningJob) -> bool:
    """Whether the last turns did not raise the score noticeably."""
    scores = [job.worth(step, by_dev=True) for step in job.history]
    before, last = scores[:-_PATIENCE], scores[-_PATIENCE:]
    return bool(before) and all(-_FALL < score - max(before) < _LEAST_RISE for score in last)


def _halfway(pool: NbestStore, now: Mapping[str, float], found: dict[str, float]) -> dict[str, float]:
    """Weights between two others, in the scale of the first; the second if what is between tells hardly any
    candidates apart, as between opposites."""
    own, other = spread(pool, now), spread(pool, found)
    if own == 0 or other == 0:
        return found
    middle = {name: (now.get(name, 0.0) + weight * own / other) / 2 for name, weight in found.items()}
    return middle if spread(pool, middle) > _OPPOSITE * own else found


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
