"""How fast: the table of the README, printed by one command.

    ISOGLOSS_DATA=... python benchmarks/how_fast.py [--folder SCRATCH] [--only race search ...]

Trains engines from text (`text_to_engine.py`), races the phrase search against the stored curve of moses2
(`race.py`), and measures the hierarchical search, the search with sparse features, one sentence alone, time
limits and the tokenizers. Speeds are those of one thread, warm, in words per *unit*, the CPU time of a fixed
workload on the same machine (`unit.py`), which is measured beside each part. Engines that are in SCRATCH
already, from here or from `text_to_engine.py`, are not trained again.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from enlarged import data_folder
from race import make_system, measure, published
from text_to_engine import METHODS, stage_costs, train_beside_unit, units_file
from unit import cpu, unit

from isogloss.corpus.tokenizer import tokenize_lines, tokenizer
from isogloss.decoder import System, load
from isogloss.features.weights import SparseWeights
from isogloss.io.streams import read_lines
from isogloss.metric import References

RACE_BEAMS = (15, 50, 75, 200)
HIERO_BEAMS = (30, 45, 100)
CHART, CDEC = 45, 11
"""Words per unit of Moses' chart decoder and of cdec on the same text."""
WORDS, LONG, LIMIT = 20, 2000, 0.5
ROUNDS = 3
PEER_LINES = 5000


class Row(NamedTuple):
    task: str
    figure: str
    compared: str


class Parts:
    """One method per part of the table; each yields its rows."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.data = folder, data_folder()

    def rows(self, names: list[str]) -> Iterator[Row]:
        for name in names:
            yield from getattr(self, name)()

    def engine(self, method: str) -> Path:
        engine = self.folder / method
        if not (engine / "results.json").exists():
            options = ["--method", method, "--search", "hiero", "--effort", "quick", "--threads", "2"]
            train_beside_unit(engine, options)
        return engine

    def lines(self, method: str) -> list[str]:
        return list(read_lines(self.engine(method) / "work" / "tokens" / "test.source"))

    def text(self) -> Iterator[Row]:
        for method in METHODS:
            engine = self.engine(method)
            units = float(units_file(engine).read_text())
            peak = max(stage.peak for stage in stage_costs(engine)) / 1e6
            score = json.loads((engine / "results.json").read_text())["test"]["scores"]["BLEU"]["score"]
            yield Row(
                f"from text to tuned engine, {method}, 29,000 pairs",
                f"{units:,.0f} units, {peak:,.0f} MB, BLEU {score:.1f}",
                "Moses with MERT: 5,700 units",
            )

    def race(self) -> Iterator[Row]:
        text = self.data / "multi30k-tok"
        lines = list(read_lines(text / "test_2016.de"))
        references = References.read([str(text / "test_2016.en")])
        path, one = make_system(self.data / "race", self.folder), unit()
        own = load(path).options
        ratio = own.pop_limit / own.beam_size
        curve = [
            measure(
                load(path, options=replace(own, beam_size=beam, pop_limit=round(ratio * beam))),
                lines,
                references,
                ROUNDS,
                one,
            )
            for beam in RACE_BEAMS
        ]
        for peer in published((self.data / "race" / "README.md").read_text()):
            reached = [point for point in curve if point.score >= peer.score]
            if reached:
                ours = max(reached, key=lambda point: point.per_unit)
                yield Row(
                    f"phrase search, {ours.name}, at model score {ours.score:.2f}",
                    f"{ours.per_unit:,.0f} words per unit",
                    f"{ours.per_unit / peer.per_unit:.1f} × {peer.name} (score {peer.score:.2f})",
                )

    def search(self) -> Iterator[Row]:
        lines = self.lines("batch-mira")
        for beam in HIERO_BEAMS:
            base = load(self.engine("batch-mira")).options
            options = replace(base, beam_size=beam, pop_limit=2 * beam)
            speed = self.speed(load(self.engine("batch-mira"), options=options), lines)
            yield Row(
                f"hierarchical search, beam {beam}",
                f"{speed:,.0f} words per unit",
                f"{speed / CHART:.0f} × Moses' chart decoder, {speed / CDEC:.0f} × cdec",
            )

    def sparse(self) -> Iterator[Row]:
        lines = self.lines("online-mira")
        engine = self.engine("online-mira")
        system, weights = load(engine), SparseWeights.open(engine / "system" / "weights.sparse")
        full = self.speed(system, lines)
        system.decoder.set_weights(system.weights)
        dense = self.speed(system, lines)
        yield Row(
            f"hierarchical search with {len(weights):,} sparse weights",
            f"{full:,.0f} words per unit",
            f"{full / dense:.0%} of the speed without them",
        )

    def latency(self) -> Iterator[Row]:
        systems = {
            "phrase": load(make_system(self.data / "race", self.folder)),
            "hierarchical": load(self.engine("batch-mira")),
        }
        for name, system in systems.items():
            words = [word for line in self.lines("batch-mira") for word in line.split()]
            alone = [" ".join(words[i : i + WORDS]) for i in range(0, min(len(words), 300 * WORDS), WORDS)]
            system.nbest(alone, nbest=1)
            one = unit()
            spent = [cpu(partial(system.nbest, [line], nbest=1)) / one for line in alone]
            yield Row(
                f"one sentence of {WORDS} words, {name} search",
                f"{np.median(spent):.3f} units (median), {np.quantile(spent, 0.99):.3f} (99th percentile)",
                "",
            )
            many = " ".join(islice(cycle(words), LONG))
            begun = time.perf_counter()
            spent_on_many = cpu(partial(system.nbest, [many], nbest=1, time_limit=LIMIT))
            yield Row(
                f"{LONG:,} words with a limit of {LIMIT} s, {name} search",
                f"{time.perf_counter() - begun:.2f} s by the clock, {spent_on_many:.2f} s of CPU time",
                "",
            )

    def tokenizers(self) -> Iterator[Row]:
        from sacremoses import MosesTokenizer

        lines = list(read_lines(self.data / "multi30k" / "train.en"))
        peer = MosesTokenizer(lang="en")
        few = lines[:PEER_LINES]
        theirs = cpu(lambda: [peer.tokenize(line, escape=False) for line in few]) / len(few)
        for name in ("moses", "words"):
            tool = tokenizer(name, "en")
            ours = cpu(lambda tool=tool: tokenize_lines(tool, lines)) / len(lines)
            yield Row(
                f"tokenizer {name}",
                f"{1e6 * ours / unit():.0f} units for a million lines",
                f"{theirs / ours:.0f} × sacremoses",
            )

    @staticmethod
    def speed(system: System, lines: list[str]) -> float:
        """Words per unit, warm; the best translation only, as `translate` makes it."""
        system.nbest(lines, nbest=1)
        seconds = statistics.median(cpu(partial(system.nbest, lines, nbest=1)) for _ in range(ROUNDS))
        return sum(len(line.split()) for line in lines) / seconds * unit()


PARTS = ("text", "race", "search", "sparse", "latency", "tokenizers")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--only", nargs="+", default=list(PARTS), choices=PARTS)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        print("| task | Isogloss | compared with |\n|---|---|---|")
        for row in Parts(arguments.folder or Path(scratch)).rows(arguments.only):
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
