"""From parallel text to a tuned engine: CPU time and memory of every stage of `isogloss train`.

    ISOGLOSS_DATA=... python benchmarks/text_to_engine.py [--method batch-mira online-mira] [--search hiero]
        [--effort normal] [--threads 2] [--folder SCRATCH]

Trains on `multi30k` of the folder that ISOGLOSS_DATA names (29,000 pairs, German to English; val is the
development set, test_2016 the test set) with the command that a user types: the method, the search, and
`--effort quick`, which leaves out what only tells how good the engine is with half of the text. `batch-mira`
tunes dense weights, `online-mira` millions of sparse ones as well. Times are those of
all threads, user and system. A *unit* is the CPU time of a fixed workload on the same machine (`unit.py`).
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from enlarged import data_folder
from measure import ISOGLOSS, Cost, run
from unit import unit

METHODS = ("batch-mira", "online-mira")
LIMITS = {"batch-mira": 350, "online-mira": 600}
"""Units that a whole run may take."""


class StageCost(NamedTuple):
    name: str
    seconds: float
    peak: int


class Training(NamedTuple):
    cost: Cost
    stages: list[StageCost]
    bleu: float

    @property
    def peak(self) -> int:
        return max(self.cost.peak, *(stage.peak for stage in self.stages))


def train(engine: Path, options: Sequence[str]) -> Training:
    """Train from nothing, and read what the run itself recorded."""
    shutil.rmtree(engine, ignore_errors=True)
    data = data_folder() / "multi30k"
    files = {"": "train", "dev-": "val", "test-": "test_2016"}
    named = [
        part
        for prefix, name in files.items()
        for side, language in (("source", "de"), ("target", "en"))
        for part in (f"--{prefix}{side}", str(data / f"{name}.{language}"))
    ]
    cost = run([*ISOGLOSS, "--quiet", "train", str(engine), *named, *options])
    if cost.code != 0:
        raise SystemExit(f"'isogloss train' failed with exit code {cost.code}")
    results = json.loads((engine / "results.json").read_text())
    return Training(cost, stage_costs(engine), results["test"]["scores"]["BLEU"]["score"])


def train_beside_unit(engine: Path, options: Sequence[str]) -> tuple[Training, float]:
    """Train, and measure the unit before and after; what it took is kept beside the engine."""
    before = unit()
    training = train(engine, options)
    one = (before + unit()) / 2
    units_file(engine).write_text(f"{training.cost.cpu / one}\n")
    return training, one


def units_file(engine: Path) -> Path:
    """The file with the units that training took."""
    return engine.with_name(f"{engine.name}.units")


def stage_costs(engine: Path) -> list[StageCost]:
    """What every stage of a run took, as the run recorded it."""
    records = map(json.loads, (engine / "run.jsonl").read_text().splitlines())
    return [
        StageCost(record["stage"], record["cpu_seconds"], record["peak_bytes"])
        for record in records
        if record["outcome"] == "done"
    ]


def report(training: Training, one: float) -> None:
    """Print a line per stage and one for the whole."""
    print(f"{'stage':16} {'CPU s':>7} {'units':>7} {'peak MB':>8}")
    for stage in training.stages:
        print(f"{stage.name:16} {stage.seconds:7.2f} {stage.seconds / one:7.1f} {stage.peak / 1e6:8.0f}")
    rest = training.cost.cpu - sum(stage.seconds for stage in training.stages)
    print(f"{'between stages':16} {rest:7.2f} {rest / one:7.1f}")
    print(f"{'all':16} {training.cost.cpu:7.2f} {training.cost.cpu / one:7.1f} {training.peak / 1e6:8.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--method", nargs="+", default=list(METHODS), choices=METHODS)
    parser.add_argument("--search", default="hiero", choices=["hiero", "phrase"])
    parser.add_argument("--effort", default="quick", choices=["quick", "normal"])
    parser.add_argument("--threads", default="2")
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.folder or Path(scratch)
        for method in arguments.method:
            options = ["--method", method, "--search", arguments.search, "--threads", arguments.threads]
            options += ["--effort", arguments.effort]
            training, one = train_beside_unit(folder / method, options)
            print(f"{method}, {arguments.search}, effort {arguments.effort}; unit {one:.3f} s")
            report(training, one)
            print(
                f"wall-clock time {training.cost.wall:.0f} s; test BLEU {training.bleu:.1f}; "
                f"limit {LIMITS[method]} units\n",
                flush=True,
            )


if __name__ == "__main__":
    main()
