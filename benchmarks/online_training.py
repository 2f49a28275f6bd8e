"""The paper's training job: 50 passes over 663 sentences, 10 oracles against 10 candidates, all templates.

    python benchmarks/online_training.py SYSTEM SOURCE REFERENCE --output DIR
        [--source-column NAME=FILE ... --target-column NAME=FILE ...] [--sentences 663] [--iterations 50]
        [--nbest 1000]

SYSTEM is a stored system, SOURCE tokenized sentences, REFERENCE their translations. Every template sees every
token type: what the spelling gives, and columns (`isogloss classes`, `isogloss column`). Watanabe et al. 2007
need nearly a day on 8 cores for this job. DIR gets the weights for `sparse_search.py`; a killed run goes on
after its last pass. Prints per pass the features that have a weight and where the time went; at the end CPU
time, in units of this machine too, and bytes of memory per feature.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

from unit import unit

from isogloss.decoder import load
from isogloss.decoder.decoder import Decoder
from isogloss.decoder.weights import write_weights
from isogloss.features import SparseModel, SparseOptions
from isogloss.features.columns import TokenColumn
from isogloss.features.name_log import NameLog
from isogloss.features.options import SPELLING_TYPES
from isogloss.io.streams import read_lines
from isogloss.metric import References
from isogloss.tuning.online import PAPER, OnlineTrainer

TEMPLATES = (
    *("pair", "pair_bigram", "target_bigram", "insertion", "deletion", "hierarchical", "rule"),
    *("source_phrase", "target_phrase", "shape", "orientation", "distortion"),
)
"""Those of Watanabe et al. (2007) and their like; the others belong to block systems."""


def add_column_options(parser: argparse.ArgumentParser) -> None:
    for side in ("source", "target"):
        parser.add_argument(f"--{side}-column", metavar="NAME=FILE", action="append", default=[])


def all_features(args: argparse.Namespace) -> SparseModel:
    """All templates over all token types."""

    def columns(given: list[str]) -> dict[str, TokenColumn]:
        return {name: TokenColumn.load(path) for name, path in (item.split("=", 1) for item in given)}

    source, target = columns(args.source_column), columns(args.target_column)
    options = SparseOptions(
        templates=TEMPLATES,
        source_types=(*SPELLING_TYPES, *source),
        target_types=(*SPELLING_TYPES, *target),
    )
    return SparseModel(options, source_columns=source, target_columns=target)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("system")
    parser.add_argument("source")
    parser.add_argument("reference")
    parser.add_argument("--output", type=Path, required=True)
    add_column_options(parser)
    parser.add_argument("--sentences", type=int, default=663)
    parser.add_argument("--iterations", type=int, default=50)
    parser.add_argument("--nbest", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()

    system = load(args.system)
    own = system.decoder
    sparse = all_features(args)
    decoder = Decoder(own._rules, own._lm, system.options, sparse=sparse)
    options = replace(PAPER, iterations=args.iterations, nbest=args.nbest, aggressiveness=0.001, batch=10)
    trainer = OnlineTrainer(
        decoder,
        list(read_lines(args.source))[: args.sentences],
        References([list(read_lines(args.reference))[: args.sentences]]),
        system.weights,
        options,
        name_log=NameLog(args.output / "names"),
        threads=args.threads,
    )
    state = args.output / "state"
    if state.exists():
        trainer.restore(state)
    total: Counter[str] = Counter()
    begun, cpu = time.perf_counter(), time.process_time()
    while trainer.state.iteration < args.iterations:
        done = trainer.iterate()
        total.update(done.seconds)
        shares = ", ".join(f"{name} {seconds:.1f}" for name, seconds in done.seconds.items())
        print(
            f"pass {done.iteration}: BLEU {done.score:.2f}, {done.active_features:,} features; {shares} s",
            flush=True,
        )
        trainer.save(state)
    wall, spent = time.perf_counter() - begun, time.process_time() - cpu
    whole = sum(total.values())
    print(f"in all: {wall / 60:.1f} min on the clock, {spent / 60:.1f} CPU min, {spent / unit():,.0f} units")
    for name, seconds in total.most_common():
        print(f"  {name}: {seconds / whole:.1%}")
    sparse_weights = trainer.state.sparse
    print(f"weights in memory: {sparse_weights.bytes / max(1, len(sparse_weights)):.1f} bytes per feature")
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")
    learned = trainer.average()
    write_weights(args.output / "weights.tsv", learned.dense)
    if learned.sparse is not None:
        learned.sparse.save(args.output / "weights.sparse")


if __name__ == "__main__":
    main()
