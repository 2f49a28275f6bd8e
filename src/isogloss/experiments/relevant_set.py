"""The experiments of Tillmann and Zhang (2006) on the user's data: Table 3, Figure 2, and more.

The description is a TOML file::

    preset = "paper"               # or "best" (optional)

    [train]                        # the data and the block set: any option of 'isogloss train'
    source = "train.de"
    target = "train.en"
    test_source = "test.de"
    test_target = ["test.en"]

    [relevant]                     # options of relevant set training that differ from the preset (optional)
    iterations = 30

    [cells.swap-both]              # other options for one row of the table (optional)
    sentences = 10000

    [experiment]                   # (optional)
    rows = ["mon-both", "swap-both"]                        # instead of all six
    scores = ["lm", "target_given_source", "words"]         # a row with dense features, learned from dev
    mert = true                                             # a row for a dense phrase system

Names of files are relative to the description.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np

from isogloss.corpus.phrases import sharing_phrases
from isogloss.decoder.decoder import DEFAULT_MAX_WORDS, Decoder
from isogloss.decoder.options import PhraseOrder, SearchOptions
from isogloss.decoder.system import System
from isogloss.decoder.weights import default_weights
from isogloss.experiments.presets import PRESETS, Preset, preset_title, settings_toml
from isogloss.experiments.results import ExperimentResults, ResultTable, Say
from isogloss.experiments.score_tuning import tuned_scores
from isogloss.features import SparseModel
from isogloss.features.binary_scores import binary_scores
from isogloss.features.block import BlockFeatures, block_features
from isogloss.grammar.table import RuleTable
from isogloss.io.config import check_names, from_settings
from isogloss.io.errors import ConfigError
from isogloss.io.options import AtLeast, DefaultText, Options
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath, atomic_output, read_lines
from isogloss.lm import build
from isogloss.lm.model import LanguageModel
from isogloss.metric import Bleu, References
from isogloss.pipeline.fold_models import FoldDecoders, FoldText
from isogloss.pipeline.train import Trained, train
from isogloss.pipeline.train_options import TrainOptions
from isogloss.report import Line, Page, line_plot
from isogloss.tuning import RelevantSetOptions, TuneIteration, TuneOptions, tune
from isogloss.tuning.relevant_set import PAPER as RELEVANT_PAPER
from isogloss.tuning.relevant_set_tuning import decoders_of_folds, stored_weights
from isogloss.tuning.sequence_decoder import SearchSequences, SequenceWeights

__all__ = ["RelevantSetRows", "RelevantSetTask", "run_relevant_set_experiment"]

ORDERS: dict[str, PhraseOrder] = {"mon": "monotone", "swap": "swap"}
ROWS = tuple(f"{order}-{features}" for order in ORDERS for features in ("phrase", "word", "both"))
_SCORES = "+scores"
WITH_SCORES = tuple(f"{order}-both{_SCORES}" for order in reversed(ORDERS))
_BEST_WITH_SCORES = RelevantSetOptions(
    iterations=3,
    selection="nbest",
    nbest=50,
    parts=5,
    learning_rate=0.0005,
    regularization=0.05,
    real_rate=0.01,
    folds=0,
)
"""The preset best for rows with dense features. Learned from one half of a development set, these settings
translate the other half best."""
_BEST_DENSE_FIRST = 3
_BLOCKS = {"search": "block", "method": "none"}
"""The block set is trained without tuning; the experiment itself tunes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevantSetRows(Options):
    """The rows of the table."""

    rows: tuple[str, ...] = ROWS
    """Rows to learn: an order of blocks (mon, swap) and their features (phrase, word, both)."""
    scores: tuple[str, ...] = ()
    """Dense features of an additional row, swap-both+scores, which learns from the development set. With
    them, ``rows`` may also name mon-both+scores."""
    binary: bool = False
    """After each row with dense features, add one whose model has binary features alone: weights of blocks,
    n-grams and distances take the place of the dense ones. Needs ``lm.order`` of at most 3."""
    dense_first: Annotated[int, AtLeast(0), DefaultText("3 for the preset best, else 0")] = 0
    """Iterations of ``batch-mira`` that tune the dense features on the development set before rows with
    ``scores`` learn; 0 starts from the default weights."""
    mert: bool = False
    """Add a row for a dense phrase-based system tuned by MERT."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        _check_rows(self.rows)
        if not self.scores and (self.binary or any(row in WITH_SCORES for row in self.rows)):
            raise ConfigError("name the dense features of rows with scores: experiment.scores")


def _check_rows(names: Iterable[str]) -> None:
    known = (*ROWS, *WITH_SCORES)
    for name in names:
        if name not in known:
            raise ConfigError(f"no row is called '{name}'; there are {', '.join(known)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevantSetTask(Options):
    """The data and the settings."""

    train: TrainOptions
    """Data and block set; its search and method are ignored."""
    preset: Preset = "paper"
    """Settings of relevant-set training: of the paper, or those that win on held-out text (``best``)."""
    relevant: Annotated[RelevantSetOptions, DefaultText("those of the preset")] = RELEVANT_PAPER
    """Options of relevant-set training, for all rows."""
    cells: Mapping[str, RelevantSetOptions] = field(default_factory=dict)
    """Rows with other options of relevant-set training: tables [cells.ROW]."""
    experiment: RelevantSetRows = field(default_factory=RelevantSetRows)
    """The rows of the table."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        _check_rows(self.cells)
        if self.train.test_source is None and not self.train.test_size:
            raise ConfigError(
                "there is no test set; give train.test_source and train.test_target, or train.test_size"
            )

    @classmethod
    def from_settings(
        cls, settings: Mapping[str, Any], warn: Callable[[str], None] = lambda message: None
    ) -> RelevantSetTask:
        """Make the task from settings; options of single rows override ``relevant``, not the defaults."""
        check_names(cls, settings)
        preset = settings.get("preset", "paper")
        if preset not in PRESETS:
            raise ConfigError(f"preset must be one of {', '.join(PRESETS)}, got {preset!r}")
        given = {name: settings.get(name, {}) for name in ("train", "relevant", "cells", "experiment")}
        for name, value in given.items():
            if not isinstance(value, Mapping):
                raise ConfigError(f"{name} must be a table, got {value!r}")
        relevant = from_settings(RelevantSetOptions, given["relevant"], "relevant.", PRESETS[preset][1])
        bases = dict.fromkeys((*ROWS, *WITH_SCORES), relevant)
        cells = {**given["cells"]}
        if preset == "best":
            own = from_settings(RelevantSetOptions, given["relevant"], "relevant.", _BEST_WITH_SCORES)
            bases |= dict.fromkeys(WITH_SCORES, own)
            cells = {**{row: {} for row in WITH_SCORES}, **cells}
            given["experiment"] = {"dense_first": _BEST_DENSE_FIRST, **given["experiment"]}
        return cls(
            preset=preset,
            train=TrainOptions.from_settings({**given["train"], **_BLOCKS}, warn),
            relevant=relevant,
            cells={
                name: from_settings(RelevantSetOptions, values, f"cells.{name}.", bases.get(name, relevant))
                for name, values in cells.items()
            },
            experiment=from_settings(RelevantSetRows, given["experiment"], "experiment."),
        )

    @staticmethod
    def current_names(
        settings: Mapping[str, Any], warn: Callable[[str], None] = lambda message: None
    ) -> dict[str, Any]:
        """Settings with current names, with those of ``train`` for a block set."""
        given = settings.get("train", {})
        if not isinstance(given, Mapping):
            return dict(settings)
        return {**settings, "train": {**TrainOptions.current_names(given, warn), **_BLOCKS}}

    def options_of(self, row: str) -> RelevantSetOptions:
        """The settings of a row."""
        options = self.cells.get(row, self.relevant)
        return replace(options, real_features=self.experiment.scores) if row in WITH_SCORES else options

    @property
    def all_rows(self) -> tuple[str, ...]:
        """Rows that are learned, in order."""
        return tuple(
            dict.fromkeys((*self.experiment.rows, *(WITH_SCORES[:1] if self.experiment.scores else ())))
        )


