"""One call from parallel text to a tuned, evaluated system with a report.

DIR/system/           the system; 'isogloss translate DIR' uses it
DIR/results.json      its scores
DIR/dev.translation   what it makes of the development set; test.translation likewise
DIR/options.json      what it was told; 'isogloss retrain DIR' uses it
DIR/aligner/          what aligns the words of corrections
DIR/matches/          the training text, whose translations are returned as they are
DIR/corrections/      what people have corrected since
DIR/report.html       how it was made, how it learnt, how good it is
DIR/work/             what was made on the way; needed to continue or to change an option, else not
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from isogloss.decoder import System, load
from isogloss.io.errors import ConfigError, DataFormatError, InputFileError, OutputError
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath, read_lines
from isogloss.metric.references import References, check_length
from isogloss.pipeline.recipe import Helpers, recipe
from isogloss.pipeline.record import Record
from isogloss.pipeline.report import REPORT, system_page
from isogloss.pipeline.run import Event, Run
from isogloss.pipeline.train_options import NO_TUNING, TrainOptions, write_options
from isogloss.pipeline.tuning_stages import LEAST_SENTENCES
from isogloss.tuning import TuneIteration

__all__ = ["Trained", "claim", "train"]

_RECORD = "run.jsonl"
_OWN = {
    "run.lock",
    ".part",
    ".checkpoint",
    "input",
    "options.json",
}  # what a run has that was killed before its first record


@dataclass(frozen=True)
class Trained:
    """What training left in a folder."""

    folder: Path
    options: TrainOptions
    records: list[Record]
    """What each stage cost, also if it was done before."""

    @cached_property
    def results(self) -> Mapping[str, Any]:
        """Scores by set (``dev``, ``test``): number of sentences, and for each metric the score, its 95%
        interval and its signature."""
        return _read(self.folder / "results.json")

    @cached_property
    def history(self) -> Mapping[str, Any]:
        """How tuning went: method, best iteration, and a row for each iteration."""
        return _read(self.folder / "work" / "tuning" / "history.json")

    @cached_property
    def cleaning(self) -> Mapping[str, Any]:
        """Pairs that were kept and dropped, with reasons."""
        return _read(self.folder / "work" / "clean" / "facts.json")

    @cached_property
    def sampling(self) -> Mapping[str, Any] | None:
        """What was chosen of the training pairs, and what it is worth; None if all were used."""
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
        """The page that tells all."""
        return self.folder / REPORT

    def to_dict(self) -> dict[str, Any]:
        """As plain values: where it is, how good it is, how it was tuned, what each stage cost."""
        costs = ("stage", "wall_seconds", "cpu_seconds", "peak_bytes", "output_bytes")
        return {
            "folder": str(self.folder),
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
    report: Callable[[TuneIteration], None] = lambda step: None,
    **settings: Any,
) -> Trained:
    """Train a system into a folder, from options or from keywords with the same names.

    A run that was stopped is continued by the same call; with another option, what does not depend on it is
    kept. ``threads`` (0 uses all processors) does not change the result, nor does ``memory`` (bytes) unless
    it is too small for the aligner's tables.
    """
    if options is None:
        options = TrainOptions.from_settings(settings, warn)
    elif settings:
        raise ConfigError(f"'{next(iter(settings))}' is given beside options: put it into them")
    if threads < 0:
        raise ConfigError(f"threads must be at least 0, got {threads}")
    place = Path(folder)
    claim(place)
    _check_sets(options)
    helpers = Helpers(
        threads=threads or os.cpu_count() or 1, memory=memory, track=track, warn=warn, report=report
    )
    write_options(place, options)
    records = Run(place, progress=progress).execute(recipe(options, helpers))
    load(place).renew_corrections()
    trained = Trained(place, options, records)
    system_page(trained).write(trained.report)
    return trained


def claim(folder: Path) -> None:
    """Refuse a folder that holds something else."""
    try:
        used = folder.exists() and any(item.name not in _OWN for item in folder.iterdir())
    except NotADirectoryError:
        raise OutputError("is a file", folder, "a folder is written here: choose another name") from None
    except OSError as error:
        raise OutputError(error.strerror or str(error), folder) from None
    if used and not (folder / _RECORD).exists():
        raise OutputError(
            "the folder holds something that 'isogloss train' did not make",
            folder,
            "choose an empty or new folder",
        )


def _check_sets(options: TrainOptions) -> None:
    """What is wrong with small files should be said before the large ones are worked on."""
    more = [*options.adapt_to, *(path for files in options.extra_bitext for path in files)]
    columns = [*options.source_columns.values(), *options.target_columns.values()]
    for path in (options.source, options.target, *more, *columns):
        if path is not None and not Path(path).is_file():
            raise InputFileError("No such file", path)
    for source, targets, tuned in (
        (options.dev_source, options.dev_target, options.method != NO_TUNING),
        (options.test_source, options.test_target, False),
    ):
        if source is None:
            continue
        lines = list(read_lines(source))
        references = References.read(targets)
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
                hint="some hundreds are usual; the method 'none' needs none",
            )


def _read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_bytes())
    return content
