"""A campaign of faults over every verb that writes; prints what happened.

    python fuzz/faults.py --faults 1000 --kills 200

Half of the faults are kills at a change of the file system, half are calls that fail; ``--kills`` come at random
moments. It stops at the first that leaves something else than before or after, or that a repetition does not mend.
What was done is in a journal, build/faults.jsonl by default: stop it at any time, and repeat the command to go on.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "tests")]

from support.faults import CASES, Campaign, make_base
from support.fork_server import ForkServer


def main() -> int:
    """Run a campaign and print its figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--faults", type=int, default=1000, help="calls that fail, and kills at changes")
    parser.add_argument("--kills", type=int, default=200, help="kills at random moments")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--journal", type=Path, default=HERE.parent / "build" / "faults.jsonl")
    given = parser.parse_args()
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.default_int_handler)
    kinds = [("kill", "error")[number % 2] for number in range(given.faults)] + ["timed kill"] * given.kills
    random.Random(given.seed).shuffle(kinds)
    given.journal.parent.mkdir(parents=True, exist_ok=True)
    given.journal.touch()
    done = [json.loads(line) for line in given.journal.read_text("utf-8").splitlines()]
    with tempfile.TemporaryDirectory(prefix="isogloss-faults-") as name:
        folder = Path(name)
        (folder / "server").mkdir()
        (folder / "base").mkdir()
        make_base(folder / "base")
        with ForkServer(folder / "server") as server, given.journal.open("a", encoding="utf-8") as journal:
            campaign = Campaign(server, folder / "base", folder / "work", random.Random())
            for case in CASES:
                calls = campaign.calm(case)[2]
                print(f"{case.name}: {calls['calls']} calls, {calls['changes']} of them changes", flush=True)
            try:
                for number, kind in list(enumerate(kinds))[len(done) :]:
                    case = CASES[number % len(CASES)]
                    campaign.rng.seed(f"{given.seed} {number}")
                    done.append({"verb": case.name, "kind": kind, "outcome": campaign.fault(case, kind)})
                    journal.write(json.dumps(done[-1]) + "\n")
                    journal.flush()
            except KeyboardInterrupt:
                pass
            finally:
                _tell(done, len(kinds))
    return 0


def _tell(done: list[dict[str, str]], wanted: int) -> None:
    outcomes: dict[str, Counter[str]] = defaultdict(Counter)
    for one in done:
        outcomes[one["verb"]][one["outcome"]] += 1
    for verb, counts in outcomes.items():
        print(f"{verb}: " + "; ".join(f"{what}: {count}" for what, count in sorted(counts.items())))
    kills = sum(one["kind"] == "timed kill" for one in done)
    between = sum(one["outcome"].endswith("between") for one in done)
    print(
        f"{len(done)} of {wanted} faults, {kills} of them kills at random moments: old or new every time but for "
        f"{between} between the stages of retrain; every repetition ended the same"
    )


if __name__ == "__main__":
    raise SystemExit(main())