def run_relevant_set_experiment(
    task: RelevantSetTask,
    folder: StrPath,
    *,
    threads: int = 1,
    memory: int = 4 << 30,
    say: Say = lambda message: None,
    warn: Say = lambda message: None,
    track: Track = no_track,
) -> ExperimentResults:
    """Run everything that an earlier run did not finish."""
    values = _Experiment(task, Path(folder), threads, memory, say, warn, track).run()
    return ExperimentResults(values=values, tables=[_table(values)], page=_page(values))


class _Experiment:
    def __init__(
        self,
        options: RelevantSetTask,
        folder: Path,
        threads: int,
        memory: int,
        say: Say,
        warn: Say,
        track: Track,
    ) -> None:
        self.options, self.folder, self.threads, self.memory = options, folder, threads, memory
        self.say, self.warn, self.track = say, warn, track

    def run(self) -> dict[str, Any]:
        options = self.options
        (self.folder / "outputs").mkdir(parents=True, exist_ok=True)
        self.say("block set")
        self.models = self._train("models", options.train)
        rows = {row: self._row(row) for row in options.all_rows}
        return {
            "preset": options.preset,
            "settings": settings_toml(options),
            "block_set": len(self._rules()),
            "rows": rows,
            "mert": self._mert() if options.experiment.mert else None,
            "options": {row: asdict(options.options_of(row)) for row in rows},
        }

    def _train(self, name: str, options: TrainOptions) -> Trained:
        return train(self.folder / name, options, threads=self.threads, memory=self.memory, warn=self.warn)

    def _work(self, name: str) -> Path:
        return self.folder / "models" / "work" / name

    def _rules(self) -> RuleTable:
        return RuleTable.open(self._work("significant-rules" if self.options.train.significance else "rules"))

    def _text(self, name: str) -> tuple[list[str], list[list[str | None]]]:
        """Sentences and reference streams as tokens, without empty and very long ones."""
        tokens = self._work("tokens")
        begin = "" if name == "train" else f"{name}."
        sources = list(read_lines(tokens / f"{begin}source"))
        streams = References.read(sorted(tokens.glob(f"{begin}target*"))).streams
        usable = [at for at, line in enumerate(sources) if 1 <= len(line.split()) <= DEFAULT_MAX_WORDS]
        return [sources[at] for at in usable], [[stream[at] for at in usable] for stream in streams]

    def _row(self, row: str) -> dict[str, Any]:
        relevant = self.options.options_of(row)
        decoder = self._decoder(row)
        decoder.set_weights(self._start(row))
        # Scores are too good on the text that they were estimated on; weights learned there fail elsewhere.
        on_dev = row in WITH_SCORES and relevant.folds < 2 and (self._work("tokens") / "dev.source").exists()
        sources, references = self._text("dev" if on_dev else "train")
        test, test_references = self._text("test")
        if relevant.shared_phrase:
            kept = sharing_phrases(sources, test, relevant.shared_phrase)
            sources = [sources[at] for at in kept]
            references = [[stream[at] for at in kept] for stream in references]

        def report(step: TuneIteration) -> None:
            self.say(
                f"{row}, iteration {step.iteration}: training {step.dev_score:.2f}, test "
                f"{step.held_out_score:.2f}, {step.active_features:,} features, "
                f"{sum(step.seconds.values()):.1f} s"
            )

        found = tune(
            System(decoder, self.folder),
            sources,
            References(references),
            TuneOptions(method="relevant-set", seed=relevant.seed, relevant=relevant),
            # The test set is only for the second curve: the last iteration is used, not the best.
            held_out=(test, References(test_references)),
            threads=self.threads,
            track=self.track,
            report=report,
            work=self.folder / "rows" / row,
            unseen=None if on_dev else self._folds(decoder),
        )
        learned = stored_weights(self.folder / "rows" / row, len(found.history), relevant.real_features)
        decoder.set_weights({**dict.fromkeys(decoder.names, 0.0), **learned.real}, learned.table())
        self._scored(row, "learned", decoder, test, References(test_references))
        sentences = min(relevant.sentences or len(sources), len(sources))
        learned_from = sources[:sentences], References([stream[:sentences] for stream in references])
        return {
            "sentences": sentences,
            "untrained": self._untrained(
                row, learned_from, (test, References(test_references)), folds=not on_dev
            ),
            "history": [asdict(step) for step in found.history],
            "binary": self._binary(row, len(found.history), test, References(test_references)),
            "tuned": self._tuned(row, test, References(test_references)),
        }

    def _start(self, row: str) -> dict[str, float]:
        """The dense weights that a row begins with."""
        decoder, turns = self._decoder(row), self.options.experiment.dense_first
        start = dict(decoder.weights)
        if row not in WITH_SCORES or not turns:
            return start
        self.say(f"{row}, dense features first")
        sources, references = self._text("dev")
        seed = self.options.options_of(row).seed
        tuned = tuned_scores(
            decoder,
            sources,
            References(references),
            {name: start[name] for name in self.options.experiment.scores},
            iterations=turns,
            seed=seed,
            work=self.folder / "rows" / row / f"dense-{turns}-{seed}",
            threads=self.threads,
        )
        return start | tuned

    def _tuned(self, row: str, test: list[str], references: References) -> float | None:
        """BLEU of the test set with tuned dense weights, before binary features are learned."""
        if row not in WITH_SCORES or not self.options.experiment.dense_first:
            return None
        decoder, start = self._decoder(row), self._start(row)
        scores = {name: start[name] for name in self.options.experiment.scores}
        decoder.set_weights({**dict.fromkeys(decoder.names, 0.0), **scores})
        return self._scored(row, "tuned", decoder, test, references)

    def _binary(self, row: str, iteration: int, test: list[str], references: References) -> float | None:
        """BLEU of the test set with the last weights, those of dense features expressed by binary ones."""
        if row not in WITH_SCORES or not self.options.experiment.binary:
            return None
        self.say(f"{row}, binary features alone")
        arpa = self.folder / "lm.arpa"
        if not arpa.exists():
            options = self.options.train.lm
            build([self.models.lm_text[1]], options=options, arpa=arpa, threads=self.threads)
        learned = stored_weights(self.folder / "rows" / row, iteration, self.options.experiment.scores)
        decoder = self._decoder(row)
        scores = binary_scores(decoder.rules, arpa, learned.real)
        weights = learned.plus(scores.features).table()
        decoder.set_weights({**dict.fromkeys(decoder.names, 0.0), "unknown": scores.unknown}, weights)
        return self._scored(row, "binary", decoder, test, references)

    def _scored(
        self, row: str, name: str, decoder: Decoder, test: Sequence[str], references: References
    ) -> float:
        """BLEU of the test set; its translation is kept, for significance tests."""
        lines = list(decoder.nbest(test, threads=self.threads).texts())
        with atomic_output(self.folder / "outputs" / f"{row}.{name}") as stream:
            stream.writelines(f"{line}\n" for line in lines)
        return _bleu(lines, references)

    def _folds(self, decoder: Decoder) -> FoldDecoders:
        options = self.options.train
        text = FoldText(
            [list(read_lines(path)) for path in self.models.training_text],
            self.models.lm_text,
            options.extraction,
            options.lm,
            options.significance,
        )
        return FoldDecoders(text, decoder, self.folder / "folds", self.threads, self.memory, self.say)

    def _decoder(self, row: str) -> Decoder:
        order, _, features = row.partition("-")
        kind = cast(BlockFeatures, features.removesuffix(_SCORES))
        search: SearchOptions = replace(self.options.train.search_options, phrase_order=ORDERS[order])
        sparse = SparseModel(block_features(kind, swap=order == "swap"))
        decoder = Decoder(self._rules(), LanguageModel.load(self._work("lm")), search, sparse=sparse)
        decoder.set_weights(default_weights(decoder.names, hierarchical=False))
        return decoder

    def _untrained(self, row: str, *sets: tuple[list[str], References], folds: bool) -> dict[str, float]:
        """BLEU before anything is learned, of the training sentences (mean) and the test set (corpus).

        Without dense features all weights are zero, and blocks and their order are those that the search
        happens to try first.
        """
        path = self.folder / "rows" / row / "untrained.json"
        facts = {"options": repr(self.options.options_of(row)), "sentences": [len(one[0]) for one in sets]}
        if path.exists():
            stored = json.loads(path.read_text(encoding="utf-8"))
            if stored.get("facts") == facts:
                return dict(stored["scores"])
        self.say(f"{row}, before learning")
        scores = {}
        for name, (sources, references) in zip(("train", "test"), sets, strict=True):
            decoder = self._decoder(row)
            options = self.options.options_of(row)
            real = options.real_features
            start = {feature: decoder.weights[feature] for feature in real}
            unseen = self._folds(decoder) if folds and name == "train" else None
            sequences = SearchSequences(
                decoder,
                sources,
                references,
                real=real,
                unseen=decoders_of_folds(options, sources, unseen),
                threads=self.threads,
            )
            weights = SequenceWeights(start, np.zeros(0, np.uint64), np.zeros(0, np.float32))
            if name == "train":
                found = sequences.decode(weights, np.arange(len(sources)), nbest=1, track=self.track)
                scores[name] = 100 * sum(float(part.qualities.sum()) for part in found) / len(sources)
            else:
                sequences.use(weights)
                scores[name] = self._scored(row, "untrained", decoder, sources, references)
        with atomic_output(path) as stream:
            stream.write(json.dumps({"facts": facts, "scores": scores}) + "\n")
        return scores

    def _mert(self) -> dict[str, float]:
        """A phrase-based system with the usual dense features, tuned by MERT on the development set."""
        self.say("dense phrase-based system, MERT")
        options = replace(
            self.options.train,
            search="phrase",
            method="mert",
            decoder=None,
            significance="",
        )
        trained = self._train("mert", options)
        test, references = self._text("test")
        lines = list(trained.load().translate(test, threads=self.threads, tokenized=True))
        return {"test": _bleu(lines, References(references))}


