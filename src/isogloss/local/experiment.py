"""The experiments of Liu et al. (2012) on the user's data: one description, all their tables and the figure.

The description is a TOML file; paths are relative to it::

    system = "system"              # a stored system
    dev = "news-02"                # the set the baseline is tuned on
    tune = "news-05"               # the set λ and α are chosen on
    other_dev = ["news-06"]        # sets to tune further baselines on, for comparison (optional)
    runs = 5                       # MERT runs, of which the best on dev is the baseline

    [retrieval]                    # the examples
    source = "train.zh"
    references = ["train.en"]

    [sets.news-02]                 # every set that is mentioned, and the test sets
    source = "news-02.zh"
    references = ["news-02.en.0", "news-02.en.1"]
    external = { moses = "news-02.moses" }    # outputs of other systems (optional)
"""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.corpus.streams import StrPath, read_lines
from isogloss.errors import ConfigError, DataFormatError, InputFileError
from isogloss.learn.tuning import TuneOptions
from isogloss.learn.tuning import tune as tune_system
from isogloss.local.growth import BuildOptions, build_memory, read_examples
from isogloss.local.memory import Memory
from isogloss.local.options import RetrievalOptions, UpdateOptions
from isogloss.local.segment import Frequencies
from isogloss.local.translator import LocalTranslator
from isogloss.local.tune import baseline_statistics, local_statistics, settings_of, sweep
from isogloss.metric import Bleu, BleuOptions, References, bleu_scores, paired_bootstrap
from isogloss.metric.interface import Statistics
from isogloss.metric.references import check_length
from isogloss.search import load
from isogloss.search.sentence import split_words

__all__ = ["ExperimentOptions", "SetFiles", "read_experiment", "run_experiment", "tables"]

Say = Callable[[str], None]
METHODS = ("mbuu", "ebuu")
_SIZES = (40, 70, 100)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetFiles:
    """A set of sentences with references and outputs of other systems."""

    source: Path
    references: tuple[Path, ...]
    external: Mapping[str, Path] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentOptions:
    """What to run on what."""

    system: Path
    retrieval: SetFiles
    dev: str
    tune: str
    sets: Mapping[str, SetFiles]
    other_dev: tuple[str, ...] = ()
    runs: int = 5
    iterations: int = 10
    """Iterations of each MERT run."""
    nbest: int = 100
    strengths: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """λ to try, by method."""
    sharpnesses: tuple[float, ...] = ()
    """α to try."""
    skip_identical: bool = True
    """Leave out examples that are the test sentence itself."""

    def __post_init__(self) -> None:
        for name in (self.dev, self.tune, *self.other_dev):
            if name not in self.sets:
                raise ConfigError(f"no set is called '{name}'; described are {', '.join(self.sets)}")
        if self.runs < 1:
            raise ConfigError(f"runs must be at least 1, got {self.runs}")


@dataclass(frozen=True, slots=True)
class _Set:
    sources: list[str]
    references: References


def read_experiment(path: StrPath) -> ExperimentOptions:
    """Read a description; what it does not know or lacks is an error."""
    file = Path(path)
    try:
        described = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputFileError(error.strerror or str(error), file) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataFormatError(f"not a TOML file ({error})", file) from None

    def files(row: Mapping[str, Any]) -> SetFiles:
        external = {str(name): file.parent / other for name, other in row.get("external", {}).items()}
        references = tuple(file.parent / name for name in row["references"])
        return SetFiles(source=file.parent / row["source"], references=references, external=external)

    try:
        facts = dict(described)
        facts["system"] = file.parent / facts["system"]
        facts["retrieval"] = files(facts["retrieval"])
        facts["sets"] = {name: files(row) for name, row in facts["sets"].items()}
        facts["strengths"] = {name: tuple(row) for name, row in facts.get("strengths", {}).items()}
        for name in ("other_dev", "sharpnesses"):
            facts[name] = tuple(facts.get(name, ()))
        return ExperimentOptions(**facts)
    except KeyError as error:
        raise ConfigError(f"{file}: {error} is missing") from None
    except (TypeError, AttributeError) as error:
        raise ConfigError(f"{file}: {error}") from None


def run_experiment(
    options: ExperimentOptions, folder: StrPath, *, threads: int = 1, say: Say = lambda message: None
) -> dict[str, Any]:
    """Run everything; models go into ``folder``, and the results come back as plain values."""
    return _Experiment(options, Path(folder), threads, say).run()


