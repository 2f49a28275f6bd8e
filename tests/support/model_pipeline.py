"""From sentence pairs to models as stages, for a test that kills them. As a script: FOLDER; prints ready."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from isogloss.align import align_corpus
from isogloss.align.bitext import read_sides
from isogloss.classes import ClassOptions, induce_classes
from isogloss.grammar.extraction import extract_rules
from isogloss.io.streams import read_lines
from isogloss.lm.estimation import LmOptions, build
from isogloss.pipeline import Run, Stage

Paths = Mapping[str, Path]


def align(inputs: Paths, outputs: Paths, options: Mapping[str, Any]) -> None:
    result = align_corpus(read_sides(inputs["source"], inputs["target"]), threads=2)
    assert result.model is not None
    result.model.save(outputs["model"])
    result.alignments.write(outputs["links"])


def rules(inputs: Paths, outputs: Paths, options: Mapping[str, Any]) -> None:
    extract_rules(inputs["source"], inputs["target"], inputs["links"], outputs["rules"], threads=2)


def language_model(inputs: Paths, outputs: Paths, options: Mapping[str, Any]) -> None:
    build([inputs["text"]], options=LmOptions(order=4), arpa=outputs["arpa"], binary=outputs["binary"])


def classes(inputs: Paths, outputs: Paths, options: Mapping[str, Any]) -> None:
    sentences = [line.split() for line in read_lines(inputs["text"])]
    induce_classes(sentences, ClassOptions(classes=8)).classes.save(outputs["classes"])


def stages(corpus: Path) -> list[Stage]:
    sides = {"source": corpus / "train.src", "target": corpus / "train.tgt"}
    text = {"text": corpus / "train.tgt"}
    aligned = Stage(
        name="align", function=align, inputs=sides, outputs={"links": "links.txt", "model": "alignment"}
    )
    extracted = Stage(
        name="rules",
        function=rules,
        inputs={**sides, "links": aligned["links"]},
        outputs={"rules": "rules"},
    )
    estimated = Stage(
        name="lm", function=language_model, inputs=text, outputs={"arpa": "lm.arpa.gz", "binary": "lm"}
    )
    clustered = Stage(name="classes", function=classes, inputs=text, outputs={"classes": "classes.tsv"})
    return [aligned, extracted, estimated, clustered]


if __name__ == "__main__":
    print("ready", flush=True)  # noqa: T201
    Run(sys.argv[1]).execute(stages(Path(sys.argv[1]).parent / "corpus"))
