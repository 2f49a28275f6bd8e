"""Choose how to tune on text that no candidate has learned from.

The development set is divided into two halves. Every candidate learns from one half and translates the other;
a paired bootstrap over all sentences says whether one is better. Sparse features must earn their place: dense
weights are used unless what was learned in addition is better.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np

from isogloss.decoder.decoder import Decoder
from isogloss.decoder.sentence import Source
from isogloss.features.weights import SparseWeights
from isogloss.io.options import AtLeast, Between, Options
from isogloss.io.progress import Track, no_track
from isogloss.metric import Bleu, References
from isogloss.metric.interface import Statistics
from isogloss.metric.significance import paired_bootstrap
from isogloss.tuning.job import Sentences, TuneIteration, TuneResult, TuningJob
from isogloss.tuning.online import OnlineOptions
from isogloss.tuning.online_tuning import dense_first, online_passes
from isogloss.tuning.turns import tune_in_turns

if TYPE_CHECKING:
    from isogloss.decoder.system import System
    from isogloss.tuning.options import TuneOptions

__all__ = ["AutoOptions", "Compared", "HeldOutChoice"]

FEWEST = 100
"""With fewer sentences, halves are too small to compare anything on."""


class Blend(NamedTuple):
    """A share of what online training adds to dense weights, with dense weights that move by such steps."""

    share: float
    dense_scale: float | None = None
    """That of the options if None."""


CANDIDATES = {
    "batch-mira": Blend(0.0),
    "half of what online-mira adds": Blend(0.5),
    "three quarters of what online-mira adds": Blend(0.75),
    "online-mira": Blend(1.0),
    "half of what online-mira with large dense steps adds": Blend(0.5, 1.0),
    "three quarters of what online-mira with large dense steps adds": Blend(0.75, 1.0),
    "online-mira with large dense steps": Blend(1.0, 1.0),
}
"""What may be compared, the simplest first."""
REPEATS = {"normal": 1, "thorough": 3}
"""In how many ways the development set is divided, and how many trainings the result is the mean of."""
_BLOCK = 10
_METRIC = Bleu()
_COLUMNS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoOptions(Options):
    """Options of the method ``auto``.

    >>> AutoOptions().p_value
    0.1
    """

    iterations: Annotated[int, AtLeast(1)] = 4
    """Passes of ``online-mira`` over the development set."""
    p_value: Annotated[float, Between(0, 1)] = 0.1
    """Use sparse features only if they are better than dense weights alone with at most this p-value, on text
    that was not learned from."""

    def tune(self, job: TuningJob, system: System, weights: Mapping[str, float], folder: Path) -> TuneResult:
        """Find weights for a system."""
        return tune_auto(self, job, system, weights, folder)


@dataclass(frozen=True, slots=True)
class Compared:
    """A candidate on text that it has not learned from."""

    name: str
    bleu: float
    length: float
    """Words per word of the reference."""
    difference: float = 0.0
    """BLEU above that of the simplest candidate."""
    p_value: float = 1.0


@dataclass(frozen=True, slots=True)
class HeldOutChoice:
    """What was compared, the simplest first, and what was chosen."""

    candidates: tuple[Compared, ...]
    chosen: str
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


def choose_simplest(candidates: Mapping[str, Sequence[Statistics]], p_value: float) -> HeldOutChoice:
    """The best of several candidates, simplest first, given the statistics of what they translated, once or
    several times.

    The simplest is chosen unless the best one is better with at most this p-value.
    """
    names = list(candidates)
    simplest = candidates[names[0]]
    compared = []
    for name, runs in candidates.items():
        sums = [run.sum(axis=0) for run in runs]
        found = Compared(
            name,
            float(np.mean([_METRIC.score(summed) for summed in sums])),
            float(np.mean([summed[0] / max(1, summed[1]) for summed in sums])),
        )
        if name != names[0]:
            test = paired_bootstrap(_METRIC, simplest, runs)
            found = replace(found, difference=test.difference, p_value=test.p_value)
        compared.append(found)
    best = max(compared, key=lambda one: one.bleu)
    sure = best.name == names[0] or best.p_value <= p_value
    return HeldOutChoice(tuple(compared), best.name if sure else names[0], _reason(compared[0], best, sure))


def _reason(simplest: Compared, best: Compared, sure: bool) -> str:
    where = "on text that it has not learned from"
    if best.name == simplest.name:
        return f"{best.name} is best {where}: {best.bleu:.2f} BLEU"
    figures = f"{best.bleu:.2f} BLEU, {best.difference:+.2f} (p {best.p_value:.3f})"
    if sure:
        return f"{best.name} is better than {simplest.name} {where}: {figures}"
    return f"{simplest.name} is used: {best.name} may be better only by chance {where}: {figures}"


class LearnedFrom(NamedTuple):
    """Dense weights, and what online training made of them."""

    start: Mapping[str, float]
    dense: Mapping[str, float]
    sparse: SparseWeights | None


def mixture(learned: Sequence[LearnedFrom], share: float) -> tuple[dict[str, float], SparseWeights | None]:
    """The mean of several weights, each this share of the way from dense weights to those of online training.

    A feature that only some of them know counts less.
    """
    dense = {
        name: float(np.mean([(1 - share) * one.start[name] + share * one.dense[name] for one in learned]))
        for name in learned[0].start
    }
    parts = [(one.sparse, share / len(learned)) for one in learned if one.sparse is not None]
    return dense, SparseWeights.weighted_sum(parts) if parts and share else None


def halves(count: int, seed: int) -> tuple[list[int], list[int]]:
    """Divide sentences at random into halves; neighbors, which may be of one document, stay together."""
    blocks = [list(range(begin, min(begin + _BLOCK, count))) for begin in range(0, count, _BLOCK)]
    order = np.random.default_rng(seed).permutation(len(blocks)).tolist()
    one, two = ([row for block in sorted(order[part::2]) for row in blocks[block]] for part in range(2))
    return one, two


def spread_sample(count: int, most: int) -> list[int]:
    """At most so many of the sentences, in blocks of neighbors from everywhere in the text."""
    blocks = math.ceil(count / _BLOCK)
    wanted = min(blocks, max(1, most // _BLOCK))
    chosen = [at * blocks // wanted for at in range(wanted)]
    return [row for at in chosen for row in range(at * _BLOCK, min((at + 1) * _BLOCK, count))]


def tune_auto(
    options: AutoOptions, job: TuningJob, system: System, weights: Mapping[str, float], folder: Path
) -> TuneResult:
    """Find weights for a system, with as much effort as the job says."""
    count = len(job.dev.sources)
    if job.options.effort == "quick" or system.decoder.sparse is None:
        return _dense_alone(job, system, weights, folder)
    if count < FEWEST:
        note = f"{count} sentences are too few to compare tuners on; only dense weights are tuned"
        return replace(_dense_alone(job, system, weights, folder), notes=(note,))
    with system.decoder.restored():
        choice = _compare(options, job, system, weights, folder)
        chosen = CANDIDATES[choice.chosen]
        if chosen.share == 0:
            found = _dense_alone(job, system, weights, folder)
        else:
            found = _with_sparse(job, system, weights, folder, chosen)
    return replace(found, notes=(choice.reason, *found.notes), choice=choice)


def _with_sparse(
    job: TuningJob, system: System, weights: Mapping[str, float], folder: Path, chosen: Blend
) -> TuneResult:
    """Weights from the whole development set, and from several orders of it with more effort."""
    learned, first = [], None
    for number in range(REPEATS[job.options.effort]):
        options = replace(job.part_options, seed=job.options.seed + number)
        report = job.report if number == 0 else _silent
        whole = TuningJob(job.dev, job.held_out, options, threads=job.threads, track=job.track, report=report)
        place = folder / f"all-{number}"
        start = dense_first(whole, system, weights, place)
        made, found = _learn(whole, system.decoder, start, place, chosen.dense_scale)
        learned.append(made)
        first = first or found
    assert first is not None
    dense, sparse = mixture(learned, chosen.share)
    return replace(first, dense=dense, sparse=sparse)


def _silent(step: TuneIteration) -> None:
    """Reports nothing."""


def translated_unseen(
    system: System,
    sources: Sequence[Source],
    references: References,
    options: TuneOptions,
    threads: int = 1,
    track: Track = no_track,
) -> Statistics:
    """Statistics of all sentences, each translated with dense weights that were tuned on the other half."""
    job = TuningJob(
        Sentences(sources, references), None, options, threads=threads, track=track, report=_silent
    )
    weights = dict(system.weights)
    found = np.zeros((len(sources), _COLUMNS), np.int64)
    parts = halves(len(sources), options.seed)
    with tempfile.TemporaryDirectory(prefix="isogloss-tune-") as folder, system.decoder.restored():
        for number, (half, other) in enumerate(zip(parts, reversed(parts), strict=True)):
            part = job.part(half)
            system.decoder.set_weights(dense_first(part, system, weights, Path(folder) / str(number)))
            found[other] = _translated(system.decoder, job, other)
    return found


def _dense_alone(job: TuningJob, system: System, weights: Mapping[str, float], folder: Path) -> TuneResult:
    """Dense weights by batch MIRA; the development set chooses the iteration."""
    turns = job.options.iterations or job.options.dense_first or 1
    options = replace(job.options, method="batch-mira", iterations=turns)
    dense = TuningJob(job.dev, job.held_out, options, threads=job.threads, track=job.track, report=job.report)
    with system.decoder.restored():
        system.decoder.set_weights(weights)
        return tune_in_turns(dense, system, options.learner(job.threads), weights, folder / "dense")


def _compare(
    options: AutoOptions, job: TuningJob, system: System, weights: Mapping[str, float], folder: Path
) -> HeldOutChoice:
    """Learn from every half, and translate the other one with every candidate."""
    count, decoder = len(job.dev.sources), system.decoder
    compared = compared_blends(job.options)
    runs: dict[str, list[Statistics]] = {name: [] for name in compared}
    for division in range(REPEATS[job.options.effort]):
        tables = {name: np.zeros((count, _COLUMNS), np.int64) for name in compared}
        parts = halves(count, job.options.seed + division)
        for number, (half, other) in enumerate(zip(parts, reversed(parts), strict=True)):
            place = folder / f"half-{division}-{number}"
            start = dense_first(job.part(half), system, weights, place)
            learned = {
                scale: _learn(job.part(half), decoder, start, place, scale)[0]
                for scale in dict.fromkeys(one.dense_scale for one in compared.values() if one.share)
            }
            for name, (share, scale) in compared.items():
                made = learned[scale] if share else LearnedFrom(start, start, None)
                decoder.set_weights(*mixture([made], share))
                tables[name][other] = _translated(decoder, job, other)
        for name, table in tables.items():
            runs[name].append(table)
    return choose_simplest(runs, options.p_value)


def compared_blends(options: TuneOptions) -> dict[str, Blend]:
    """What is compared. The usual small steps have never won where the search was chosen, so that with normal
    effort, dense weights move with large steps, or with those of the options."""
    usual = options.online.dense_scale
    found = {name: one for name, one in CANDIDATES.items() if one.dense_scale != usual}
    if options.effort == "normal" and usual == OnlineOptions().dense_scale:
        found = {name: one for name, one in found.items() if one.dense_scale is not None or not one.share}
    return found


def _learn(
    job: TuningJob, decoder: Decoder, start: dict[str, float], folder: Path, dense_scale: float | None
) -> tuple[LearnedFrom, TuneResult]:
    """Train online from dense weights."""
    if dense_scale is not None:
        job.options = replace(job.options, online=replace(job.options.online, dense_scale=dense_scale))
        folder = folder / f"steps_{dense_scale:g}"
    found = online_passes(job.options.learner(job.threads), job, decoder, start, folder)
    return LearnedFrom(start, found.dense, found.sparse), found


def _translated(decoder: Decoder, job: TuningJob, rows: Sequence[int]) -> Statistics:
    """Statistics of the best translations of some sentences."""
    some = job.dev.part(rows)
    store = decoder.nbest(some.sources, threads=job.threads)
    lines = list(store.lines(store.sentence_offsets[:-1], len(rows)))
    return _METRIC.statistics(lines, some.references)
