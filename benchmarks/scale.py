"""What a cluster would need for 10 million to 1 billion sentence pairs: a cost model with measured constants.

    python benchmarks/scale.py                                          # print the predictions
    ISOGLOSS_DATA=... python benchmarks/scale.py --measure 100000 --folder SCRATCH    # measure the constants

``--measure`` runs word alignment, rule extraction and the language model on Multi30k enlarged to so many
pairs, with the functions that a cluster runs, one shard after another in this process. It prints the CPU
seconds inside the shards (they spread over all processors) and outside (they do not), the bytes that shards
send and write, and a line for the table ``MEASURED``.

The time of a stage is ``shards / processors + rest + bytes / bandwidth``: an estimate, not a promise.
"""

from __future__ import annotations

import argparse
import pickle
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

CORES = 16  # of a machine
STORAGE = 1e9  # bytes per second and machine that the shared storage gives
SIZES = (10_000_000, 100_000_000, 1_000_000_000)
MACHINES = (10, 100, 1000)


@dataclass(frozen=True, slots=True)
class Constants:
    """Per sentence pair of about 12 words on each side."""

    stage: str
    shards: float
    """CPU seconds inside shards."""
    rest: float
    """CPU seconds on the machine that drives."""
    files: float
    """Bytes that shards write to the shared storage and the driver reads."""
    sent: float
    """Bytes through Ray."""


MEASURED: tuple[Constants, ...] = (
    Constants("word alignment", 0.000159, 7.44e-06, 4.19e03, 88.9),
    Constants("rules, phrase", 5.56e-05, 0.000114, 2.97e03, 15.5),
    Constants("rules, hiero", 7.42e-05, 6.62e-05, 1.84e03, 15.5),
    Constants("language model", 5.07e-06, 1.05e-05, 176, 2.94),
)
"""At 100,000 pairs, on a machine that others used too; its unit (``unit.py``) was 0.21 s."""


@dataclass(slots=True)
class Metered:
    """An executor in this process that counts what a cluster would do."""

    threads: int = 1
    distributed: bool = True
    seconds: dict[str, float] = field(default_factory=dict)
    sent: int = 0
    files: int = 0

    def map(self, function: Callable[[Any, int], Any], shards: Iterable[Any], what: str) -> Iterator[Any]:
        for shard in shards:
            self.sent += len(pickle.dumps(shard, protocol=5))
            begun = time.process_time()
            result = function(shard, 1)
            self.seconds[what] = self.seconds.get(what, 0.0) + time.process_time() - begun
            self.sent += len(pickle.dumps(result, protocol=5))
            self.files += sum(_sizes(result))
            yield result


def _sizes(result: Any) -> Iterator[int]:
    """Bytes of the files that a result names, wherever in it."""
    from isogloss.io.executor import ShardFile
    from isogloss.io.shared_arrays import SharedPart

    if isinstance(result, ShardFile):
        yield result.size
    elif isinstance(result, SharedPart):
        yield result.bytes
    elif isinstance(result, tuple | list):
        for item in result:
            yield from _sizes(item)
    elif is_dataclass(result):
        for each in fields(result):
            yield from _sizes(getattr(result, each.name))


def measure(pairs: int, folder: Path) -> None:
    import resource

    from enlarged import data_folder, enlarge

    from isogloss.align import align_files
    from isogloss.grammar import ExtractOptions, extract_rules
    from isogloss.lm import LmOptions, build

    corpora = data_folder() / "multi30k-tok"
    source, target = enlarge(corpora / "train.de", corpora / "train.en", folder, pairs)
    links = folder / "links"

    def stage(name: str, work: Callable[[Metered], object]) -> None:
        meter, begun = Metered(), time.process_time()
        work(meter)
        inside = sum(meter.seconds.values())
        rest = time.process_time() - begun - inside
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        parts = {what: round(spent, 1) for what, spent in meter.seconds.items()}
        print(f"{name}: {inside:.1f} s in shards {parts}, {rest:.1f} s besides, peak {peak / 1e6:.0f} MB")
        values = [inside / pairs, rest / pairs, meter.files / pairs, meter.sent / pairs]
        print(f'    Constants("{name}", {", ".join(f"{value:.3g}" for value in values)}),', flush=True)

    stage(
        "language model",
        lambda meter: build(
            [target], options=LmOptions(), binary=folder / "lm", threads=1, scratch=folder, executor=meter
        ),
    )
    stage(
        "word alignment",
        lambda meter: align_files(source, target, output=links, executor=meter, scratch=folder),
    )
    for grammar in ("phrase", "hiero"):
        options = ExtractOptions.for_grammar(grammar)
        stage(
            f"rules, {grammar}",
            lambda meter, options=options, grammar=grammar: extract_rules(
                source, target, links, folder / grammar, options, threads=1, scratch=folder, executor=meter
            ),
        )


def seconds(stage: Constants, pairs: int, machines: int) -> float:
    """Predicted wall time of a stage."""
    return pairs * (stage.shards / (machines * CORES) + stage.rest + stage.files / STORAGE)


def shown(value: float) -> str:
    return (
        f"{value / 3600:.1f} h"
        if value >= 3600
        else f"{value / 60:.0f} min"
        if value >= 60
        else f"{value:.0f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--measure", type=int, metavar="PAIRS")
    parser.add_argument("--folder", type=Path, default=Path("scale"))
    arguments = parser.parse_args()
    if arguments.measure:
        arguments.folder.mkdir(parents=True, exist_ok=True)
        measure(arguments.measure, arguments.folder)
        return
    print(f"machines with {CORES} processors; {STORAGE / 1e9:g} GB/s from the shared storage\n")
    print("| stage | pairs |" + "".join(f" {count:,} machines |" for count in MACHINES) + " shared storage |")
    print("|---|---:|" + "---:|" * (len(MACHINES) + 1))
    for stage in MEASURED:
        for pairs in SIZES:
            times = " | ".join(shown(seconds(stage, pairs, count)) for count in MACHINES)
            print(f"| {stage.stage} | {pairs:,} | {times} | {stage.files * pairs / 1e9:,.0f} GB |")


if __name__ == "__main__":
    main()
