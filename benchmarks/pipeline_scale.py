"""From 100,000 to a million sentence pairs: time, memory and growth of every stage.

    ISOGLOSS_DATA=... python benchmarks/pipeline_scale.py [--pairs 100000 1000000] [--folder SCRATCH]

Each stage is the command that a user types, run as a process. Stages that this version does not have, and
stages whose input is then missing, are named and skipped. The growth of CPU time is compared with n log n.
Scratch files of several gigabytes go to ``--folder``, by default a temporary folder.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from enlarged import data_folder, enlarge
from measure import ISOGLOSS, Cost, run

MEMORY = "4G"
MEMORY_BYTES = 4 << 30


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    verb: Sequence[str]
    arguments: Sequence[str]
    """With {source}, {target} and {folder} filled in."""
    needs: Sequence[str] = ()
    """Files in {folder} that an earlier stage makes."""
    share: float = 1.0
    """Part of the pairs that the stage is given."""


BOUNDS = ("--memory-limit", MEMORY, "--threads", "2")
COMMANDS = (
    Command("align", ["align"], ["{source}", "{target}", "--output", "{folder}/links", *BOUNDS]),
    Command(
        "classes, source",
        ["classes"],
        ["{source}", "--output", "{folder}/classes.source", "--threads", "2"],
    ),
    Command(
        "classes, target",
        ["classes"],
        ["{target}", "--output", "{folder}/classes.target", "--threads", "2"],
    ),
    Command(
        "extract phrases",
        ["extract"],
        [
            "{source}",
            "{target}",
            "{folder}/links",
            "--grammar",
            "phrase",
            "--output",
            "{folder}/phrases",
            *BOUNDS,
        ],
        needs=["links"],
    ),
    Command(
        "extract hierarchical",
        ["extract"],
        [
            "{source}",
            "{target}",
            "{folder}/links",
            "--grammar",
            "hiero",
            "--output",
            "{folder}/rules",
            *BOUNDS,
        ],
        needs=["links"],
        share=0.2,
    ),
    Command(
        "lm build",
        ["lm", "build"],
        ["{target}", "--order", "5", "--memory-limit", MEMORY, "--arpa", "{folder}/lm.arpa"],
    ),
)


def head(path: Path, lines: int) -> Path:
    """The first lines of a file, beside it."""
    result = path.with_name(f"{path.name}.{lines}")
    if not result.exists():
        with path.open("rb") as source, result.open("wb") as target:
            target.writelines(line for _, line in zip(range(lines), source, strict=False))
    return result


def measure(command: Command, folder: Path, pairs: int) -> Cost | None:
    """Run one stage on the first of the enlarged pairs; none if an input is missing."""
    work = folder / str(pairs)
    work.mkdir(parents=True, exist_ok=True)
    corpora = data_folder() / "multi30k-tok"
    source, target = enlarge(corpora / "train.de", corpora / "train.en", folder, pairs)
    if any(not (work / name).exists() for name in command.needs):
        return None
    places = {"source": str(source), "target": str(target), "folder": str(work)}
    if command.share < 1:
        lines = round(pairs * command.share)
        places["source"], places["target"] = str(head(source, lines)), str(head(target, lines))
        places["folder"] = str(work / "part")
        (work / "part").mkdir(exist_ok=True)
        for name in command.needs:
            head(work / name, lines).replace(work / "part" / name)
    filled = [argument.format(**places) for argument in command.arguments]
    return run([*ISOGLOSS, "--quiet", *command.verb, *filled])


def report(command: Command, folder: Path, sizes: Sequence[int]) -> None:
    """Print a line per size and one for the growth."""
    name = f"{command.name:22}"
    if run([*ISOGLOSS, *command.verb, "--help"], loud=False).code != 0:
        print(f"{name} left out: there is no 'isogloss {' '.join(command.verb)}'")
        return
    costs: list[Cost] = []
    given = [round(pairs * command.share) for pairs in sizes]
    for pairs, lines in zip(sizes, given, strict=True):
        cost = measure(command, folder, pairs)
        if cost is None:
            print(f"{name} left out: its input {', '.join(command.needs)} was not made")
            return
        if cost.code != 0:
            print(f"{name} failed with exit code {cost.code}")
            return
        over = "" if cost.peak <= MEMORY_BYTES else f"  MORE THAN {MEMORY}"
        print(f"{name} {lines:10,} {cost.cpu:9.1f} {cost.wall:9.1f} {cost.peak / 1e6:8.0f}{over}")
        costs.append(cost)
    bound = given[1] * math.log(given[1]) / (given[0] * math.log(given[0]))
    ratio = costs[1].cpu / costs[0].cpu
    print(f"{name} {'growth':>10} {ratio:9.2f}  (n log n: {bound:.2f}{'' if ratio <= bound else ', WORSE'})")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, nargs=2, default=[100_000, 1_000_000], metavar="N")
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        print(f"{'stage':22} {'pairs':>10} {'CPU s':>9} {'wall s':>9} {'peak MB':>8}")
        for command in COMMANDS:
            report(command, arguments.folder or Path(scratch), arguments.pairs)


if __name__ == "__main__":
    main()
