"""From 100,000 to a million sentence pairs: time, memory and growth of every stage.

    ISOGLOSS_DATA=... python benchmarks/pipeline_scale.py [--pairs 100000 1000000] [--folder SCRATCH]
        [--train]

Each stage is the command that a user types, run as a process. Stages that this version does not have, and
stages whose input is then missing, are named and skipped. With `--train`, `isogloss train` runs end to end
instead, on text as people write it: phrase-based, batch MIRA on the 1,014 sentences of val, `--effort quick`,
which trains no neural model. The growth of CPU time is compared with n log n. Scratch files of several
gigabytes go to ``--folder``, by default a temporary folder.
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
from text_to_engine import StageCost, stage_costs

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
    print_growth(command.name, given, (costs[0].cpu, costs[1].cpu))


def print_growth(name: str, sizes: Sequence[int], seconds: tuple[float, float]) -> None:
    """Print by how much the CPU time of a stage grew, beside n log n."""
    bound = sizes[1] * math.log(sizes[1]) / (sizes[0] * math.log(sizes[0]))
    ratio = seconds[1] / seconds[0]
    verdict = "" if ratio <= bound else ", WORSE"
    print(f"{name:22} {'growth':>10} {ratio:9.2f}  (n log n: {bound:.2f}{verdict})")


def report_training(folder: Path, sizes: Sequence[int]) -> None:
    """Train end to end with each number of pairs; print the cost of every stage, then their growth."""
    raw = data_folder() / "multi30k"
    found: list[dict[str, StageCost]] = []
    for pairs in sizes:
        source, target = enlarge(raw / "train.de", raw / "train.en", folder, pairs)
        engine = folder / f"train-{pairs}"
        cost = run(
            [
                *ISOGLOSS,
                *("--quiet", "train", str(engine), "--source", str(source), "--target", str(target)),
                *("--dev-source", str(raw / "val.de"), "--dev-target", str(raw / "val.en")),
                *("--search", "phrase", "--method", "batch-mira", "--effort", "quick", *BOUNDS),
            ]
        )
        if cost.code != 0:
            raise SystemExit(f"'isogloss train' failed with exit code {cost.code}")
        found.append({stage.name: stage for stage in stage_costs(engine)})
        for stage in found[-1].values():
            over = "" if stage.peak <= MEMORY_BYTES else f"  MORE THAN {MEMORY}"
            print(f"{stage.name:22} {pairs:10,} {stage.seconds:9.1f} {'':9} {stage.peak / 1e6:8.0f}{over}")
        print(f"{'all':22} {pairs:10,} {cost.cpu:9.1f} {cost.wall:9.1f} {cost.peak / 1e6:8.0f}", flush=True)
    for name in [name for name in found[0] if name in found[1]]:
        print_growth(name, sizes, (found[0][name].seconds, found[1][name].seconds))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, nargs=2, default=[100_000, 1_000_000], metavar="N")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--train", action="store_true", help="run 'isogloss train' end to end")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        print(f"{'stage':22} {'pairs':>10} {'CPU s':>9} {'wall s':>9} {'peak MB':>8}")
        if arguments.train:
            report_training(arguments.folder or Path(scratch), arguments.pairs)
            return
        for command in COMMANDS:
            report(command, arguments.folder or Path(scratch), arguments.pairs)


if __name__ == "__main__":
    main()
