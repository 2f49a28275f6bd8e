"""The search of a tuned system: speed and quality, contribution of each part, growth, threads, memory.

    python benchmarks/search.py SYSTEM SOURCE REFERENCE [--soak SENTENCES]

SYSTEM is a stored system, SOURCE has tokenized sentences, REFERENCE their translations. Times are CPU seconds
of one thread with the model loaded and what it remembers between sentences; a *unit* is the CPU time of a
fixed workload on this machine. Other decoders on multi30k German to English, measured once in the same units
(words per unit at about 40.3 BLEU): Moses with cube pruning 119, Moses' chart decoder 45, cdec 11. `race.py`
compares with moses2 on the same model.
"""

from __future__ import annotations

import argparse
import resource
import time
from dataclasses import replace
from functools import partial

import numpy as np
from unit import cpu, unit

from isogloss.decoder import SearchOptions, System, load
from isogloss.io.streams import read_lines
from isogloss.metric import Bleu, References

BEAMS = (10, 30, 100, 300, 1000)
LENGTHS = (10, 20, 40, 80)
LATENCY = 20


class Run:
    def __init__(self, system: System, sources: list[str], references: References) -> None:
        store, derivations = system.explained(sources)
        begun = time.process_time()
        system.nbest(sources, nbest=1)
        self.seconds = time.process_time() - begun
        metric = Bleu()
        lines = list(store.lines(store.sentence_offsets[:-1], len(sources)))
        self.bleu = metric.score(metric.statistics(lines, references).sum(axis=0))
        self.score = float(store.scores[store.sentence_offsets[:-1]].mean())
        words = in_gap_rules = 0
        for derivation in derivations:
            for step in derivation:
                own = step.source_span[1] - step.source_span[0] - sum(end - begin for begin, end in step.gaps)
                words += own
                in_gap_rules += own * (step.kind == "rule" and len(step.gaps) > 0)
        self.gap_share = in_gap_rules / max(1, words)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("system")
    parser.add_argument("source")
    parser.add_argument("reference")
    parser.add_argument("--soak", type=int, default=0, help="sentences over which memory is watched")
    arguments = parser.parse_args()
    sources, references = list(read_lines(arguments.source)), References.read([arguments.reference])
    words = sum(len(line.split()) for line in sources)
    one = unit()
    print(f"unit {one:.3f} s; {len(sources):,} sentences, {words:,} words")
    begun = time.perf_counter()
    base = load(arguments.system)
    print(f"loaded in {time.perf_counter() - begun:.3f} s")

    def with_options(options: SearchOptions) -> System:
        return load(arguments.system, options=options)

    def line(name: str, run: Run) -> None:
        speed = words / run.seconds
        print(
            f"{name:<24} {speed:>9,.0f} {speed * one:>9,.0f} {run.score:>10.4f} {run.bleu:>7.2f} "
            f"{100 * run.gap_share:>7.1f}"
        )

    print(f"\n{'':<24} {'words/s':>9} {'per unit':>9} {'score':>10} {'BLEU':>7} {'% hiero':>7}")
    for beam in BEAMS:
        line(
            f"beam {beam}",
            Run(with_options(replace(base.options, beam_size=beam, pop_limit=2 * beam)), sources, references),
        )
    line("as stored", Run(base, sources, references))

    print("\nwithout")
    changes: dict[str, dict[str, object]] = {"diversity": {"diversity": False}}
    if base.options.hierarchical:
        changes |= {
            "rules with non-terminals": {"gap_rules": False},
            "reordering glue": {"reordering_glue": False},
        }
    else:
        changes |= {
            "reordering": {"phrase_order": "monotone"},
            "distortion beyond swaps": {"phrase_order": "swap"},
        }
    for name, change in changes.items():
        line(name, Run(with_options(replace(base.options, **change)), sources, references))  # type: ignore[arg-type]
    for name, prefixes in (
        ("orientation", ("previous_", "next_")),
        ("distances", ("backtrack", "distance_", "reordering")),
        ("glue counts", ("glue_",)),
    ):
        weights = {k: 0.0 if k.startswith(prefixes) else v for k, v in base.weights.items()}
        line(f"weights of {name}", Run(load(arguments.system, weights=weights), sources, references))

    print("\nlength  CPU ms per sentence")
    text = [word for sentence in sources for word in sentence.split()]
    for length in LENGTHS:
        pieces = [" ".join(text[i : i + length]) for i in range(0, min(len(text), 40 * length), length)]
        print(
            f"{length:>6}  {1000 * cpu(lambda pieces=pieces: base.nbest(pieces, nbest=1)) / len(pieces):.2f}"
        )

    alone = [" ".join(text[i : i + LATENCY]) for i in range(0, min(len(text), 300 * LATENCY), LATENCY)]
    spent = [cpu(partial(base.nbest, [sentence], nbest=1)) / one for sentence in alone]
    print(
        f"\none sentence of {LATENCY} words, alone: {np.median(spent):.4f} units, "
        f"{np.quantile(spent, 0.99):.4f} at the 99th percentile"
    )

    walls = []
    for threads in (1, 2):
        begun = time.perf_counter()
        base.nbest(sources, nbest=1, threads=threads)
        walls.append(time.perf_counter() - begun)
    print(f"\ntwo threads: {walls[0] / walls[1]:.2f} times the throughput of one")
    print(f"peak memory {peak():.0f} MB")
    endless = (sources[i % len(sources)] for i in range(arguments.soak))
    for done, _ in enumerate(base.translate(endless), start=1):
        if done % max(1, arguments.soak // 10) == 0:
            print(f"{done:>9,} sentences: {peak():.0f} MB")


def peak() -> float:
    """Most memory so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
