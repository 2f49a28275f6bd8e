"""``isogloss train``: from parallel text to a tuned, evaluated system."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from isogloss.cli import console
from isogloss.cli.declared import Json, declares
from isogloss.cli.machines import executor_of
from isogloss.io.resources import Cluster, Resources
from isogloss.pipeline import Event, Trained, TrainOptions
from isogloss.pipeline import train as train_system
from isogloss.report.verdict_text import verdict_lines
from isogloss.tuning import TuneIteration

__all__ = ["say_iteration", "say_stage", "train"]


_GROUPS = {
    "Data": ("source", "target", "dev_source", "dev_target", "test_source", "test_target"),
    "Text": ("source_language", "target_language", "tokenizer", "case", "placeholders"),
    "Search": ("search",),
    "Tuning": ("method", "effort"),
    "Resources": ("threads", "memory_limit", "seed"),
}


@declares(_GROUPS, options=TrainOptions, resources=Resources, machines=Cluster)
def train(
    folder: Annotated[
        Path, Parameter(metavar="DIR", help="Folder for the engine and all intermediate files.")
    ],
    /,
    *,
    options: TrainOptions,
    resources: Resources,
    machines: Cluster,
    json: Json = False,
) -> None:
    """Train a translation engine from your own sentence pairs.

    Cleans and tokenizes the text, aligns words, extracts rules, estimates a language model, tunes, evaluates
    and writes a report. An interrupted run resumes if you repeat the command. If you change an option, only
    the stages that depend on it run again. Next: isogloss translate FOLDER.
    """
    with executor_of(machines, resources.count) as executor:
        trained = train_system(
            folder,
            options,
            threads=resources.count,
            memory=resources.memory_limit,
            track=console.track,
            progress=say_stage,
            warn=console.warn,
            note=console.note,
            report=say_iteration,
            executor=executor,
        )
    if json:
        console.print_json(trained.to_dict())
    else:
        _print(trained)


def say_stage(event: Event) -> None:
    """Report the progress of a stage."""
    place = f"[{event.number}/{event.total}] {event.stage}"
    if event.what == "done" and event.record is not None:
        record = event.record
        console.note(f"{place}: {_duration(record.wall_seconds)}, {record.peak_bytes / 1e6:,.0f} MB")
    elif event.what == "kept":
        console.note(f"{place}: up to date")
    elif event.what == "started":
        console.note(place)


def say_iteration(step: TuneIteration) -> None:
    """Report a tuning iteration."""
    held_out = "" if step.held_out_score is None else f", held out {step.held_out_score:.2f}"
    features = f", {step.active_features:,} sparse features" if step.active_features else ""
    console.note(f"  iteration {step.iteration}: BLEU {step.dev_score:.2f}{held_out}{features}")
    for collision in step.collisions:
        console.warn(collision)


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min"


def _print(trained: Trained) -> None:
    for line in verdict_lines(trained.verdict):
        console.print_line(line)
    seconds = sum(record.wall_seconds for record in trained.records)
    peak = max(record.peak_bytes for record in trained.records)
    console.note(f"{_duration(seconds)} in all, at most {peak / 1e6:,.0f} MB; details: {trained.report}")
    console.note(f"translate with: isogloss translate {trained.folder} < TEXT")
