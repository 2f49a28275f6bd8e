"""What the command line costs before it answers: ``--help``, and one sentence translated by a cold process.

    python benchmarks/startup.py [ENGINE] [--sentence TEXT]

Medians of the CPU time (user and system, all threads) in units of ``unit.py``, once Python has cached its
bytecode. Without an engine, one is trained on synthetic text.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

import measure
import unit

ROUNDS = 7
_READING = ("/bin/sh", "-c", 'exec "$@" < "$0"')
"""Run a command with a file as its standard input; the file comes first."""


def _median(command: list[str]) -> float:
    costs = [measure.run(command) for _ in range(ROUNDS + 1)]
    if any(cost.code for cost in costs):
        raise SystemExit(f"{command}: exit code {costs[-1].code}")
    return statistics.median(cost.cpu for cost in costs[1:])  # the first one writes the bytecode


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("engine", nargs="?", type=Path)
    parser.add_argument("--sentence", default="The miller sees the goats.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        engine = options.engine
        if engine is None:
            engine = folder / "engine"
            text = folder / "text"
            measure.run([*measure.ISOGLOSS, "corpus", "synthetic", str(text), "--pairs", "2000", "--raw"])
            sides = ["--source", str(text / "train.src"), "--target", str(text / "train.tgt")]
            measure.run([*measure.ISOGLOSS, "train", str(engine), *sides, "--method", "batch-mira"])
        line = folder / "line"
        line.write_text(options.sentence + "\n")
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
        commands = {
            "isogloss --help": [*measure.ISOGLOSS, "--help"],
            "one sentence, cold": [*_READING, str(line), *measure.ISOGLOSS, "translate", str(engine)],
        }
        one = unit.unit()
        print(f"unit {one:.4f} CPU s; Python {sys.version.split()[0]}; medians of {ROUNDS}")
        for name, command in commands.items():
            print(f"{name:20}{_median(command) / one:8.2f} units")


if __name__ == "__main__":
    main()
