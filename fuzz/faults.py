"""A campaign of faults over every verb that writes; prints what happened.

    python fuzz/faults.py --faults 1000 --kills 200

Half of the faults are kills at a change of the file system, half are calls that fail; ``--kills`` come at random
moments. It stops at the first that leaves something else than before or after, or that a repetition does not mend.
Ctrl-C prints what happened so far.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests")]

from support.faults import CASES, Campaign, make_base
from support.fork_server import ForkServer


def main() -> int:
    """Run a campaign and print its figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="*", metavar="VERB", default=[case.name for case in CASES])
    parser.add_argument("--faults", type=int, default=1000, help="calls that fail, and kills at changes")
    parser.add_argument("--kills", type=int, default=200, help="kills at random moments")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.default_int_handler)
    rng = random.Random(given.seed)
    chosen = [case for case in CASES if case.name in given.only]
    with tempfile.TemporaryDirectory(prefix="isogloss-faults-") as name:
        folder = Path(name)
        (folder / "server").mkdir()
        (folder / "base").mkdir()
        make_base(folder / "base")
        with ForkServer(folder / "server") as server:
            campaign = Campaign(server, folder / "base", folder / "work", rng)
            for case in chosen:
                calls = campaign.calm(case)[2]
                print(f"{case.name}: {calls['calls']} calls, {calls['changes']} of them changes", flush=True)
            kinds = [("kill", "error")[number // len(chosen) % 2] for number in range(given.faults)]
            kinds += ["timed kill"] * given.kills
            done = 0
            try:
                for number, kind in enumerate(kinds):
                    campaign.fault(chosen[number % len(chosen)], kind)
                    done = number + 1
            except KeyboardInterrupt:
                pass
            finally:
                for name, counts in campaign.outcomes.items():
                    print(
                        f"{name}: " + "; ".join(f"{what}: {count}" for what, count in sorted(counts.items()))
                    )
                print(
                    f"{done} of {len(kinds)} faults: old or new every time, every repetition ended the same"
                )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
