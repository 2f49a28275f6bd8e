"""Choosing λ and α on a held-out set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from isogloss.adapt.memory import Memory
from isogloss.adapt.options import LocalOptions, RetrievalOptions
from isogloss.adapt.translator import LocalTranslator
from isogloss.io.errors import ConfigError
from isogloss.io.progress import Track, no_track
from isogloss.metric import Bleu, Comparison, References, paired_bootstrap
from isogloss.metric.interface import Statistics

if TYPE_CHECKING:
    from isogloss.decoder import System

__all__ = [
    "STRENGTHS",
    "LocalTuning",
    "Trial",
    "baseline_statistics",
    "best_for_all",
    "local_statistics",
    "settings_of",
    "tune_local",
]

STRENGTHS: dict[str, tuple[float, ...]] = {
    "mbuu": (0.3, 1.0, 3.0, 10.0),
    "ebuu": (30.0, 100.0, 300.0, 1000.0),
}
"""λ that are tried unless others are given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A setting and what came of it."""

    options: LocalOptions
    bleu: float
    comparison: Comparison
    """With the baseline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalTuning:
    """What came of every setting."""

    baseline: float
    """BLEU with the system's own weights."""
    trials: Sequence[Trial]

    @property
    def best(self) -> LocalOptions:
        """The setting with the highest BLEU; λ = 0 if none is better than the baseline."""
        return best_for_all([self])


def best_for_all(found: Sequence[LocalTuning]) -> LocalOptions:
    """Of sweeps of the same settings on several sets: the setting that gains most, on average, of those that
    make no set worse than the baseline; λ = 0 if there is none."""
    gains = [[trial.bleu - one.baseline for trial in one.trials] for one in found]
    means = [sum(column) / len(column) for column in zip(*gains, strict=True)]
    order = sorted(range(len(means)), key=lambda number: -means[number])
    settings = [trial.options for trial in found[0].trials]
    for number in order:
        if means[number] > 0 and all(row[number] >= 0 for row in gains):
            return settings[number]
    return replace(settings[order[0]], strength=0.0)


def tune_local(
    system: System,
    memory: Memory,
    sources: Sequence[str],
    references: References,
    settings: Sequence[LocalOptions],
    *,
    retrieval: RetrievalOptions | None = None,
    threads: int = 1,
    track: Track = no_track,
) -> LocalTuning:
    """Translate a held-out set with the baseline and with every setting."""
    if not settings:
        raise ConfigError("there are no settings to try")
    metric = Bleu()
    baseline = baseline_statistics(system, sources, references, threads=threads)
    trials: list[Trial] = []
    for options in track(settings, "settings", len(settings)):
        translator = LocalTranslator(system, memory, retrieval, options)
        rows = local_statistics(translator, sources, references, threads=threads)
        comparison = paired_bootstrap(metric, [baseline], [rows])
        trials.append(Trial(options=options, bleu=metric.score(rows.sum(axis=0)), comparison=comparison))
    return LocalTuning(baseline=metric.score(baseline.sum(axis=0)), trials=trials)


def settings_of(
    method: LocalOptions, strengths: Sequence[float] = (), sharpnesses: Sequence[float] = ()
) -> list[LocalOptions]:
    """All combinations of λ and α, the rest as in ``method``."""
    chosen = strengths or STRENGTHS[method.method]
    sharp = sharpnesses or (method.sharpness,)
    return [replace(method, strength=strength, sharpness=alpha) for alpha in sharp for strength in chosen]


def baseline_statistics(
    system: System, sources: Sequence[str], references: References, *, threads: int = 1
) -> Statistics:
    """BLEU statistics of the system's own translations."""
    return Bleu().statistics(list(system.translate(sources, threads=threads)), references)


def local_statistics(
    translator: LocalTranslator, sources: Sequence[str], references: References, *, threads: int = 1
) -> Statistics:
    """BLEU statistics of translations with local weights."""
    texts = [done.text for done in translator.translate(sources, threads=threads)]
    return Bleu().statistics(texts, references)
