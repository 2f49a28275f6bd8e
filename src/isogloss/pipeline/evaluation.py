"""The stage that evaluates a trained system."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from isogloss.decoder import load
from isogloss.io.progress import Track
from isogloss.io.streams import atomic_output, read_lines
from isogloss.metric import References
from isogloss.metric.evaluation import EvaluateOptions, SystemOutput, evaluate_systems

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
    system = load(inputs["system"])
    results: dict[str, Any] = {}
    for name in SETS:
        if f"{name}_source" not in inputs:
            continue
        sources = list(read_lines(inputs[f"{name}_source"]))
        lines = list(track(system.translate(sources, threads=threads), f"translating {name}", len(sources)))
        with atomic_output(outputs[name]) as stream:
            stream.writelines(f"{line}\n" for line in lines)
        references = References.read(
            [inputs[item] for item in sorted(inputs) if item.startswith(f"{name}_target")]
        )
        found = evaluate_systems(
            [SystemOutput(name, (lines,))], references, EvaluateOptions(**options["scoring"], test="none")
        )
        results[name] = {
            "sentences": len(sources),
            "scores": {
                score.metric: {
                    "score": score.score,
                    "interval": [score.interval.low, score.interval.high],
                    "signature": found.signatures[score.metric],
                }
                for score in found.systems[0].scores
            },
        }
    with atomic_output(outputs["results"]) as stream:
        stream.write(json.dumps(results, indent=1) + "\n")
