"""The experiments of Liu et al. (2012) on the user's data: one description, all their tables and the figure.

The description is a TOML file; paths are relative to it::

    preset = "paper"               # or "best" (optional)
    system = "system"              # a stored system
    dev = "news-02"                # the set the baseline is tuned on
    tune = ["news-05"]             # sets λ and α are chosen on: the best on average that makes none worse
    other_dev = ["news-06"]        # sets to tune further baselines on, for comparison (optional)
    runs = 5                       # MERT runs, of which the best on dev is the baseline
    baselines = 3                  # baselines, each from runs of its own; scores are means over them
    leave_one_out = "train.links"  # if the examples are the training text: its links or an aligner

    [ebuu]                         # options of local training that differ from the preset (optional)
    sharpness = 10

    [retrieval]                    # the examples
    source = "train.zh"
    references = ["train.en"]

    [sets.news-02]                 # every set that is mentioned, and the test sets
    source = "news-02.zh"
    references = ["news-02.en.0", "news-02.en.1"]
    external = { moses = "news-02.moses" }    # outputs of other systems (optional)

Weights and statistics are kept in the folder of the results: an interrupted run resumes there.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, get_args

import numpy as np

from isogloss.adapt.memory import KIND, VERSION, Memory
from isogloss.adapt.memory_update import build_memory, read_examples
from isogloss.adapt.options import (
    DEFAULT_SHARPNESSES,
    LOCAL_PRESETS,
    LocalMethod,
    LocalOptions,
    MemoryOptions,
    RetrievalOptions,
    by_method,
)
from isogloss.adapt.translator import LocalTranslator
from isogloss.adapt.tune import (
    STRENGTHS,
    LocalTuning,
    baseline_statistics,
    best_for_all,
    local_statistics,
    settings_of,
    tune_local,
)
from isogloss.align import AlignmentModel
from isogloss.decoder import load
from isogloss.decoder.example_index import Frequencies
from isogloss.decoder.sentence import split_words
from isogloss.experiments.local_training_report import local_training_tables
from isogloss.experiments.presets import Preset, settings_toml
from isogloss.experiments.results import ExperimentResults, Say, page_of
from isogloss.io.config import from_settings
from isogloss.io.errors import ConfigError, OutputError
from isogloss.io.options import AtLeast, DefaultText, Options
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath, atomic_output, read_lines
from isogloss.metric import Bleu, BleuOptions, References, bleu_scores, paired_bootstrap
from isogloss.metric.interface import Statistics
from isogloss.metric.references import check_length
from isogloss.storage.folder import open_folder
from isogloss.tuning import TuneOptions
from isogloss.tuning import tune as tune_system

__all__ = ["ComparedSet", "LocalTrainingTask", "run_local_training"]

_UPDATES: tuple[str, ...] = get_args(LocalMethod)
_SHARPNESSES: dict[str, dict[str, tuple[float, ...]]] = {
    "paper": {"mbuu": (1.0,), "ebuu": (1.0, 3.0, 10.0, 30.0)},
    "best": {method: (value,) for method, value in DEFAULT_SHARPNESSES.items()},
}
"""Values of α to try. The paper prints none."""
_CURVES: dict[str, dict[str, tuple[float, ...]]] = {
    "paper": {"mbuu": (0.0, 0.009, 0.018, 0.036), "ebuu": (0.0, 0.02, 0.04, 0.06, 0.08, 0.1)},
    "best": STRENGTHS,
}
"""Values of λ in the curves; those of EBUU are the range of Figure 2."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedSet(Options):
    """A set of sentences with references and outputs of other systems."""

    source: Path
    """Tokenized sentences, one per line."""
    references: tuple[Path, ...]
    """Their translations, one file per translator."""
    external: Mapping[str, Path] = field(default_factory=dict)
    """Translations of other systems to compare with, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalTrainingTask(Options):
    """The data and the settings. The names are stored with the results."""

    preset: Preset = "paper"
    """Settings of local training: of the paper, or those that win on held-out text (``best``)."""
    system: Path
    """Stored system to adapt; every MERT run starts from its weights."""
    retrieval: ComparedSet
    """The examples."""
    dev: str
    """Name of the set that the baseline is tuned on."""
    tune: tuple[str, ...]
    """Names of the sets to tune λ and α on: the best average setting that makes no set worse is used."""
    sets: Mapping[str, ComparedSet]
    """All sets by name, including the test sets: tables [sets.NAME] with source, references and external."""
    other_dev: tuple[str, ...] = ()
    """Names of the sets to tune additional baselines on, for comparison."""
    runs: Annotated[int, AtLeast(1)] = 5
    """MERT runs per baseline; the best one on the development set is used."""
    baselines: Annotated[int, AtLeast(1)] = 1
    """Number of baselines, each from its own runs; scores are means over them."""
    iterations: Annotated[int, AtLeast(1)] = 10
    """Iterations of each MERT run."""
    restarts: Annotated[int, AtLeast(0)] = 20
    """Random restarts in each iteration."""
    nbest: Annotated[int, AtLeast(1)] = 100
    """Candidates per sentence, in MERT and in the memory."""
    size: Annotated[int, AtLeast(1)] = 100
    """Maximum number of examples per sentence."""
    mbuu: Annotated[LocalOptions | None, DefaultText("those of the preset")] = None
    """Options of MBUU."""
    ebuu: Annotated[LocalOptions | None, DefaultText("those of the preset")] = None
    """Options of EBUU."""
    strengths: Annotated[
        Mapping[str, tuple[float, ...]],
        DefaultText(f"the paper's value for the preset paper, else {by_method(STRENGTHS).text}"),
    ] = field(default_factory=dict)
    """Strengths of local training (λ) to try, by method: lists mbuu and ebuu."""
    sharpnesses: Annotated[
        tuple[float, ...],
        DefaultText(
            f"{by_method(_SHARPNESSES['paper']).text} for the preset paper, else "
            f"{by_method(DEFAULT_SHARPNESSES).text}"
        ),
    ] = ()
    """Values of sharpness (α) to try."""
    skip_identical: bool = True
    """Ignore examples whose source is the sentence itself."""
    leave_one_out: Path | None = None
    """Word alignment of the examples, or an alignment model, if the system was trained on them. Each example
    is then decoded without its own rules."""
    curves: bool = True
    """Show several λ on every set, with the first baseline."""
    curve_strengths: Annotated[
        Mapping[str, tuple[float, ...]],
        DefaultText(f"{by_method(_CURVES['paper']).text} for the preset paper, else those that are tried"),
    ] = field(default_factory=dict)
    """Values of λ in these curves, by method: lists mbuu and ebuu."""
    sizes: Annotated[tuple[int, ...], AtLeast(1)] = (40, 70, 100)
    """Numbers of examples per sentence to show, with the first baseline."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        for name in (self.dev, *self.tune, *self.other_dev):
            if name not in self.sets:
                raise ConfigError(f"no set is called '{name}'; known are {', '.join(self.sets)}")
        if not self.tune:
            raise ConfigError("tune must name at least one set")
        for method in _UPDATES:
            if self.local(method).method != method:
                raise ConfigError(f"[{method}] has the options of {method}; remove method")

    @classmethod
    def from_settings(
        cls, settings: Mapping[str, Any], warn: Callable[[str], None] = lambda message: None
    ) -> LocalTrainingTask:
        """Make the task from settings; options of local training are changes of the preset."""
        found = dict(settings)
        preset = LOCAL_PRESETS.get(str(found.get("preset", "paper")))
        for method in _UPDATES:
            if preset is not None and isinstance(found.get(method), Mapping):
                found[method] = from_settings(LocalOptions, found[method], f"{method}.", preset[method])
        return from_settings(cls, found)

    def local(self, method: str) -> LocalOptions:
        """The options of a method."""
        own: LocalOptions | None = getattr(self, method)
        return own or LOCAL_PRESETS[self.preset][method]

    def tried(self, method: str) -> list[LocalOptions]:
        """The settings that the sets under ``tune`` choose from."""
        base = self.local(method)
        usual = STRENGTHS[method] if self.preset == "best" else (base.strength or 0.0,)
        sharp = self.sharpnesses or (
            (base.sharpness or 1.0,) if getattr(self, method) else _SHARPNESSES[self.preset][method]
        )
        return settings_of(base, self.strengths.get(method, usual), sharp)

    def shown(self, method: str) -> list[float]:
        """The values of λ in the curve of a method."""
        usual = _CURVES["paper"][method]
        if self.preset == "best" or method in self.strengths:
            usual = tuple(setting.strength or 0.0 for setting in self.tried(method))
        return sorted(set(self.curve_strengths.get(method, usual)))


