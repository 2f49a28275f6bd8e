"""The last stage: build the system again from all pairs, after it was tuned and evaluated without some."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from isogloss.align.bitext import read_sides
from isogloss.corpus.processing import TextProcessing
from isogloss.decoder.matches import write_matches
from isogloss.io.executor import Executor
from isogloss.io.progress import Track
from isogloss.io.scratch import temporary_folder
from isogloss.pipeline import model_stages, tuning_stages

__all__ = ["build_from_all"]

Paths = Mapping[str, Path]
Options = Mapping[str, Any]
_SIDES = ("source", "target")


def build_from_all(
    inputs: Paths,
    outputs: Paths,
    options: Options,
    *,
    threads: int,
    memory: int,
    track: Track,
    warn: Callable[[str], None],
    executor: Executor | None = None,
) -> None:
    """Make rules and language model from all pairs, and put them together with the tuned weights.

    The inputs are those of the stage ``system``, the training text and the sets that were set aside, as
    tokens and (with names that begin with ``text_``) as text.
    """
    with temporary_folder(outputs["system"].parent, ".all-pairs-") as folder:
        made = {side: folder / side for side in _SIDES} | {
            name: folder / name for name in ("links", "aligner", "rules", "significant", "lm_text", "lm")
        }
        entries = {name: path for name, path in inputs.items() if name.startswith("dictionary_")}
        made |= {"dictionary_links": folder / "dictionary_links", **entries}
        sets = sorted(name for name in inputs if name.startswith(("dev_", "test_")))
        aside = {side: [inputs[name] for name in sets if side in name] for side in _SIDES}
        for side in _SIDES:
            _join([inputs[f"train_{side}"], *aside[side]], made[side])
        _join([inputs["lm_target"], *aside["target"]], made["lm_text"])
        shared: dict[str, Any] = {"threads": threads, "track": track, "executor": executor}
        model_stages.align(made, made, options["align"], warn=warn, **shared)
        model_stages.rules(made, made, options["rules"], memory=memory, **shared)
        rules = made["rules"]
        if options["significance"]:
            rules = made["significant"]
            model_stages.prune(
                made,
                {"rules": rules},
                {"significance": options["significance"]},
                threads=threads,
                track=track,
            )
        model_stages.language_model(
            {"text": made["lm_text"], **entries}, made, options["lm"], memory=memory, **shared
        )
        tuning_stages.put_together({**inputs, "rules": rules, "lm": made["lm"]}, outputs, options["system"])
    write_matches(outputs["matches"], partial(_texts, inputs), TextProcessing.open(inputs["text"]))


def _texts(inputs: Paths) -> Iterator[tuple[str, str]]:
    """Yield all pairs as text: those of training, then those that were set aside."""
    for source in ("text_source", "text_dev_source", "text_test_source"):
        if source in inputs:
            target = inputs.get(source.replace("source", "target_000"), inputs["text_target"])
            yield from read_sides(inputs[source], target)


def _join(parts: Iterable[Path], whole: Path) -> None:
    with whole.open("wb") as joined:
        for part in parts:
            with part.open("rb") as stream:
                shutil.copyfileobj(stream, joined)
