"""What offers for unknown words cost an engine, in time of the processor.

    python benchmarks/offer_cost.py ENGINE TEXT [--runs N]

Translates a text on one thread with the engine as it is and without offers, by turns, each time with an
engine that is loaded anew, and prints the time of each, the ratio of every pair of runs, their median, and
the ratio of the fastest of each, which other work on the machine disturbs least.
"""

from __future__ import annotations

import argparse
import statistics
from contextlib import nullcontext
from unittest.mock import patch

from unit import cpu, unit

import isogloss
from isogloss.decoder.unknown_words import Offer, UnknownWords
from isogloss.io.streams import read_lines


def no_offers(self: UnknownWords, word: str) -> tuple[Offer, ...]:
    return ()


def run(engine: str, lines: list[str], *, offers: bool) -> float:
    """CPU seconds of a translation, without loading."""
    with nullcontext() if offers else patch.object(UnknownWords, "_offers", no_offers):
        system = isogloss.load(engine)
        return cpu(lambda: list(system.translate(lines, threads=1)))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("engine")
    parser.add_argument("text")
    parser.add_argument("--runs", type=int, default=15)
    arguments = parser.parse_args()
    lines = list(read_lines(arguments.text))
    times: list[tuple[float, float]] = []
    for _ in range(arguments.runs):
        without, with_them = (run(arguments.engine, lines, offers=offers) for offers in (False, True))
        times.append((without, with_them))
        one, other = (1000 * seconds / len(lines) for seconds in (without, with_them))
        print(f"{one:.2f} ms per sentence, {other:.2f} with offers ({other / one - 1:+.1%})", flush=True)
    median = statistics.median(other / one for one, other in times)
    fastest = min(other for _, other in times) / min(one for one, _ in times)
    print(f"median {median - 1:+.1%}, fastest {fastest - 1:+.1%}; unit {unit():.3f} s")


if __name__ == "__main__":
    main()