class _Experiment:
    def __init__(self, options: ExperimentOptions, folder: Path, threads: int, say: Say) -> None:
        self.options, self.folder, self.threads, self.say = options, folder, threads, say
        self.sets = {name: _read_set(files) for name, files in options.sets.items()}
        self.system = load(options.system)
        self.metric = Bleu()
        self.retrieval = RetrievalOptions(skip_identical=options.skip_identical)

    def run(self) -> dict[str, Any]:
        options = self.options
        runs = [self._tuned(options.dev, seed) for seed in range(1, options.runs + 1)]
        dev_scores = [score for score, _ in runs]
        best = runs[int(np.argmax(dev_scores))][1]
        self._use(best)
        memory = self._memory()
        baseline = {name: self._baseline(name) for name in self.sets}
        chosen: dict[str, UpdateOptions] = {}
        curves: dict[str, list[dict[str, float]]] = {}
        for method in METHODS:
            chosen[method], curves[method] = self._choose(memory, method)
        local = {
            method: {name: self._local(memory, name, chosen[method]) for name in self.sets}
            for method in METHODS
        }
        results: dict[str, Any] = {
            "dev": options.dev,
            "tune": options.tune,
            "dev_scores": dev_scores,
            "baseline": {name: self._score(rows) for name, rows in baseline.items()},
            "external": self._external(),
            "seconds": self._seconds(memory, chosen),
            "chosen": {
                method: {"strength": o.strength, "sharpness": o.sharpness} for method, o in chosen.items()
            },
            "methods": {
                method: {
                    name: {
                        "bleu": self._score(rows[name]),
                        "p_value": paired_bootstrap(self.metric, [baseline[name]], [rows[name]]).p_value,
                    }
                    for name in self.sets
                }
                for method, rows in local.items()
            },
            "similarity": self._similarity(memory),
            "zero": {
                "baseline": {n: self.metric.zero_sentences(rows) for n, rows in baseline.items()},
                **{
                    method: {n: self.metric.zero_sentences(row) for n, row in rows.items()}
                    for method, rows in local.items()
                },
            },
            "sentences": {name: len(one.sources) for name, one in self.sets.items()},
            "curves": curves,
            "sizes": self._sizes(memory, chosen["ebuu"]),
            "oracle": {name: self._score(_better(baseline[name], local["ebuu"][name])) for name in self.sets},
        }
        results["development_sets"] = self._other_development_sets()
        self._use(best)
        return results

    def _tuned(self, name: str, seed: int) -> tuple[float, dict[str, float]]:
        self.say(f"MERT on {name}, run {seed}")
        one = self.sets[name]
        result = tune_system(
            self.system,
            one.sources,
            one.references,
            TuneOptions(
                method="mert", seed=seed, iterations=self.options.iterations, nbest=self.options.nbest
            ),
            threads=self.threads,
        )
        return result.best.dev_score, result.dense

    def _use(self, weights: Mapping[str, float]) -> None:
        self.system = load(self.options.system, weights=weights)

    def _memory(self) -> Memory:
        self.say("decoding the examples")
        path = self.folder / "memory"
        files = self.options.retrieval
        examples, _ = read_examples(files.source, files.references)
        if not (path / "manifest.json").exists():
            build = BuildOptions(nbest=self.options.nbest)
            return build_memory(path, self.system, examples, build, threads=self.threads)
        return Memory.open(path, self.system)

    def _baseline(self, name: str) -> Statistics:
        one = self.sets[name]
        return baseline_statistics(self.system, one.sources, one.references, threads=self.threads)

    def _local(
        self, memory: Memory, name: str, update: UpdateOptions, retrieval: RetrievalOptions | None = None
    ) -> Statistics:
        self.say(f"{update.method}, λ = {update.strength:g}, on {name}")
        translator = LocalTranslator(self.system, memory, retrieval or self.retrieval, update)
        one = self.sets[name]
        return local_statistics(translator, one.sources, one.references, threads=self.threads)

    def _score(self, rows: Statistics) -> float:
        return float(self.metric.score(rows.sum(axis=0)))

    def _choose(self, memory: Memory, method: str) -> tuple[UpdateOptions, list[dict[str, float]]]:
        """The setting that is best on the set for tuning, and how every setting does on all sets."""
        options = self.options
        base = UpdateOptions(method=method)  # type: ignore[arg-type]
        settings = settings_of(base, options.strengths.get(method, ()), options.sharpnesses)
        one = self.sets[options.tune]
        tuned = sweep(
            self.system,
            memory,
            one.sources,
            one.references,
            settings,
            retrieval=self.retrieval,
            threads=self.threads,
        )
        best = tuned.best
        curve = []
        strengths = sorted({setting.strength or 0.0 for setting in settings})
        for strength in strengths:
            setting = replace(best, strength=strength)
            row = {"strength": strength}
            for name in self.sets:
                row[name] = self._score(self._local(memory, name, setting))
            curve.append(row)
        return best, curve

    def _sizes(self, memory: Memory, update: UpdateOptions) -> list[dict[str, float]]:
        rows = []
        for size in _SIZES:
            row: dict[str, float] = {"size": size}
            for name in self.sets:
                statistics = self._local(memory, name, update, replace(self.retrieval, size=size))
                row[name] = self._score(statistics)
            rows.append(row)
        return rows

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

    def _seconds(self, memory: Memory, chosen: Mapping[str, UpdateOptions]) -> dict[str, float]:
        """CPU seconds per sentence of the set for tuning, one thread."""
        sources = self.sets[self.options.tune].sources[:200]

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

    def _other_development_sets(self) -> dict[str, dict[str, float]]:
        """BLEU on every set when the baseline is tuned on another one."""
        found: dict[str, dict[str, float]] = {}
        for name in self.options.other_dev:
            self._use(self._tuned(name, 1)[1])
            found[name] = {other: self._score(self._baseline(other)) for other in self.sets}
        return found


