"""Tuning methods on the 100-best lists of a Moses system (1,014 sentences, 14 dense features), after reading.

    ISOGLOSS_DATA=... python benchmarks/tuners.py [--runs N]

Prints, for each method, CPU seconds (all threads), the same in *units* of this machine, BLEU on the list it
was tuned on, and BLEU of the weights on the test list. The tuners of Moses were measured once on the same
list: `mert` with 20 restarts 280 units (objective .4106), `kbmira` 3 units.

A unit is the geometric mean of the CPU seconds of two fixed workloads, compressing and gathering.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from unit import unit

from isogloss.learn import BatchMira, Mert, Pro, Problem
from isogloss.metric import References
from isogloss.nbest import read_nbest

MOSES = {"mert": 280.0, "batch-mira": 3.0}


def problem_of(data: Path, name: str) -> Problem:
    references = References.read([data / "multi30k-tok" / f"{name}.en"])
    return Problem.of(read_nbest(data / "nbest-multi30k" / f"{name}.100best.gz"), references)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    folder = os.environ.get("ISOGLOSS_DATA")
    if not folder:
        sys.exit("ISOGLOSS_DATA must name a folder with nbest-multi30k and multi30k-tok")
    dev, test = problem_of(Path(folder), "val"), problem_of(Path(folder), "test_2016")
    start, one = dev.decoder_weights(), unit()
    print(
        f"unit {one:.3f} s; start weights: dev {dev.score_of(start):.4f}, test {test.score_of(start):.4f}\n"
    )
    print(f"{'method':11}{'seed':>5}{'CPU s':>8}{'units':>8}{'Moses':>8}{'ratio':>8}{'dev':>8}{'test':>8}")
    learners = {"mert": Mert, "batch-mira": BatchMira, "pro": Pro}
    for name, make in learners.items():
        for seed in range(1, options.runs + 1):
            learner = make(seed=seed)
            begun = time.process_time()
            learned = learner.learn(dev, start)
            spent = time.process_time() - begun
            peer = MOSES.get(name)
            against = f"{'':>16}" if peer is None else f"{peer:>8.0f}{spent / one / peer:>8.2f}"
            scores = f"{learned.score:>8.4f}{test.score_of(learned.weights):>8.4f}"
            print(f"{name:11}{seed:>5}{spent:>8.2f}{spent / one:>8.1f}{against}{scores}")


if __name__ == "__main__":
    main()
