"""A small pipeline of real steps, for tests that kill it. As a script: FOLDER [PAUSE], prints 'ready'."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from isogloss._engine import Vocabulary
from isogloss.classes import ClassOptions, WordClasses, induce_classes
from isogloss.io.streams import atomic_output, read_lines
from isogloss.pipeline import Run, Stage
from isogloss.storage.folder import write_folder

Paths = Mapping[str, Path]
PAUSE = [0.0]


def pause() -> None:
    time.sleep(PAUSE[0])


def write_text(path: Path) -> None:
    rng = random.Random(6)
    words = [f"w{int(rng.paretovariate(0.7)) % 300}" for _ in range(4000)]
    path.write_text("".join(" ".join(words[i : i + 10]) + "\n" for i in range(0, len(words), 10)))


def clean(inputs: Paths, outputs: Paths, options: Mapping[str, Any]) -> None:
    """Written in pieces, without any care of its own."""
    with outputs["text"].open("w") as text, outputs["dropped"].open("w") as dropped:
        for number, line in enumerate(read_lines(inputs["text"])):
            if number % 100 == 0:
                text.flush()
                pause()
            print(line, file=dropped if len(line.split()) < options["shortest"] else text)


def classes(inputs: Paths, outputs: Paths, options: Mapping[str, Any]) -> None:
    sentences = [line.split() for line in read_lines(inputs["text"])]
    result = induce_classes(sentences, ClassOptions(restarts=1, **options), progress=lambda _: pause())
    result.classes.save(outputs["classes"])


def factor(inputs: Paths, outputs: Paths, options: Mapping[str, Any]) -> None:
    """A stored folder and a packed file."""
    table = WordClasses.load(inputs["classes"])
    vocabulary = Vocabulary()
    with atomic_output(outputs["tags"]) as stream:
        for line in read_lines(inputs["text"]):
            vocabulary.encode([line.split()])
            stream.write(" ".join(map(str, table.classify(line.split()))) + "\n")
    pause()
    arrays = {"class_of": table.by_id(vocabulary), "ones": np.ones(3)}
    write_folder(outputs["factors"], kind="factors", version=1, arrays=arrays, attributes=dict(options))
    pause()


def stages(text: Path, *, number: int = 8, shortest: int = 0) -> list[Stage]:
    cleaned = Stage(
        name="clean",
        function=clean,
        inputs={"text": text},
        outputs={"text": "clean/text", "dropped": "clean/dropped"},
        options={"shortest": shortest},
    )
    clustered = Stage(
        name="classes",
        function=classes,
        inputs={"text": cleaned["text"]},
        outputs={"classes": "classes.tsv"},
        options={"classes": number},
    )
    factored = Stage(
        name="factor",
        function=factor,
        inputs={"text": cleaned["text"], "classes": clustered["classes"]},
        outputs={"tags": "tags.gz", "factors": "factors"},
    )
    return [factored, cleaned, clustered]  # not in order: that is the run's business


def content(folder: Path) -> dict[str, bytes]:
    """What a run left behind, but for its record and the random part of the names of stored arrays."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file() and name not in ("run.jsonl", "run.lock"):
            data = path.read_bytes()
            if name.endswith(".bin"):
                name = name.rsplit("-", 1)[0]
            found[name] = b"" if name.endswith("manifest.json") else data
    return found


if __name__ == "__main__":
    PAUSE[0] = float(sys.argv[2])
    print("ready", flush=True)  # noqa: T201
    Run(sys.argv[1]).execute(stages(Path(sys.argv[1]).parent / "text"))
