"""One call from parallel text to a tuned, evaluated system with a report.

DIR/system/           the system; 'isogloss translate DIR' uses it
DIR/results.json      its scores
DIR/verdict.json      how good it is, and what would help
DIR/dev.translation   translation of the development set; also test.translation
DIR/options.json      options of the run, for 'isogloss retrain DIR'
DIR/aligner/          word aligner for corrections
DIR/matches/          training text, for exact matches
DIR/contexts/         the same by context, if it has contexts
DIR/examples/         training text, for near matches
DIR/corrections/      corrections made since
DIR/confidence/       how sure translations are
DIR/report.html       report on training, tuning and evaluation
DIR/work/             intermediate files, needed only to resume or to change an option
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from isogloss.decoder import System, load
from isogloss.io.errors import ConfigError, DataFormatError, InputFileError, OutputError
from isogloss.io.executor import Executor, LocalExecutor
from isogloss.io.progress import Track, no_track
from isogloss.io.replacement import finish_replacement
from isogloss.io.streams import StrPath, read_lines
from isogloss.metric.references import References, check_length
from isogloss.pipeline.record import Record
from isogloss.pipeline.report import REPORT, system_page
from isogloss.pipeline.run import Event, Run
from isogloss.pipeline.text_choices import chosen_sides
from isogloss.pipeline.train_options import NO_TUNING, TrainOptions, write_options
from isogloss.pipeline.train_recipe import SEARCH_CHOICE, SEARCH_RULES, Helpers, recipe
from isogloss.pipeline.tuning_stages import LEAST_SENTENCES
from isogloss.report.verdict import Verdict
from isogloss.tuning import TuneIteration

__all__ = ["RECORD", "Trained", "claim", "train"]

RECORD = "run.jsonl"
# Files of a run that was killed before its first record.
_OWN = {"run.lock", ".part", ".checkpoint", "input", "options.json"}


@dataclass(frozen=True)
class Trained:
    """The result of training in a folder."""

    folder: Path
    options: TrainOptions
    records: list[Record]
    """Time and memory of each stage, including stages that were already up to date."""

    @cached_property
    def results(self) -> Mapping[str, Any]:
        """Scores by set (``dev``, ``test``): number of sentences, and for each metric the score, its 95%
        interval and its signature."""
        return _read(self.folder / "results.json")

    @cached_property
    def verdict(self) -> Verdict:
        """How good the system is, beside a translation memory, and what would help."""
        found = Verdict.read(self.folder)
        assert found is not None
        return found

    def scores(self, name: str = "test") -> Mapping[str, float]:
        """Scores of a set by metric; ``name`` is ``dev`` or ``test``."""
        if name not in self.results:
            raise ConfigError(f"there is no set '{name}' in {self.folder}; it has {', '.join(self.results)}")
        return {metric: float(found["score"]) for metric, found in self.results[name]["scores"].items()}

    @cached_property
    def history(self) -> Mapping[str, Any]:
        """The history of tuning: method, best iteration, and a row for each iteration."""
        return _read(self.folder / "work" / "tuning" / "history.json")

    @cached_property
    def cleaning(self) -> Mapping[str, Any]:
        """Pairs that were kept and dropped, with reasons."""
        return _read(self.folder / "work" / "clean" / "facts.json")

    @cached_property
    def sampling(self) -> Mapping[str, Any] | None:
        """The selection of training pairs and its perplexities; None if all were used."""
        return _read(self.folder / "work" / "sample" / "facts.json") if self.options.adapt_to else None

    @property
    def training_text(self) -> tuple[Path, Path, Path]:
        """Source, target and links of the pairs that rules were extracted from, as tokens."""
        work = self.folder / "work"
        if self.options.adapt_to:
            return work / "sample" / "source", work / "sample" / "target", work / "sample" / "links"
        place = "joined" if self.options.extra_bitext else "tokens"
        return work / place / "source", work / place / "target", work / "links"

    @cached_property
    def training_pairs(self) -> int:
        """How many of them, the first, are training pairs; those that come after them are extra pairs."""
        if self.sampling is not None:
            return int(self.sampling["chosen"])
        return sum(1 for _ in read_lines(self.lm_text[0]))

    @property
    def lm_text(self) -> tuple[Path, Path]:
        """Source and target of the pairs that the language model was estimated from, as tokens."""
        return self.folder / "work" / "tokens" / "source", self.folder / "work" / "tokens" / "target"

    @property
    def report(self) -> Path:
        """The HTML report."""
        return self.folder / REPORT

    def to_dict(self) -> dict[str, object]:
        """Folder, verdict, scores, history and cost of each stage as plain values."""
        costs = ("stage", "wall_seconds", "cpu_seconds", "peak_bytes", "output_bytes")
        return {
            "folder": str(self.folder),
            "verdict": self.verdict.to_dict(),
            "results": self.results,
            "tuning": self.history,
            "cleaning": self.cleaning,
            "stages": [{name: getattr(record, name) for name in costs} for record in self.records],
            "report": str(self.report),
        }

    def load(self) -> System:
        """Open the system, as it translates: with corrections and exact matches."""
        return load(self.folder, corrections=True, matches=True)


def train(
    folder: StrPath,
    options: TrainOptions | None = None,
    *,
    threads: int = 1,
    memory: int = 4 << 30,
    track: Track = no_track,
    progress: Callable[[Event], None] | None = None,
    warn: Callable[[str], None] = lambda message: None,
    note: Callable[[str], None] = lambda message: None,
    report: Callable[[TuneIteration], None] = lambda step: None,
    executor: Executor | None = None,
    **settings: Any,
) -> Trained:
    """Train a system into a folder, from options or from keywords with the same names.

    A run that was stopped is continued by the same call; with another option, what does not depend on it is
    kept. ``threads`` (0 uses all processors) does not change the result, nor does ``memory`` (bytes) unless
    it is too small for the aligner's tables, nor where the ``executor`` runs.
    """
    if options is None:
        options = TrainOptions.from_settings(settings, warn)
    elif settings:
        raise ConfigError(
            f"'{next(iter(settings))}' cannot be given together with options; put it into options"
        )
    if threads < 0:
        raise ConfigError(f"threads must be at least 0, got {threads}")
    place = Path(folder)
    finish_replacement(place)
    claim(place)
    _check_sets(options)
    helpers = Helpers(
        threads=threads or os.cpu_count() or 1,
        memory=memory,
        track=track,
        warn=warn,
        report=report,
        note=note,
        executor=executor or LocalExecutor(threads),
    )
    write_options(place, options)
    sides = chosen_sides(options, note)
    run = Run(place, progress=progress)
    if options.chooses_search:
        run.execute(recipe(options, helpers, sides))
        choice = _read(place / SEARCH_CHOICE)
        if choice["candidates"]:
            note(choice["reason"])
        options = options.with_search(choice["search"])
        helpers = replace(helpers, rules=place / SEARCH_RULES)
        write_options(place, options)
    records = run.execute(recipe(options, helpers, sides))
    load(place).renew_corrections()
    trained = Trained(place, options, records)
    system_page(trained).write(trained.report)
    return trained


def claim(folder: Path) -> None:
    """Raise an error if the folder contains other files."""
    try:
        used = folder.exists() and any(item.name not in _OWN for item in folder.iterdir())
    except NotADirectoryError:
        raise OutputError("is a file", folder, "a folder is needed here; choose another name") from None
    except OSError as error:
        raise OutputError(error.strerror or str(error), folder) from None
    if used and not (folder / RECORD).exists():
        raise OutputError(
            "the folder contains files that 'isogloss train' did not write",
            folder,
            "choose a new or empty folder",
        )


def _check_sets(options: TrainOptions) -> None:
    """Check the small files before the large ones are processed."""
    more = [*options.adapt_to, *(path for files in options.extra_bitext for path in files)]
    columns = [*options.source_columns.values(), *options.target_columns.values()]
    sources, targets = options.files
    for path in (*sources, *targets, *more, *columns):
        if not Path(path).is_file():
            raise InputFileError("No such file", path)
    for source, references_of, tuned in (
        (options.dev_source, options.dev_target, options.method != NO_TUNING),
        (options.test_source, options.test_target, False),
    ):
        if source is None:
            continue
        lines = list(read_lines(source))
        references = References.read(references_of)
        check_length(os.fspath(source), len(lines), references.names[0], len(references))
        if not any(line.strip() for line in lines):
            raise DataFormatError(
                "there are only empty lines", source, hint="one sentence per line is expected"
            )
        if tuned and len(lines) < LEAST_SENTENCES:
            found = "1 sentence" if len(lines) == 1 else f"{len(lines)} sentences"
            raise DataFormatError(
                f"{found} to tune on, at least {LEAST_SENTENCES} are needed",
                source,
                hint="a few hundred are typical; use the method 'none' to train without tuning",
            )


def _read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_bytes())
    return content
