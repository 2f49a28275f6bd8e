"""The experiments of Watanabe et al. (2007) on the user's data: one description, all their tables.

The description is a TOML file; paths are relative to it::

    system = "system"                  # a stored system; where tuning starts
    preset = "paper"                   # or "best" (optional)
    source_classes = "classes.src"     # word classes, for the token type `class` (optional)
    target_classes = "classes.tgt"
    tables = [1, 2, 3, 4]              # which to make (optional)

    [dev]                              # what is learned from
    source = "dev.src"
    references = ["dev.ref.0", "dev.ref.1"]
    boundaries = "dev.documents"       # numbers of the sentences that begin a document, from 1 (optional)

    [more_dev.second]                  # further sets that table 4 pools with dev (optional)
    source = "dev2.src"
    references = ["dev2.ref"]

    [tests.news]                       # what is only translated
    source = "news.src"
    references = ["news.ref"]

    [online]                           # options of online training that differ from the preset (optional)
    iterations = 10

A system with text processing gets ordinary text and tokenizes it; scores are on tokens. Every row is kept in
the output folder as soon as it is there; an interrupted run resumes after it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

from isogloss.classes import WordClasses
from isogloss.decoder import load
from isogloss.decoder.decoder import Decoder
from isogloss.decoder.system import System
from isogloss.experiments.document_folds import document_starts, two_folds
from isogloss.experiments.online_large_margin_report import FOLDS, SEEDS, large_margin_tables, row_differences
from isogloss.experiments.presets import PRESETS, Preset, settings_toml
from isogloss.experiments.results import ExperimentResults, Say, page_of
from isogloss.features import SparseModel, SparseOptions
from isogloss.features.columns import TokenColumn
from isogloss.io.config import from_settings
from isogloss.io.errors import ConfigError
from isogloss.io.options import Above, AtLeast, Between, DefaultText, Options
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath, atomic_output, read_lines
from isogloss.metric import Bleu, Nist, References, paired_bootstrap
from isogloss.metric.references import check_length
from isogloss.pipeline.fingerprint import fingerprint
from isogloss.tuning import OnlineOptions, TuneIteration, TuneOptions, TuneResult, tune

__all__ = ["LargeMarginTask", "SetFiles", "run_online_large_margin"]

ALL_TABLES = (1, 2, 3, 4)
CLASS = "class"
DEV = "dev"
_TEMPLATES = ("pair", "pair_bigram", "target_bigram", "insertion", "hierarchical")
_STEPS = {
    "word pairs": ("pair", "pair_bigram"),
    "+ target bigram": ("target_bigram",),
    "+ insertion": ("insertion",),
    "+ hierarchical": ("hierarchical",),
}
"""The rows of table 2, each with the templates that it adds."""
_HIERARCHICAL = "hierarchical"  # a template that needs rules with non-terminals
_CHOICES = (0.0001, 0.001, 0.01, 0.1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetFiles(Options):
    """A set of sentences with references."""

    source: Path
    """Sentences, one per line: ordinary text if the system has text processing, else tokens."""
    references: tuple[Path, ...]
    """Their translations, one file per translator."""
    boundaries: Annotated[Path | None, DefaultText("ten contiguous blocks count as documents")] = None
    """File with the numbers of the sentences that begin a document, from 1, one per line; table 4 keeps
    documents whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeMarginTask(Options):
    """The data and the settings."""

    system: Path
    """Stored system; tuning starts from its weights."""
    preset: Preset = "paper"
    """Settings of online training: those of the paper, or those that win on held-out text (``best``)."""
    dev: SetFiles
    """Development set to learn from."""
    tests: Mapping[str, SetFiles] = field(default_factory=dict)
    """Test sets: tables [tests.NAME] with source and references."""
    more_dev: Mapping[str, SetFiles] = field(default_factory=dict)
    """Sets that table 4 pools with the development set: tables [more_dev.NAME]."""
    source_classes: Path | None = None
    """Word classes of the source language, for the token type ``class``. Needs ``target_classes`` too."""
    target_classes: Path | None = None
    """Word classes of the target language."""
    tables: Annotated[tuple[int, ...], Between(1, len(ALL_TABLES))] = ALL_TABLES
    """Which tables to make: 1 token types, 2 templates, 3 constraints, 4 two-fold cross-validation."""
    templates: tuple[str, ...] = _TEMPLATES
    """Feature templates of tables 1, 3 and 4. ``hierarchical`` is left out if the system is phrase-based."""
    types: Annotated[tuple[str, ...], DefaultText("surface, prefix, suffix, digits, and class if given")] = ()
    """Token types of tables 2, 3 and 4, and of the last row of table 1."""
    seeds: Annotated[tuple[int, ...], AtLeast(0)] = ()
    """Random seeds for one more table: a row for each, with all templates and token types, and their
    mean."""
    baseline: str = "mert"
    """Method that tunes the dense baseline."""
    choose_aggressiveness: Annotated[
        tuple[float, ...],
        Above(0),
        DefaultText("0.0001, 0.001, 0.01 and 0.1 for the preset paper; else none"),
    ] = ()
    """Values of C to choose from before the first row: learn from the first half of the development set and
    take the value that translates the second half best. The paper prints no C. With [online] aggressiveness
    nothing is chosen."""
    choice_iterations: Annotated[int, AtLeast(1)] = 5
    """Passes for each of these values."""
    online: Annotated[OnlineOptions | None, DefaultText("those of the preset")] = None
    """Options of online training."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if (self.source_classes is None) != (self.target_classes is None):
            raise ConfigError("source_classes and target_classes must be given together")
        for name in (*self.tests, *self.more_dev):
            if name == DEV or (name in self.tests and name in self.more_dev):
                raise ConfigError(f"two sets are called '{name}'")

    @classmethod
    def from_settings(
        cls, settings: Mapping[str, Any], warn: Callable[[str], None] = lambda message: None
    ) -> LargeMarginTask:
        """Make the task from settings; options of online training are changes of the preset."""
        found = dict(settings)
        preset = found.get("preset", "paper")
        given = found.get("online", {})
        if isinstance(given, Mapping):
            if preset in PRESETS:
                found["online"] = from_settings(OnlineOptions, given, "online.", PRESETS[preset][0])
            if preset == "paper" and "aggressiveness" not in given:
                found.setdefault("choose_aggressiveness", _CHOICES)
        return from_settings(cls, found)

    @property
    def training(self) -> OnlineOptions:
        """The options of online training."""
        return self.online or PRESETS[self.preset][0]


def run_online_large_margin(
    task: LargeMarginTask,
    folder: StrPath,
    *,
    threads: int = 1,
    say: Say = lambda message: None,
    warn: Say = lambda message: None,
    track: Track = no_track,
) -> ExperimentResults:
    """Make the tables; finished rows are stored in ``folder`` and not computed again."""
    values = _Experiment(task, Path(folder), threads, say, warn, track).run()
    tables = large_margin_tables(values)
    note = (
        f"Preset {task.preset}; settings are in results.json. + better, - worse than the baseline (paired "
        "bootstrap, p < 0.05)."
    )
    page = page_of("Online large-margin training", note, tables)
    return ExperimentResults(values=values, tables=tables, page=page)


@dataclass(frozen=True, slots=True)
class _Set:
    sources: list[str]
    references: References

    def part(self, chosen: Sequence[int]) -> _Set:
        streams = [[stream[at] for at in chosen] for stream in self.references.streams]
        return _Set([self.sources[at] for at in chosen], References(streams))


class _Experiment:
    def __init__(
        self, options: LargeMarginTask, folder: Path, threads: int, say: Say, warn: Say, track: Track
    ) -> None:
        self.options, self.folder, self.threads = options, folder, threads
        self.say, self.warn, self.track = say, warn, track
        self.system = load(options.system)
        self.sets = {name: self._read(files) for name, files in {DEV: options.dev, **options.tests}.items()}
        self.described = self._description()
        self.templates = tuple(
            name for name in options.templates if name != _HIERARCHICAL or self.system.options.hierarchical
        )
        self.columns: dict[str, dict[str, TokenColumn]] = {"source": {}, "target": {}}
        for side, path in (("source", options.source_classes), ("target", options.target_classes)):
            if path is not None:
                self.columns[side][CLASS] = TokenColumn.from_classes(WordClasses.load(path))

    def run(self) -> dict[str, Any]:
        self.online, choice = self._chosen()
        makers = {1: self._token_types, 2: self._templates, 3: self._constraints}
        rows = {str(number): makers[number]() for number in self.options.tables if number in makers}
        tables = {number: self._against_baseline(made) for number, made in rows.items()}
        if FOLDS in self.options.tables:
            tables[str(FOLDS)] = self._two_folds()
        if self.options.seeds:
            tables[SEEDS] = self._seeds()
        first = {}
        if list(tables) != [str(FOLDS)]:
            first = {"baseline": self._baseline(), "start": self._against_baseline([self._start_row()])[0]}
        return {
            "sets": {name: len(one.sources) for name, one in self.sets.items()},
            "preset": self.options.preset,
            "settings": settings_toml(self.options),
            "online": settings_toml(self.online),
            "choice_of_aggressiveness": choice,
            **first,
            "tables": tables,
            "differences": row_differences(rows, {name: one.references for name, one in self.sets.items()}),
        }

    # --- The tables -------------------------------------------------------------------------------------

    def _token_types(self) -> list[dict[str, Any]]:
        """Table 1: token types."""
        kinds = {
            "surface form": ("surface",),
            "w/ prefix/suffix": ("surface", "prefix", "suffix"),
            "w/ word class": ("surface", CLASS),
            "w/ digits": ("surface", "digits"),
            "all token types": self._all_types(),
        }
        if not self.columns["source"]:
            del kinds["w/ word class"]
        return [self._row(label, self.templates, types) for label, types in kinds.items()]

    def _templates(self) -> list[dict[str, Any]]:
        """Table 2: templates added one by one."""
        rows: list[dict[str, Any]] = []
        templates: tuple[str, ...] = ()
        for label, more in _STEPS.items():
            if more == (_HIERARCHICAL,) and not self.system.options.hierarchical:
                continue
            templates = (*templates, *more)
            rows.append(self._row(label, templates, self._all_types()))
        return rows

    def _constraints(self) -> list[dict[str, Any]]:
        """Table 3: number of oracles and candidates, and kind of BLEU."""
        rows = []
        pairs = ((1, 1), (1, 10), (10, 1), (10, 10))
        for oracles, candidates in pairs:
            online = replace(self.online, oracles=oracles, candidates=candidates)
            rows.append(self._row(_constraints(online), self.templates, self._all_types(), online))
        online = replace(self.online, oracles=10, candidates=10, loss="sentence")
        label = f"sentence BLEU, {_constraints(online)}"
        return [*rows, self._row(label, self.templates, self._all_types(), online)]

    def _two_folds(self) -> list[dict[str, Any]]:
        """Table 4: each fold of the development sets translated with weights learned from the other."""
        pool, documents = self._pool()
        folds, texts = two_folds(documents), (pool.sources, pool.references.streams)
        parts = [pool.part(fold) for fold in folds]
        # The order of the sentences of both folds, one fold after the other.
        dev = pool.part([*folds[0], *folds[1]])

        def both(label: str, learn: Callable[[int], dict[str, Any]]) -> dict[str, Any]:
            learned = [learn(0), learn(1)]
            closed = [*learned[0]["folds"][0], *learned[1]["folds"][1]]
            opened = [*learned[1]["folds"][0], *learned[0]["folds"][1]]
            return {
                "label": label,
                "features": sum(row["features"] for row in learned) // 2,
                "scores": {
                    "closed": _scores(closed, dev.references),
                    "open": _scores(opened, dev.references),
                },
                "texts": {"closed": closed, "open": opened},
            }

        def of(
            label: str, tuned: Callable[[_Set], tuple[Decoder, TuneResult]]
        ) -> Callable[[int], dict[str, Any]]:
            def learn(fold: int) -> dict[str, Any]:
                name = f"{label}, {('first', 'second')[fold]} fold"
                key = f"{name} {self.templates} {self._all_types()} {self.online} {folds} {texts}"
                return self._kept(key, lambda: self._translated_folds(tuned(parts[fold]), parts), name)

            return learn

        def sparse(fold: _Set) -> tuple[Decoder, TuneResult]:
            return self._tuned_sparse(fold, self.templates, self._all_types(), self.online)

        baseline = both("baseline", of("folds, baseline", self._tuned_dense))
        online = both("online", of("folds, online", sparse))
        return [_compared(row, baseline, {"closed": dev, "open": dev}) for row in (baseline, online)]

    def _seeds(self) -> list[dict[str, Any]]:
        """All templates and token types with several seeds, and the mean of these rows."""
        rows = []
        for seed in self.options.seeds:
            online = replace(self.online, seed=seed)
            rows.append(self._row(f"seed {seed}", self.templates, self._all_types(), online))
        mean: dict[str, Any] = {"label": f"mean of {len(rows)}", "scores": {}}
        mean["features"] = sum(row["features"] for row in rows) // len(rows)
        metric, baseline = Bleu(), self._baseline_row()
        for name, one in self.sets.items():
            runs = [metric.statistics(row["texts"][name], one.references) for row in rows]
            theirs = metric.statistics(baseline["texts"][name], one.references)
            mean["scores"][name] = {
                **{kind: fmean(row["scores"][name][kind] for row in rows) for kind in ("NIST", "BLEU")},
                "p_value": paired_bootstrap(metric, [theirs], runs).p_value,
            }
        return [*self._against_baseline(rows), mean]

    # --- The rows ---------------------------------------------------------------------------------------

    def _row(
        self,
        label: str,
        templates: Sequence[str],
        types: Sequence[str],
        online: OnlineOptions | None = None,
    ) -> dict[str, Any]:
        online = online or self.online

        def make() -> dict[str, Any]:
            learned = self._tuned_sparse(self.sets[DEV], templates, types, online)
            return {"label": label, **self._translated(learned)}

        key = json.dumps([sorted(templates), list(types), asdict(online)])
        return {**self._kept(key, make, label), "label": label}

    def _against_baseline(self, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        baseline = self._baseline_row()
        return [_compared(row, baseline, self.sets) for row in rows]

    def _start_row(self) -> dict[str, Any]:
        """The weights of the system, where all training starts."""
        label = "start"

        def make() -> dict[str, Any]:
            own = self.system.decoder
            decoder = Decoder(own._rules, own._lm, own.options)
            decoder.set_weights(self.system.weights)
            texts = {
                name: list(decoder.nbest(one.sources, threads=self.threads).texts())
                for name, one in self.sets.items()
            }
            return {"label": label, "features": 0, **self._scored(texts)}

        return self._kept(label, make, label)

    def _baseline(self) -> dict[str, Any]:
        row = self._baseline_row()
        return _compared(row, row, self.sets)

    def _baseline_row(self) -> dict[str, Any]:
        label = f"baseline ({self.options.baseline})"

        def make() -> dict[str, Any]:
            return {"label": label, **self._translated(self._tuned_dense(self.sets[DEV]))}

        return self._kept(f"{label} {self.options.training.seed}", make, label)

    def _kept(self, key: str, make: Callable[[], dict[str, Any]], label: str) -> dict[str, Any]:
        """The stored result for this key, or the result of ``make``, which is stored."""
        digest = sha256(f"{key}\n{self.described}".encode()).hexdigest()[:16]
        path = self.folder / "rows" / f"{digest}.json"
        if path.exists():
            return dict(json.loads(path.read_text(encoding="utf-8")))
        self.say(label)
        made = make()
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_output(path) as stream:
            stream.write(json.dumps(made, ensure_ascii=False) + "\n")
        return made

    def _description(self) -> str:
        """Everything that a row depends on except its own options: sentences, models, classes, weights."""
        options = self.options
        digest = sha256(repr((sorted(self.system.weights.items()), self.system.options)).encode())
        for one in self.sets.values():
            digest.update(repr((one.sources, one.references.streams)).encode())
        for path in (options.system, options.source_classes, options.target_classes):
            digest.update((fingerprint(path).content if path is not None else "").encode())
        digest.update(options.baseline.encode())
        return digest.hexdigest()

    # --- Learning and translating -----------------------------------------------------------------------

    def _tuned_dense(self, dev: _Set) -> tuple[Decoder, TuneResult]:
        own = self.system.decoder
        decoder = Decoder(own._rules, own._lm, own.options)
        options = TuneOptions(method=self.options.baseline, seed=self.options.training.seed)
        return decoder, self._tuned(decoder, dev, options)

    def _tuned_sparse(
        self, dev: _Set, templates: Sequence[str], types: Sequence[str], online: OnlineOptions
    ) -> tuple[Decoder, TuneResult]:
        own = self.system.decoder
        features = SparseOptions(
            templates=tuple(templates), source_types=tuple(types), target_types=tuple(types)
        )
        used = {
            side: {n: c for n, c in columns.items() if n in types} for side, columns in self.columns.items()
        }
        sparse = SparseModel(features, source_columns=used["source"], target_columns=used["target"])
        decoder = Decoder(own._rules, own._lm, own.options, sparse=sparse)
        options = TuneOptions(
            method="online-mira",
            preset=self.options.preset,
            iterations=online.iterations,
            seed=online.seed,
            online=online,
        )
        return decoder, self._tuned(decoder, dev, options)

    def _tuned(self, decoder: Decoder, dev: _Set, options: TuneOptions) -> TuneResult:
        decoder.set_weights(self.system.weights)
        system = System(decoder, self.system.path)
        return tune(
            system,
            dev.sources,
            dev.references,
            options,
            threads=self.threads,
            track=self.track,
            report=self._warn_of_collisions,
        )

    def _warn_of_collisions(self, step: TuneIteration) -> None:
        for collision in step.collisions:
            self.warn(collision)

    def _translated(self, learned: tuple[Decoder, TuneResult]) -> dict[str, Any]:
        sparse = learned[1].sparse
        texts = {name: self._texts(learned, one.sources) for name, one in self.sets.items()}
        return {"features": 0 if sparse is None else len(sparse), **self._scored(texts)}

    def _scored(self, texts: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        return {
            "scores": {name: _scores(texts[name], one.references) for name, one in self.sets.items()},
            "texts": texts,
        }

    def _translated_folds(self, learned: tuple[Decoder, TuneResult], folds: Sequence[_Set]) -> dict[str, Any]:
        sparse = learned[1].sparse
        return {
            "features": 0 if sparse is None else len(sparse),
            "folds": [self._texts(learned, fold.sources) for fold in folds],
        }

    def _texts(self, learned: tuple[Decoder, TuneResult], sources: list[str]) -> list[str]:
        decoder, result = learned
        decoder.set_weights(result.dense, result.sparse)
        return list(decoder.nbest(sources, threads=self.threads).texts())

    def _all_types(self) -> tuple[str, ...]:
        return self.options.types or ("surface", "prefix", "suffix", "digits", *self.columns["source"])

    def _read(self, files: SetFiles) -> _Set:
        """A set as the tokens of the system."""
        sources, references = list(read_lines(files.source)), References.read(files.references)
        check_length(str(files.source), len(sources), str(files.references[0]), len(references))
        text = self.system.text
        if text is None:
            return _Set(sources, references)
        streams = [
            [None if line is None else text.tokenize_target(line, source) for source, line in pairs]
            for pairs in (zip(sources, stream, strict=True) for stream in references.streams)
        ]
        return _Set([text.tokenize(source) for source in sources], References(streams))

    def _pool(self) -> tuple[_Set, list[range]]:
        """The development sets one after the other, and the sentences of every document."""
        sources: list[str] = []
        parts: list[_Set] = []
        documents: list[range] = []
        for name, files in {DEV: self.options.dev, **self.options.more_dev}.items():
            one = self.sets[DEV] if name == DEV else self._read(files)
            begins = document_starts(files.boundaries, len(one.sources))
            for begin, end in pairwise([*begins, len(one.sources)]):
                documents.append(range(len(sources) + begin, len(sources) + end))
            sources += one.sources
            parts.append(one)
        count = max(len(one.references.streams) for one in parts)
        streams: list[list[str | None]] = [[] for _ in range(count)]
        for one in parts:
            own = one.references.streams
            for number, stream in enumerate(streams):
                stream += own[number] if number < len(own) else [None] * len(one.sources)
        return _Set(sources, References(streams)), documents

    def _chosen(self) -> tuple[OnlineOptions, dict[str, float]]:
        """The options with the C that translates the second half of the development set best."""
        training, tried = self.options.training, self.options.choose_aggressiveness
        if not tried:
            return training, {}
        dev = self.sets[DEV]
        middle = len(dev.sources) // 2
        first, second = dev.part(range(middle)), dev.part(range(middle, len(dev.sources)))
        scores = {}
        for value in tried:
            online = replace(training, aggressiveness=value, iterations=self.options.choice_iterations)

            def make(online: OnlineOptions = online) -> dict[str, Any]:
                learned = self._tuned_sparse(first, self.templates, self._all_types(), online)
                return _scores(self._texts(learned, second.sources), second.references)

            key = f"choice {online} {self.templates} {self._all_types()}"
            scores[f"{value:g}"] = self._kept(key, make, f"choosing C: {value:g}")["BLEU"]
        best = max(tried, key=lambda value: scores[f"{value:g}"])
        self.say(f"C = {best:g}, which translates the second half of the development set best")
        return replace(training, aggressiveness=best), scores


def _constraints(online: OnlineOptions) -> str:
    """The label of a row with these constraints."""
    if online.selection == "hope-fear":
        return f"{online.oracles}-hope {online.candidates}-fear"
    return f"{online.oracles}-oracle {online.candidates}-best"


def _scores(texts: Sequence[str], references: References) -> dict[str, float]:
    found = {}
    for metric in (Nist(), Bleu()):
        found[metric.name] = float(metric.score(metric.statistics(texts, references).sum(axis=0)))
    return found


def _compared(
    row: Mapping[str, Any], baseline: Mapping[str, Any], sets: Mapping[str, _Set]
) -> dict[str, Any]:
    """The row without its texts, with the p-value of its difference from the baseline."""
    metric = Bleu()
    scores = {}
    for name, values in row["scores"].items():
        references = sets[name].references
        ours, theirs = (metric.statistics(one["texts"][name], references) for one in (row, baseline))
        p_value = paired_bootstrap(metric, [theirs], [ours]).p_value if row is not baseline else 1.0
        scores[name] = {**values, "p_value": p_value}
    return {"label": row["label"], "features": row["features"], "scores": scores}
