"""The stage that evaluates a trained system."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.decoder import System, load
from isogloss.io.progress import Track
from isogloss.io.streams import atomic_output, read_lines
from isogloss.metric import References
from isogloss.metric.evaluation import EvaluateOptions, SystemOutput, evaluate_systems
from isogloss.pipeline.similarity import SIMILAR, nearest_similarities

__all__ = ["SETS", "evaluate_system", "scoring"]

Paths = Mapping[str, Path]
Options = Mapping[str, Any]

SETS = ("dev", "test")
_TOKENIZERS = {"none": "none", "jieba": "zh", "characters": "char", "fugashi": "char"}


def scoring(tokenizer: str, case: str) -> dict[str, Any]:
    """Evaluation options for a target language: plain text with the usual tokenizer of the language."""
    return {"tokenize": _TOKENIZERS.get(tokenizer, "13a"), "lowercase": case == "lowercase"}


def evaluate_system(inputs: Paths, outputs: Paths, options: Options, *, threads: int, track: Track) -> None:
    """Translate the development and test sets as a user would, and score the translations."""
    system = load(inputs["system"], near_matches=True)
    results: dict[str, Any] = {}
    for name in SETS:
        if f"{name}_source" not in inputs:
            continue
        sources = list(read_lines(inputs[f"{name}_source"]))
        lines = list(track(system.translate(sources, threads=threads), f"translating {name}", len(sources)))
        with atomic_output(outputs[name]) as stream:
            stream.writelines(f"{line}\n" for line in lines)
        if not sources:
            continue
        references = References.read(
            [inputs[item] for item in sorted(inputs) if item.startswith(f"{name}_target")]
        )
        scored = EvaluateOptions(**options["scoring"], test="none")
        results[name] = _scores(lines, references, scored)
        if name == "test":
            results[name]["by_similarity"] = _by_similarity(
                inputs, system, sources, lines, references, scored
            )
    with atomic_output(outputs["results"]) as stream:
        stream.write(json.dumps(results, indent=1) + "\n")


def _scores(lines: Sequence[str], references: References, options: EvaluateOptions) -> dict[str, Any]:
    found = evaluate_systems([SystemOutput("system", (list(lines),))], references, options)
    return {
        "sentences": len(lines),
        "scores": {
            score.metric: {
                "score": score.score,
                "interval": [score.interval.low, score.interval.high],
                "signature": found.signatures[score.metric],
            }
            for score in found.systems[0].scores
        },
    }


def _by_similarity(
    inputs: Paths,
    system: System,
    sources: list[str],
    lines: Sequence[str],
    references: References,
    options: EvaluateOptions,
) -> dict[str, Any]:
    """Scores of the sentences that are like a training sentence, and of the others."""
    text = system.text
    tokens = sources if text is None else [text.tokenize(source) for source in sources]
    similar = nearest_similarities(list(read_lines(inputs["train_source"])), tokens) >= SIMILAR
    found = {}
    for name, part in (("similar", similar), ("other", ~similar)):
        chosen = np.flatnonzero(part).tolist()
        if chosen:
            streams = [[stream[at] for at in chosen] for stream in references.streams]
            found[name] = _scores([lines[at] for at in chosen], References(streams), options)
    return found
