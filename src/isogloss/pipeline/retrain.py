"""Retrain an engine with its corrections.

DIR/options.json            the options that the engine was trained with
DIR/input/corrections.tsv   the corrections to train on
DIR/retrained.json          how many there were, and the scores before and after
DIR/.next/                  a copy of the engine that is trained and then replaces it in one step
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from isogloss.corpus.plain import one_line
from isogloss.decoder import Correction, System, load
from isogloss.decoder.beside import CORRECTIONS
from isogloss.decoder.stored_system import TRAINED
from isogloss.io.durable import one_writer
from isogloss.io.errors import ConfigError
from isogloss.io.progress import Track, no_track
from isogloss.io.replacement import changed_copy, copy_folder, finish_replacement, replace_content
from isogloss.io.streams import StrPath, atomic_output
from isogloss.metric.evaluation import EvaluateOptions, SystemOutput, evaluate_systems
from isogloss.metric.references import References
from isogloss.pipeline.evaluation import scoring
from isogloss.pipeline.fingerprint import fingerprint
from isogloss.pipeline.run import Event
from isogloss.pipeline.run_folder import LOCK, locked
from isogloss.pipeline.train import RECORD, Trained, train
from isogloss.pipeline.train_options import read_options
from isogloss.tuning import TuneIteration

__all__ = ["Retrained", "copied_from", "retrain"]

_HELD_OUT = 5  # every fifth correction


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrained:
    """Result of retraining with corrections."""

    trained: Trained
    folded: int
    """Number of corrections that were trained on."""
    held_out: int
    """Number of corrections that were held out; the scores are measured on these."""
    before: Mapping[str, float]
    """BLEU, chrF and the share of sentences translated exactly as corrected, before retraining."""
    after: Mapping[str, float]
    """The same scores after retraining."""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values."""
        facts = {"folded": self.folded, "held_out": self.held_out}
        return {**facts, "before": dict(self.before), "after": dict(self.after), **self.trained.to_dict()}


def retrain(
    folder: StrPath,
    *,
    threads: int = 1,
    memory: int = 4 << 30,
    track: Track = no_track,
    progress: Callable[[Event], None] | None = None,
    warn: Callable[[str], None] = lambda message: None,
    report: Callable[[TuneIteration], None] = lambda step: None,
) -> Retrained:
    """Retrain an engine with its original options and its corrections added to the training text.

    Every fifth correction is held out and translated before and after retraining, without using corrections
    or exact matches. All corrections stay active afterwards.
    """
    place = Path(folder)
    finish_replacement(place)
    options = read_options(place)
    engine = load(place)
    corrections = engine.corrections()
    if not corrections:
        raise ConfigError(f"{place}: there are no corrections to train on; see 'isogloss correct'")
    held_out = [one for at, one in enumerate(corrections, start=1) if at % _HELD_OUT == 0]
    folded = [one for at, one in enumerate(corrections, start=1) if at % _HELD_OUT]
    threads = threads or os.cpu_count() or 1
    before = _translations(engine, held_out, threads)
    target = options.sides[1]
    how = EvaluateOptions(**scoring(target.tokenizer, target.case), test="none")
    with locked(place):
        copy = changed_copy(place, copied_from(place), appended=(RECORD,), left_out=(LOCK, CORRECTIONS))
        shutil.rmtree(copy / CORRECTIONS, ignore_errors=True)  # of an interrupted run, perhaps a part of them
        chosen = replace(read_options(copy), corrections=_written(copy / "input" / "corrections.tsv", folded))
        trained = train(
            copy,
            chosen,
            threads=threads,
            memory=memory,
            track=track,
            progress=progress,
            warn=warn,
            report=report,
        )
        after = _translations(load(copy), held_out, threads)
        done = Retrained(
            trained=replace(trained, folder=place),
            folded=len(folded),
            held_out=len(held_out),
            before=_scores(before, held_out, how),
            after=_scores(after, held_out, how),
        )
        with atomic_output(copy / "retrained.json") as stream:
            facts = {"folded": done.folded, "held_out": done.held_out}
            json.dump({**facts, "before": dict(done.before), "after": dict(done.after)}, stream, indent=1)
        with one_writer(place / CORRECTIONS):  # nobody corrects it from here on, or it would be lost
            copy_folder(place / CORRECTIONS, copy / CORRECTIONS)
            load(copy).renew_corrections()
            replace_content(place, copy, left_out=(LOCK,))
    return done


def copied_from(place: Path) -> str:
    """What a copy was made from: the stages, and the system, whose weights may have been tuned since."""
    return json.dumps([fingerprint(place / name).content for name in (RECORD, TRAINED)])


def _translations(system: System, held_out: Sequence[Correction], threads: int) -> list[str]:
    return list(system.translate([one.source for one in held_out], threads=threads))


def _scores(lines: Sequence[str], held_out: Sequence[Correction], how: EvaluateOptions) -> dict[str, float]:
    if not held_out:
        return {}
    wanted = [one_line(one.target) for one in held_out]
    given = [one_line(line) for line in lines]
    found = evaluate_systems([SystemOutput("engine", (given,))], References([wanted]), how)
    right = sum(a == b for a, b in zip(given, wanted, strict=True)) / len(wanted)
    return {**{score.metric: score.score for score in found.systems[0].scores}, "right": right}


def _written(path: Path, corrections: Sequence[Correction]) -> Path:
    """Write the corrections to a file. An identical file is not touched, so that no stage runs again."""
    rows: list[tuple[str, str]] = []
    for one in corrections:
        sources, targets = (side.strip().splitlines() for side in (one.source, one.target))
        if len(sources) == len(targets):
            rows += zip(sources, targets, strict=True)
    content = "".join(
        "\t".join(one_line(side).replace("\t", " ") for side in row) + "\n"
        for row in rows
        if all(side.strip() for side in row)
    )
    if not path.exists() or path.read_bytes() != content.encode():
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_output(path) as stream:
            stream.write(content)
    return path