def _bleu(lines: Sequence[str], references: References) -> float:
    metric = Bleu()
    return float(metric.score(metric.statistics(lines, references).sum(axis=0)))


def _table(results: Mapping[str, Any]) -> ResultTable:
    """Table 3: re-ordering and features, BLEU on training and test, size and time."""
    head = [
        "re-ordering",
        "features",
        "sentences",
        "iteration",
        "train",
        "test",
        "active features",
        "s/iteration",
    ]
    lines: list[list[str]] = []
    for order in ORDERS:
        rows = {name: row for name, row in results["rows"].items() if name.startswith(f"{order}-")}
        bound = max((row["history"][-1]["upper_bound"] for row in rows.values()), default=None)
        if bound is not None:
            lines.append([order.upper(), "best BLEU", "", "", f"{bound:.2f}", "", "", ""])
        for name, row in rows.items():
            features = name.partition("-")[2]
            seconds = [sum(step["seconds"].values()) for step in row["history"]]
            before = row["untrained"]
            label = f"{features}, {'start weights' if name in WITH_SCORES else 'zero weights'}"
            begin = [order.upper(), label, f"{row['sentences']:,}", "-"]
            lines.append([*begin, f"{before['train']:.2f}", f"{before['test']:.2f}", "0", ""])
            if row["tuned"] is not None:
                cells = ["-", "", f"{row['tuned']:.2f}", "0", ""]
                lines.append([order.upper(), f"{features}, tuned start", f"{row['sentences']:,}", *cells])
            # The first pass has learned from truths and bags of blocks alone, before anything was decoded.
            steps = [row["history"][0], row["history"][-1]] if len(row["history"]) > 1 else row["history"]
            for step in steps:
                lines.append(
                    [
                        order.upper(),
                        features,
                        f"{row['sentences']:,}",
                        str(step["iteration"] - 1),
                        f"{step['dev_score']:.2f}",
                        f"{step['held_out_score']:.2f}",
                        f"{step['active_features']:,}",
                        f"{sum(seconds) / len(seconds):.1f}",
                    ]
                )
            if row["binary"] is not None:
                label = f"{features} as binary features"
                cells = [str(row["history"][-1]["iteration"] - 1), "", f"{row['binary']:.2f}", "", ""]
                lines.append([order.upper(), label, f"{row['sentences']:,}", *cells])
    if results["mert"] is not None:
        lines.append(["distortion", "dense, MERT", "", "", "", f"{results['mert']['test']:.2f}", "", ""])
    return ResultTable(preset_title("Table 3", results["preset"]), head, lines)


def _page(results: Mapping[str, Any]) -> Page:
    """Table 3 and a Figure 2 for every row of it."""
    page = Page("Approximate relevant set training")
    table = _table(results)
    page.heading(table.title)
    page.paragraph(
        "train: mean sentence BLEU of the training sentences that were learned from; test: BLEU of the test "
        "set. Iteration 0 has learned from truths and bags of blocks alone; every later one also from what "
        f"the iterations before it decoded. The block set has {results['block_set']:,} blocks."
    )
    page.table(table.heads, table.rows)
    page.heading("Learning curves")
    for name, row in results["rows"].items():
        last = len(row["history"]) - 1
        curves = [
            Line("train", [(step["iteration"] - 1, step["dev_score"]) for step in row["history"]]),
            Line("test", [(step["iteration"] - 1, step["held_out_score"]) for step in row["history"]]),
            Line("test, untrained", [(at, row["untrained"]["test"]) for at in (0, last)]),
        ]
        page.figure(line_plot(name, curves, x_label="iteration", y_label="BLEU"))
    return page