@dataclass(frozen=True, slots=True)
class _Set:
    sources: list[str]
    references: References


def run_local_training(
    task: LocalTrainingTask,
    folder: StrPath,
    *,
    threads: int = 1,
    say: Say = lambda message: None,
    warn: Say = lambda message: None,
    track: Track = no_track,
) -> ExperimentResults:
    """Run everything that an earlier run did not finish; models are stored in ``folder``."""
    values = _Experiment(task, Path(folder), threads, say, warn, track).run()
    tables = local_training_tables(values)
    note = (
        f"Preset {task.preset}; settings are in results.json. BLEU, unless a table says otherwise; + better, "
        "- worse than MERT (paired bootstrap, p < 0.05)."
    )
    return ExperimentResults(values=values, tables=tables, page=page_of("Local training", note, tables))


class _Experiment:
    def __init__(
        self, options: LocalTrainingTask, folder: Path, threads: int, say: Say, warn: Say, track: Track
    ) -> None:
        self.options, self.folder, self.threads = options, folder, threads
        self.say, self.warn, self.track = say, warn, track
        self.sets = {name: _read_set(files) for name, files in options.sets.items()}
        self.system = load(options.system)
        self.metric = Bleu()
        self.retrieval = RetrievalOptions(size=options.size, skip_identical=options.skip_identical)
        self._claim()

    def run(self) -> dict[str, Any]:
        options = self.options
        found = [self._with_baseline(number) for number in range(options.baselines)]
        first = found[0]
        self._use(first.weights)
        memory = self._memory(0)
        results: dict[str, Any] = {
            "preset": options.preset,
            "settings": settings_toml(options),
            "dev": options.dev,
            "tune": list(options.tune),
            "dev_scores": [score for one in found for score in one.dev_scores],
            "baseline": {name: self._mean([one.baseline[name] for one in found]) for name in self.sets},
            "external": self._external(),
            "seconds": self._seconds(memory, first.chosen),
            "chosen": {
                method: [
                    {"strength": o.strength, "sharpness": o.sharpness}
                    for o in (one.chosen[method] for one in found)
                ]
                for method in _UPDATES
            },
            "methods": {
                method: {name: self._compared(found, method, name) for name in self.sets}
                for method in _UPDATES
            },
            "similarity": self._similarity(memory),
            "zero": {
                "baseline": {name: self._zero([one.baseline[name] for one in found]) for name in self.sets},
                **{
                    method: {
                        name: self._zero([one.local[method][name] for one in found]) for name in self.sets
                    }
                    for method in _UPDATES
                },
            },
            "sentences": {name: len(one.sources) for name, one in self.sets.items()},
            "curves": {method: self._curve(memory, first.chosen[method]) for method in _UPDATES},
            "sizes": self._sizes(memory, first.chosen["ebuu"]),
            "oracle": {
                name: self._mean([_better(one.baseline[name], one.local["ebuu"][name]) for one in found])
                for name in self.sets
            },
        }
        results["development_sets"] = self._other_development_sets(found)
        return results

    def _with_baseline(self, number: int) -> _Found:
        options = self.options
        seeds = range(number * options.runs + 1, (number + 1) * options.runs + 1)
        runs = [self._tuned(options.dev, seed) for seed in seeds]
        dev_scores = [score for score, _ in runs]
        weights = runs[int(np.argmax(dev_scores))][1]
        self._use(weights)
        memory = self._memory(number)
        baseline = {name: self._kept(f"{number}-{name}", partial(self._baseline, name)) for name in self.sets}
        chosen = {method: self._choose(memory, method, number) for method in _UPDATES}
        local = {
            method: {
                name: self._kept(
                    f"{number}-{name}-{_written(chosen[method])}",
                    partial(self._local, memory, name, chosen[method]),
                )
                for name in self.sets
            }
            for method in _UPDATES
        }
        return _Found(dev_scores, weights, baseline, chosen, local)

    def _claim(self) -> None:
        """Raise an error if the folder contains other results."""
        described = json.dumps(asdict(self.options), default=str, indent=1, sort_keys=True) + "\n"
        file = self.folder / "description.json"
        self.folder.mkdir(parents=True, exist_ok=True)
        if file.exists() and file.read_text(encoding="utf-8") != described:
            raise OutputError(
                "contains an experiment with a different description", self.folder, "choose another"
            )
        with atomic_output(file) as stream:
            stream.write(described)

    def _kept(self, key: str, make: Callable[[], Statistics]) -> Statistics:
        """Statistics that are computed once."""
        file = self.folder / "statistics" / f"{key}.tsv"
        if not file.exists():
            rows = make()
            file.parent.mkdir(exist_ok=True)
            with atomic_output(file) as stream:
                for row in rows.tolist():
                    stream.write("\t".join(map(str, row)) + "\n")
        return np.array([[int(cell) for cell in line.split("\t")] for line in read_lines(file)])

    def _mean(self, runs: Sequence[Statistics]) -> float:
        return float(np.mean([self._score(rows) for rows in runs]))

    def _zero(self, runs: Sequence[Statistics]) -> float:
        return float(np.mean([self.metric.zero_sentences(rows) for rows in runs]))

    def _compared(self, found: Sequence[_Found], method: str, name: str) -> dict[str, float]:
        baseline = [one.baseline[name] for one in found]
        local = [one.local[method][name] for one in found]
        comparison = paired_bootstrap(self.metric, baseline, local)
        return {"bleu": self._mean(local), "p_value": comparison.p_value}

    def _tuned(self, name: str, seed: int) -> tuple[float, dict[str, float]]:
        file = self.folder / "weights" / f"{name}-{seed}.json"
        if not file.exists():
            self.say(f"MERT on {name}, run {seed}")
            one, options = self.sets[name], self.options
            result = tune_system(
                load(options.system),  # every run starts from the same weights
                one.sources,
                one.references,
                TuneOptions(
                    method="mert",
                    seed=seed,
                    iterations=options.iterations,
                    nbest=options.nbest,
                    restarts=options.restarts,
                ),
                threads=self.threads,
            )
            file.parent.mkdir(exist_ok=True)
            with atomic_output(file) as stream:
                stream.write(json.dumps([result.best.dev_score, result.dense]) + "\n")
        score, weights = json.loads(file.read_text(encoding="utf-8"))
        return float(score), dict(weights)

    def _use(self, weights: Mapping[str, float]) -> None:
        self.system = load(self.options.system, weights=weights)

    def _memory(self, number: int) -> Memory:
        path = self.folder / f"memory-{number}"
        if not (path / "manifest.json").exists() or open_folder(
            path, kind=KIND, version=VERSION
        ).attributes.get("build"):
            self.say("decoding the examples")
            files = self.options.retrieval
            examples, skipped = read_examples(files.source, files.references)
            given = self.options.leave_one_out
            aligner = AlignmentModel.load(given) if given is not None and given.is_dir() else None
            links = list(read_lines(given)) if given is not None and aligner is None else None
            if links is not None and skipped:
                raise ConfigError("leave_one_out needs examples without empty sides")
            if skipped:
                self.warn(f"{files.source}: {skipped:,} pairs with an empty side were left out")
            build = MemoryOptions(nbest=self.options.nbest, leave_one_out=given is not None)
            return build_memory(
                path,
                self.system,
                examples,
                build,
                links=links,
                aligner=aligner,
                threads=self.threads,
                track=self.track,
            )
        return Memory.open(path, self.system)

    def _baseline(self, name: str) -> Statistics:
        one = self.sets[name]
        return baseline_statistics(self.system, one.sources, one.references, threads=self.threads)

    def _local(
        self,
        memory: Memory,
        name: str,
        update: LocalOptions,
        retrieval: RetrievalOptions | None = None,
    ) -> Statistics:
        self.say(f"{update.method}, λ = {update.strength:g}, on {name}")
        translator = LocalTranslator(self.system, memory, retrieval or self.retrieval, update)
        one = self.sets[name]
        return local_statistics(translator, one.sources, one.references, threads=self.threads)

    def _score(self, rows: Statistics) -> float:
        return float(self.metric.score(rows.sum(axis=0)))

    def _choose(self, memory: Memory, method: str, number: int) -> LocalOptions:
        """The best setting on the tuning sets."""
        file = self.folder / "weights" / f"chosen-{number}-{method}.json"
        base, settings = self.options.local(method), self.options.tried(method)
        if len(settings) == 1 and self.options.preset == "paper":
            return settings[0]
        if not file.exists():
            found = []
            for name in self.options.tune:
                self.say(f"choosing λ of {method} on {name}")
                one = self.sets[name]
                found.append(
                    tune_local(
                        self.system,
                        memory,
                        one.sources,
                        one.references,
                        settings,
                        retrieval=self.retrieval,
                        threads=self.threads,
                        track=self.track,
                    )
                )
                for trial in found[-1].trials:
                    gain = trial.bleu - found[-1].baseline
                    self.say(f"  λ {trial.options.strength:g}, α {trial.options.sharpness:g}: {gain:+.2f}")
            best = _highest(found) if self.options.preset == "paper" else best_for_all(found)
            file.parent.mkdir(exist_ok=True)
            with atomic_output(file) as stream:
                stream.write(json.dumps([best.strength, best.sharpness]) + "\n")
        strength, sharpness = json.loads(file.read_text(encoding="utf-8"))
        return replace(base, strength=strength, sharpness=sharpness)

    def _curve(self, memory: Memory, chosen: LocalOptions) -> list[dict[str, float]]:
        """The scores of every λ on all sets."""
        if not self.options.curves:
            return []
        rows = []
        for strength in self.options.shown(chosen.method):
            setting = replace(chosen, strength=strength)
            rows.append({"strength": strength, **self._scores(memory, setting)})
        return rows

    def _sizes(self, memory: Memory, update: LocalOptions) -> list[dict[str, float]]:
        return [{"size": size, **self._scores(memory, update, size)} for size in self.options.sizes]

    def _scores(self, memory: Memory, update: LocalOptions, size: int = 0) -> dict[str, float]:
        retrieval = replace(self.retrieval, size=size) if size else self.retrieval
        ending = f"-{size}" if size and size != self.retrieval.size else ""
        return {
            name: self._score(
                self._kept(
                    f"0-{name}-{_written(update)}{ending}",
                    partial(self._local, memory, name, update, retrieval),
                )
            )
            for name in self.sets
        }

    def _external(self) -> dict[str, dict[str, float]]:
        found: dict[str, dict[str, float]] = {}
        for name, files in self.options.sets.items():
            for system, path in files.external.items():
                lines = list(read_lines(path))
                references = self.sets[name].references
                check_length(str(path), len(lines), str(files.references[0]), len(references))
                rows = self.metric.statistics(lines, references)
                found.setdefault(system, {})[name] = self._score(rows)
        return found

    def _seconds(self, memory: Memory, chosen: Mapping[str, LocalOptions]) -> dict[str, float]:
        """CPU seconds per sentence of the tuning set, with one thread."""
        sources = self.sets[self.options.tune[0]].sources[:200]

        def each(work: Callable[[str], object]) -> float:
            begun = time.process_time()
            for source in sources:
                work(source)
            return (time.process_time() - begun) / len(sources)

        retrieval = each(lambda source: memory.search(source, self.retrieval))
        found = {"decoding": each(lambda s: self.system.translate(s)), "retrieval": retrieval}
        for method, update in chosen.items():
            translator = LocalTranslator(self.system, memory, self.retrieval, update)
            found[f"training ({method})"] = each(translator.weights) - retrieval
        return found

    def _similarity(self, memory: Memory) -> dict[str, float]:
        """How similar the development set, taken as one document, is to the sentences of each set."""
        document = _vector(self.sets[self.options.dev].sources, memory.frequencies)
        return {
            name: float(np.mean([_cosine(document, _vector([s], memory.frequencies)) for s in one.sources]))
            for name, one in self.sets.items()
        }

    def _other_development_sets(self, found: Sequence[_Found]) -> dict[str, dict[str, dict[str, float]]]:
        """BLEU on every set when the baseline is tuned on another one, and how EBUU compares with that."""
        results: dict[str, dict[str, dict[str, float]]] = {}
        for name in self.options.other_dev:
            self._use(self._tuned(name, 1)[1])
            results[name] = {}
            for other in self.sets:
                rows = self._kept(f"tuned-on-{name}-{other}", partial(self._baseline, other))
                ebuu = [one.local["ebuu"][other] for one in found]
                p_value = paired_bootstrap(self.metric, [rows] * len(found), ebuu).p_value
                results[name][other] = {"bleu": self._score(rows), "p_value": p_value}
        return results


