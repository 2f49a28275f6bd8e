"""Tune λ and α on a held-out set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from isogloss.adapt.memory import Memory
from isogloss.adapt.memory_update import save_tuned
from isogloss.adapt.options import (
    DEFAULT_SHARPNESSES,
    LocalMethod,
    LocalOptions,
    RetrievalOptions,
    by_method,
)
from isogloss.adapt.translator import LocalTranslator
from isogloss.io.errors import ConfigError
from isogloss.io.options import Above, AtLeast, Options
from isogloss.io.streams import StrPath, read_lines
from isogloss.metric import Bleu, Comparison, References, paired_bootstrap
from isogloss.metric.interface import Statistics
from isogloss.metric.references import check_length

if TYPE_CHECKING:
    from isogloss.decoder import System

__all__ = [
    "STRENGTHS",
    "LocalTrial",
    "LocalTuning",
    "MemoryTuneOptions",
    "baseline_statistics",
    "best_for_all",
    "local_statistics",
    "settings_of",
    "tune_local",
    "tune_memory",
]

T = TypeVar("T")
Track = Callable[[Iterable[T], str, int], Iterable[T]]

STRENGTHS: dict[str, tuple[float, ...]] = {
    "mbuu": (0.3, 1.0, 3.0, 10.0),
    "ebuu": (30.0, 100.0, 300.0, 1000.0),
}
"""Default values of λ to try."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryTuneOptions(Options):
    """Which settings of local training to try on a held-out set."""

    method: LocalMethod = "ebuu"
    """Method of local training: ``mbuu`` (large margin) or ``ebuu`` (expected error)."""
    strength: Annotated[tuple[float, ...], AtLeast(0), by_method(STRENGTHS)] = ()
    """Strengths of local training (λ) to try."""
    sharpness: Annotated[tuple[float, ...], Above(0), by_method(DEFAULT_SHARPNESSES)] = ()
    """Values of sharpness (α) to try."""
    size: Annotated[int, AtLeast(1)] = 100
    """Maximum number of examples per sentence."""
    skip_identical: bool = False
    """Ignore examples whose source is the sentence itself."""
    save: bool = True
    """Store the best setting in the memory, where 'isogloss translate --local' finds it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalTrial:
    """A setting and its result."""

    options: LocalOptions
    bleu: float
    comparison: Comparison
    """Comparison with the baseline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalTuning:
    """The result of a sweep."""

    baseline: float
    """BLEU with the system's own weights."""
    trials: Sequence[LocalTrial]

    @property
    def best(self) -> LocalOptions:
        """The setting with the highest BLEU; λ = 0 if none is better than the baseline."""
        return best_for_all([self])

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        best = self.best
        return {
            "baseline": self.baseline,
            "trials": [
                {
                    "strength": trial.options.strength,
                    "sharpness": trial.options.sharpness,
                    "bleu": trial.bleu,
                    "p_value": trial.comparison.p_value,
                }
                for trial in self.trials
            ],
            "best": {"method": best.method, "strength": best.strength, "sharpness": best.sharpness},
        }


def best_for_all(found: Sequence[LocalTuning]) -> LocalOptions:
    """The setting with the highest mean gain over several sets that makes no set worse than the baseline; λ =
    0 if there is none."""
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
    track: Track[LocalOptions] | None = None,
) -> LocalTuning:
    """Translate a held-out set with the baseline and with every setting."""
    if not settings:
        raise ConfigError("there are no settings to try; give at least one strength and one sharpness")
    metric = Bleu()
    baseline = baseline_statistics(system, sources, references, threads=threads)
    trials: list[LocalTrial] = []
    for options in track(settings, "settings", len(settings)) if track else settings:
        translator = LocalTranslator(system, memory, retrieval, options)
        rows = local_statistics(translator, sources, references, threads=threads)
        comparison = paired_bootstrap(metric, [baseline], [rows])
        trials.append(LocalTrial(options=options, bleu=metric.score(rows.sum(axis=0)), comparison=comparison))
    return LocalTuning(baseline=metric.score(baseline.sum(axis=0)), trials=trials)


def tune_memory(
    path: StrPath,
    system: System,
    source: StrPath,
    references: Sequence[StrPath],
    options: MemoryTuneOptions | None = None,
    *,
    threads: int = 1,
    track: Track[LocalOptions] | None = None,
) -> LocalTuning:
    """Tune λ and α of a stored memory on held-out sentences, which must not be in the memory.

    Every setting translates the sentences of ``source`` and is compared with the system's own weights on the
    ``references``. The best setting is stored in the memory, unless ``options.save`` is False.
    """
    options = options or MemoryTuneOptions()
    memory = Memory.open(path, system)
    sources, translations = list(read_lines(source)), References.read(references)
    check_length(str(source), len(sources), str(references[0]), len(translations))
    found = tune_local(
        system,
        memory,
        sources,
        translations,
        settings_of(LocalOptions(method=options.method), options.strength, options.sharpness),
        retrieval=RetrievalOptions(
            size=options.size, skip_identical=options.skip_identical or memory.of_training_text
        ),
        threads=threads,
        track=track,
    )
    if options.save:
        save_tuned(path, found.best, options.size)
    return found


def settings_of(
    method: LocalOptions, strengths: Sequence[float] = (), sharpnesses: Sequence[float] = ()
) -> list[LocalOptions]:
    """All combinations of λ and α, with the other options of ``method``."""
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