def _read_set(files: SetFiles) -> _Set:
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
    """For each sentence the translation of higher sentence BLEU."""
    smoothed = BleuOptions(smoothing="add-k", smoothing_value=1.0)
    choice = bleu_scores(second, smoothed) > bleu_scores(first, smoothed)
    return np.where(choice[:, np.newaxis], second, first)


def tables(results: Mapping[str, Any]) -> list[tuple[str, list[str], list[list[str]]]]:
    """The results as tables in the order of the paper: title, heads of columns, rows."""
    names = list(results["baseline"])

    def row(label: str, values: Mapping[str, float], form: str = ".2f") -> list[str]:
        return [label, *(format(values[name], form) if name in values else "" for name in names)]

    def local(method: str) -> list[str]:
        cells = results["methods"][method]
        marks = {n: "+" if cells[n]["p_value"] < 0.05 else "" for n in names}
        worse = {n: cells[n]["bleu"] < results["baseline"][n] for n in names}
        return [
            method.upper(),
            *(f"{cells[n]['bleu']:.2f}" + ("-" if worse[n] and marks[n] else marks[n]) for n in names),
        ]

    def curve(key: str, rows: Sequence[Mapping[str, float]]) -> list[list[str]]:
        return [row(f"{one[key]:g}", one) for one in rows]

    baseline = row("MERT", results["baseline"])
    seconds = [[what, f"{value * 1e3:.2f} ms"] for what, value in results["seconds"].items()]
    zero = [row(name, values, "d") for name, values in results["zero"].items()]
    other = [row(f"MERT, tuned on {name}", values) for name, values in results["development_sets"].items()]
    external = [row(name, values) for name, values in results["external"].items()]
    return [
        ("1. The baseline beside other systems (BLEU)", ["", *names], [*external, baseline]),
        ("2. Time per sentence (CPU)", ["", ""], seconds),
        (
            "3. Local weights; + better, - worse than MERT (p < 0.05)",
            ["", *names],
            [baseline, *(local(method) for method in METHODS)],
        ),
        (
            "4. Similarity to the development set",
            ["", *names],
            [row(results["dev"], results["similarity"], ".3f")],
        ),
        ("5. Choice of the development set", ["", *names], [baseline, *other, local("ebuu")]),
        ("6. Sentences without a four-word match", ["", *names], zero),
        ("Figure 2. EBUU by λ", ["λ", *names], curve("strength", results["curves"]["ebuu"])),
        ("MBUU by λ", ["λ", *names], curve("strength", results["curves"]["mbuu"])),
        ("7. EBUU by number of examples", ["K", *names], curve("size", results["sizes"])),
        (
            "8. The better of MERT and EBUU, sentence by sentence",
            ["", *names],
            [baseline, local("ebuu"), row("oracle", results["oracle"])],
        ),
    ]
