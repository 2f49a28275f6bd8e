"""A campaign of faults over every verb that writes; prints what happened.

    python fuzz/faults.py --faults 1000 --kills 200
    python fuzz/faults.py --faults 100 --kills 20 retrain "catalog fill"

Half of the faults are kills at a change of the file system; in the others a call fails, or the disk is full. The
``--kills`` come at random moments. What leaves something else than before or after, or is not mended by a
repetition, is a finding: it is printed, and the exit code is 1. What was done is in a journal, build/faults.jsonl by
default: stop it at any time, and repeat the command to go on.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "tests")]

from support.faults import CASES, Campaign, make_base
from support.fork_server import ForkServer

FINDING = "finding"


def main() -> int:
    """Run a campaign and print its figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("verbs", nargs="*", metavar="VERB", help=", ".join(case.name for case in CASES))
    parser.add_argument("--faults", type=int, default=1000, help="kills at changes, and calls that fail")
    parser.add_argument("--kills", type=int, default=200, help="kills at random moments")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--journal", type=Path, default=HERE.parent / "build" / "faults.jsonl")
    given = parser.parse_intermixed_args()
    cases = [case for case in CASES if not given.verbs or case.name in given.verbs]
    if not cases:
        parser.error(f"no verb of {', '.join(given.verbs)} is known")
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.default_int_handler)
    kinds = [("kill", "error", "kill", "full")[number % 4] for number in range(given.faults)]
    kinds += ["timed kill"] * given.kills
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
            for case in cases:
                calm = campaign.calm(case)
                print(f"{case.name}: {calm.calls} calls, {calm.changes} of them changes", flush=True)
            begun = time.monotonic()
            try:
                for number, kind in list(enumerate(kinds))[len(done) :]:
                    case = cases[number % len(cases)]
                    campaign.rng.seed(f"{given.seed} {number}")
                    try:
                        outcome = campaign.fault(case, kind)
                    except AssertionError as wrong:
                        outcome = FINDING
                        print(f"finding: {wrong}", flush=True)
                    done.append({"verb": case.name, "kind": kind, "outcome": outcome})
                    journal.write(json.dumps(done[-1]) + "\n")
                    journal.flush()
                    if len(done) % 20 == 0:
                        print(f"{len(done)} of {len(kinds)}, {time.monotonic() - begun:.0f} s", flush=True)
            except KeyboardInterrupt:
                pass
    return _tell(done, len(kinds))


def _tell(done: list[dict[str, str]], wanted: int) -> int:
    """Print what happened, for every verb; the exit code."""
    outcomes: dict[str, Counter[str]] = defaultdict(Counter)
    for one in done:
        outcomes[one["verb"]][one["outcome"]] += 1
    for verb, counts in outcomes.items():
        print(f"{verb}: " + "; ".join(f"{what}: {count}" for what, count in sorted(counts.items())))
    kinds = Counter(one["kind"] for one in done)
    ends = Counter(one["outcome"].rpartition(", ")[2] for one in done)
    print(
        f"{len(done)} of {wanted}: " + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    )
    print(", ".join(f"{ends[end]} {end}" for end in ("old", "new", FINDING)))
    return 1 if ends[FINDING] else 0


if __name__ == "__main__":
    raise SystemExit(main())