@dataclass(frozen=True, slots=True)
class _Found:
    """The results of one baseline."""

    dev_scores: list[float]
    weights: dict[str, float]
    baseline: dict[str, Statistics]
    chosen: dict[str, LocalOptions]
    local: dict[str, dict[str, Statistics]]


def _highest(found: Sequence[LocalTuning]) -> LocalOptions:
    """The setting with the highest mean BLEU, also if it is below the baseline."""
    means = np.mean([[trial.bleu for trial in one.trials] for one in found], axis=0)
    return found[0].trials[int(np.argmax(means))].options


def _written(update: LocalOptions) -> str:
    return f"{update.method}-{update.strength:g}-{update.sharpness:g}"


def _read_set(files: ComparedSet) -> _Set:
    sources, references = list(read_lines(files.source)), References.read(files.references)
    check_length(str(files.source), len(sources), str(files.references[0]), len(references))
    return _Set(sources, references)


def _vector(sentences: Sequence[str], frequencies: Frequencies) -> dict[str, float]:
    counts: dict[str, int] = {}
    for sentence in sentences:
        for word in split_words(sentence):
            counts[word] = counts.get(word, 0) + 1
    words = list(counts)
    idf = frequencies.idf(words).tolist()
    return {word: counts[word] * weight for word, weight in zip(words, idf, strict=True)}


def _cosine(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    norms = float(np.linalg.norm(list(a.values())) * np.linalg.norm(list(b.values())))
    return sum(value * a.get(word, 0.0) for word, value in b.items()) / norms if norms else 0.0


def _better(first: Statistics, second: Statistics) -> Statistics:
    """For each sentence, the translation with the higher sentence BLEU."""
    smoothed = BleuOptions(smoothing="add-k", smoothing_value=1.0)
    choice = bleu_scores(second, smoothed) > bleu_scores(first, smoothed)
    return np.where(choice[:, np.newaxis], second, first)
