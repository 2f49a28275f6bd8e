"""The experiments of Watanabe et al. (2007) on the user's data: one description, all their tables.

The description is a TOML file; paths are relative to it::

    system = "system"                  # a stored system; where tuning starts
    source_classes = "classes.src"     # word classes, for the token type `class` (optional)
    target_classes = "classes.tgt"
    boundaries = "dev.documents"       # numbers of the sentences that begin a document, from 1 (optional)
    tables = [1, 2, 3, 4]              # which to make (optional)

    [dev]                              # what is learned from
    source = "dev.src"
    references = ["dev.ref.0", "dev.ref.1"]

    [tests.news]                       # what is only translated
    source = "news.src"
    references = ["news.ref"]

    [online]                           # options of online training that are to be others (optional)
    iterations = 10

Every row is kept in the output folder as soon as it is there; an interrupted run resumes after it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

from isogloss.classes import WordClasses
from isogloss.decoder import load
from isogloss.decoder.decoder import Decoder
from isogloss.decoder.system import System
from isogloss.experiments.results import ExperimentResults, ResultTable, Say, page_of
from isogloss.features import SparseModel, SparseOptions
from isogloss.features.columns import TokenColumn
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.options import Between, DefaultText, Options
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath, atomic_output, read_lines
from isogloss.metric import Bleu, Nist, References, paired_bootstrap
from isogloss.metric.references import check_length
from isogloss.tuning import OnlineOptions, TuneIteration, TuneOptions, TuneResult, tune

__all__ = ["LargeMarginTask", "SetFiles", "large_margin_tables", "run_online_large_margin"]

ALL_TABLES = (1, 2, 3, 4)
CLASS = "class"
DEV = "dev"
_HOPE_AND_FEAR = OnlineOptions(
    iterations=8,
    nbest=100,
    candidates=1,
    oracles=1,
    aggressiveness=0.001,
    selection="hope-fear",
    loss_scale=10.0,
    sparse_scale=3.0,
)
"""Defaults that work better than the settings of the paper; ``[online]`` changes them."""
_TEMPLATES = ("pair", "pair_bigram", "target_bigram", "insertion")


@dataclass(frozen=True, slots=True, kw_only=True)
class SetFiles(Options):
    """A set of sentences with references."""

    source: Path
    """Tokenized sentences, one per line."""
    references: tuple[Path, ...]
    """Their translations, one file per translator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeMarginTask(Options):
    """The data and the settings."""

    system: Path
    """Stored system; tuning starts from its weights."""
    dev: SetFiles
    """Development set to learn from."""
    tests: Mapping[str, SetFiles] = field(default_factory=dict)
    """Test sets: tables [tests.NAME] with source and references."""
    source_classes: Path | None = None
    """Word classes of the source language, for the token type ``class``. Needs ``target_classes`` too."""
    target_classes: Path | None = None
    """Word classes of the target language."""
    boundaries: Annotated[Path | None, DefaultText("the middle of the set splits it")] = None
    """File with the numbers of the sentences that begin a document, from 1, one per line; table 4 splits at
    the one nearest to the middle."""
    tables: Annotated[tuple[int, ...], Between(1, len(ALL_TABLES))] = ALL_TABLES
    """Which tables to make: 1 token types, 2 templates, 3 constraints, 4 two-fold cross-validation."""
    templates: tuple[str, ...] = _TEMPLATES
    """Feature templates whose token types table 1 varies, and whose constraints table 3 varies."""
    baseline: str = "mert"
    """Method that tunes the dense baseline."""
    online: OnlineOptions = _HOPE_AND_FEAR
    """Options of online training."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if (self.source_classes is None) != (self.target_classes is None):
            raise ConfigError("source_classes and target_classes must be given together")
        if DEV in self.tests:
            raise ConfigError(f"a test set cannot be called '{DEV}'")


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
    note = "+ better, - worse than the baseline (paired bootstrap, p < 0.05)."
    page = page_of("Online large-margin training", note, tables)
    return ExperimentResults(values=values, tables=tables, page=page)


@dataclass(frozen=True, slots=True)
class _Set:
    sources: list[str]
    references: References

    def part(self, chosen: slice) -> _Set:
        return _Set(self.sources[chosen], References([stream[chosen] for stream in self.references.streams]))


class _Experiment:
    def __init__(
        self, options: LargeMarginTask, folder: Path, threads: int, say: Say, warn: Say, track: Track
    ) -> None:
        self.options, self.folder, self.threads = options, folder, threads
        self.say, self.warn, self.track = say, warn, track
        self.sets = {name: _read_set(files) for name, files in {DEV: options.dev, **options.tests}.items()}
        self.system = load(options.system)
        self.columns: dict[str, dict[str, TokenColumn]] = {"source": {}, "target": {}}
        for side, path in (("source", options.source_classes), ("target", options.target_classes)):
            if path is not None:
                self.columns[side][CLASS] = TokenColumn.from_classes(WordClasses.load(path))

    def run(self) -> dict[str, Any]:
        makers = {1: self._token_types, 2: self._templates, 3: self._constraints, 4: self._two_folds}
        rows = {str(number): makers[number]() for number in self.options.tables}
        baseline = {} if self.options.tables == (4,) else {"baseline": self._baseline()}
        return {
            "sets": {name: len(one.sources) for name, one in self.sets.items()},
            "sparse": asdict(self.options.online),
            **baseline,
            "tables": rows,
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
        return [self._row(label, self.options.templates, types) for label, types in kinds.items()]

    def _templates(self) -> list[dict[str, Any]]:
        """Table 2: templates added one by one."""
        steps = [("word pairs", "pair", "pair_bigram"), ("+ target bigram", "target_bigram")]
        steps.append(("+ insertion", "insertion"))
        if self.system.options.hierarchical:
            steps.append(("+ hierarchical", "hierarchical"))
        rows: list[dict[str, Any]] = []
        templates: tuple[str, ...] = ()
        for label, *more in steps:
            templates = (*templates, *more)
            rows.append(self._row(label, templates, self._all_types()))
        return rows

    def _constraints(self) -> list[dict[str, Any]]:
        """Table 3: number of oracles and candidates, and kind of BLEU."""
        rows = []
        for oracles, candidates in ((1, 1), (1, 10), (10, 1), (10, 10)):
            online = replace(self.options.online, oracles=oracles, candidates=candidates)
            label = f"{oracles}-oracle {candidates}-best"
            rows.append(self._row(label, self.options.templates, self._all_types(), online))
        online = replace(self.options.online, oracles=10, candidates=10, loss="sentence")
        rows.append(self._row("sentence BLEU", self.options.templates, self._all_types(), online))
        return rows

    def _two_folds(self) -> list[dict[str, Any]]:
        """Table 4: each half of the development set translated with weights learned from the other."""
        middle = self._middle()
        dev = self.sets[DEV]
        halves = [dev.part(slice(0, middle)), dev.part(slice(middle, None))]

        def both(label: str, learn: Callable[[_Set], dict[str, Any]]) -> dict[str, Any]:
            learned = [learn(half) for half in halves]
            closed = [line for row, half in zip(learned, (0, 1), strict=True) for line in row["halves"][half]]
            opened = [*learned[1]["halves"][0], *learned[0]["halves"][1]]
            return {
                "label": label,
                "features": sum(row["features"] for row in learned) // 2,
                "scores": {
                    "closed": _scores(closed, dev.references),
                    "open": _scores(opened, dev.references),
                },
                "texts": {"closed": closed, "open": opened},
            }

        def of(label: str, result: Callable[[_Set], dict[str, Any]]) -> Callable[[_Set], dict[str, Any]]:
            def learn(half: _Set) -> dict[str, Any]:
                name = f"{label}, {'first' if half.sources == halves[0].sources else 'second'} half"
                key = f"{name} {self.options.templates} {self._all_types()} {self.options.online}"
                return self._kept(key, lambda: result(half), name)

            return learn

        def dense(half: _Set) -> dict[str, Any]:
            return self._translated_halves(self._tuned_dense(half), halves)

        def sparse(half: _Set) -> dict[str, Any]:
            learned = self._tuned_sparse(half, self.options.templates, self._all_types(), self.options.online)
            return self._translated_halves(learned, halves)

        baseline = both("baseline", of("folds, baseline", dense))
        online = both("online", of("folds, online", sparse))
        return [_compared(row, baseline, {"closed": dev, "open": dev}) for row in (baseline, online)]

    # --- The rows ---------------------------------------------------------------------------------------

    def _row(
        self,
        label: str,
        templates: Sequence[str],
        types: Sequence[str],
        online: OnlineOptions | None = None,
    ) -> dict[str, Any]:
        online = online or self.options.online

        def make() -> dict[str, Any]:
            learned = self._tuned_sparse(self.sets[DEV], templates, types, online)
            return {"label": label, **self._translated(learned)}

        key = json.dumps([sorted(templates), list(types), asdict(online)])
        row = {**self._kept(key, make, label), "label": label}
        return _compared(row, self._baseline_row(), self.sets)

    def _baseline(self) -> dict[str, Any]:
        row = self._baseline_row()
        return _compared(row, row, self.sets)

    def _baseline_row(self) -> dict[str, Any]:
        label = f"baseline ({self.options.baseline})"

        def make() -> dict[str, Any]:
            return {"label": label, **self._translated(self._tuned_dense(self.sets[DEV]))}

        return self._kept(label, make, label)

    def _kept(self, key: str, make: Callable[[], dict[str, Any]], label: str) -> dict[str, Any]:
        """The stored result for this key, or the result of ``make``, which is stored."""
        digest = sha256(f"{key}\n{self._described()}".encode()).hexdigest()[:16]
        path = self.folder / "rows" / f"{digest}.json"
        if path.exists():
            return dict(json.loads(path.read_text(encoding="utf-8")))
        self.say(label)
        made = make()
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_output(path) as stream:
            stream.write(json.dumps(made, ensure_ascii=False) + "\n")
        return made

    def _described(self) -> str:
        """Everything that a row depends on except its own options."""
        digest = sha256(repr((sorted(self.system.weights.items()), self.system.options)).encode())
        for one in self.sets.values():
            digest.update(repr((one.sources, one.references.streams)).encode())
        digest.update(f"{self.options.baseline} {self.options.system.resolve()}".encode())
        return digest.hexdigest()

    # --- Learning and translating -----------------------------------------------------------------------

    def _tuned_dense(self, dev: _Set) -> tuple[Decoder, TuneResult]:
        own = self.system.decoder
        decoder = Decoder(own._rules, own._lm, own.options)
        options = TuneOptions(method=self.options.baseline, seed=self.options.online.seed)
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
        options = TuneOptions(method="online-mira", dense_first=0, seed=online.seed, online=online)
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
        return {
            "features": 0 if sparse is None else len(sparse),
            "scores": {name: _scores(texts[name], one.references) for name, one in self.sets.items()},
            "texts": texts,
        }

    def _translated_halves(
        self, learned: tuple[Decoder, TuneResult], halves: Sequence[_Set]
    ) -> dict[str, Any]:
        sparse = learned[1].sparse
        return {
            "features": 0 if sparse is None else len(sparse),
            "halves": [self._texts(learned, half.sources) for half in halves],
        }

    def _texts(self, learned: tuple[Decoder, TuneResult], sources: list[str]) -> list[str]:
        decoder, result = learned
        decoder.set_weights(result.dense, result.sparse)
        return list(decoder.nbest(sources, threads=self.threads).texts())

    def _all_types(self) -> tuple[str, ...]:
        return ("surface", "prefix", "suffix", "digits", *self.columns["source"])

    def _middle(self) -> int:
        """The start of the second half: the document boundary nearest to the middle."""
        count = len(self.sets[DEV].sources)
        if self.options.boundaries is None:
            return count // 2
        begins = []
        for number, line in enumerate(read_lines(self.options.boundaries), start=1):
            if not line.strip().isdecimal() or not 1 <= int(line) <= count:
                raise DataFormatError(
                    f"'{line[:60]}' found, the number of a sentence from 1 to {count} is expected",
                    self.options.boundaries,
                    number,
                )
            begins.append(int(line) - 1)
        inside = [begin for begin in begins if begin]
        if not inside:
            raise DataFormatError("no document begins after the first sentence", self.options.boundaries)
        return min(inside, key=lambda begin: abs(begin - count / 2))


def _read_set(files: SetFiles) -> _Set:
    sources, references = list(read_lines(files.source)), References.read(files.references)
    check_length(str(files.source), len(sources), str(files.references[0]), len(references))
    return _Set(sources, references)


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


_TITLES = {
    "1": "1. Token types",
    "2": "2. Templates added one by one",
    "3": "3. Oracles against candidates",
    "4": "4. Two-fold cross-validation",
}


def large_margin_tables(results: Mapping[str, Any]) -> list[ResultTable]:
    """The results as tables in the order of the paper.

    A + marks a BLEU score that is better than the baseline, a - one that is worse (p < 0.05).
    """
    made = []
    for number, rows in results["tables"].items():
        if number != "4":
            rows = [results["baseline"], *rows]
        names = list(rows[0]["scores"])
        heads = ["", "features", *(f"{name} {metric}" for name in names for metric in ("NIST", "BLEU"))]
        first = rows[0]["scores"]
        body = []
        for row in rows:
            cells = [row["label"], f"{row['features']:,}" if row["features"] else "-"]
            for name in names:
                score = row["scores"][name]
                mark = "+" if score["BLEU"] > first[name]["BLEU"] else "-"
                cells += [
                    f"{score['NIST']:.2f}",
                    f"{score['BLEU']:.2f}{mark if score['p_value'] < 0.05 else ''}",
                ]
            body.append(cells)
        made.append(ResultTable(_TITLES[number], heads, body))
    return made
