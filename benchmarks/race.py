"""The phrase search against moses2 on one and the same model: speed at equal model score, and errors.

    ISOGLOSS_DATA=... python benchmarks/race.py [--beams 10 30 100 ...] [--moses PATH] [--folder DIR]

The model is in `race` of the folder that ISOGLOSS_DATA names: a phrase table, a reordering table, an ARPA
model, weights, and the best known score of each sentence of `multi30k-tok/test_2016.de`. The text is
translated with one thread, once to warm up and then `--rounds` times; times are the median CPU time of
decoding alone. A *unit* is the CPU time of a fixed workload on the same machine (`unit.py`), measured
beside them.

A search error is a sentence whose score is below the best known one; `lost` is the mean of what is missing,
over all sentences. The speed of moses2 is in the README of the data, in units. With `--moses`, the program
moses2 at PATH is run on the same files instead; the time that it needs for an empty input is subtracted.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from measure import run
from unit import cpu, unit

from isogloss.decoder import SearchOptions, System, create_system, load
from isogloss.grammar.formats import import_rules
from isogloss.io.streams import read_lines
from isogloss.lm import LanguageModel
from isogloss.metric import Bleu, References

BEAMS = (10, 12, 15, 30, 40, 50, 75, 100, 150, 200, 300)
POP_LIMITS = (30, 100, 200, 400)
CLOSE = 0.01
"""Scores are sums in single precision: two this close are the same."""


@dataclass(frozen=True)
class Point:
    """Of a curve: what a decoder reaches with one limit."""

    name: str
    per_unit: float
    score: float
    bleu: float
    scores: Sequence[float] = ()

    def line(self, best: Sequence[float]) -> str:
        missing = np.asarray(best) - np.asarray(self.scores) if len(self.scores) else None
        errors = (
            "" if missing is None else f"{int((missing > CLOSE).sum()):>7} {missing.clip(0).mean():>8.4f}"
        )
        return f"{self.name:<20} {self.per_unit:>9,.0f} {self.score:>10.4f} {self.bleu:>6.2f} {errors}"


def make_system(data: Path, folder: Path) -> Path:
    """The system that the README of the data describes."""
    if not (folder / "system").exists():
        import_rules(data / "phrase-table.gz", folder / "rules", reordering=data / "reordering-table.gz")
        LanguageModel.load(data / "lm.arpa.gz").save(folder / "lm")
        create_system(
            folder / "system",
            rules=folder / "rules",
            lm=folder / "lm",
            options=SearchOptions(hierarchical=False),
            weights=data / "weights.tsv",
        )
    return folder / "system"


def measure(system: System, lines: list[str], references: References, rounds: int, one: float) -> Point:
    store = system.nbest(lines, nbest=1)
    seconds = statistics.median(cpu(lambda: system.nbest(lines, nbest=1)) for _ in range(rounds))
    first = store.sentence_offsets[:-1]
    metric = Bleu()
    texts = list(store.lines(first, len(lines)))
    words = sum(len(line.split()) for line in lines)
    scores = store.scores[first].tolist()
    bleu = metric.score(metric.statistics(texts, references).sum(axis=0))
    options = system.options
    name = f"beam {options.beam_size}, pop {options.pop_limit}"
    return Point(name, words / seconds * one, float(np.mean(scores)), bleu, scores)


def published(readme: str) -> Iterator[Point]:
    """The curve of moses2, as the README of the data states it."""
    pattern = r"pop (\d+): ([\d,]+)(?: words per unit)?, (?:mean\s+score )?−([\d.]+), (?:BLEU )?([\d.]+)"
    for pops, speed, score, bleu in re.findall(pattern, " ".join(readme.split())):
        yield Point(
            f"moses2, pop {pops}", float(speed.replace(",", "")), -float(score), float(bleu.strip("."))
        )


MOSES_INI = """[input-factors]
0
[mapping]
0 T 0
[distortion-limit]
6
[feature]
UnknownWordPenalty
WordPenalty
PhrasePenalty
PhraseDictionaryMemory name=TranslationModel0 num-features=4 path={data}/phrase-table.gz table-limit=20
LexicalReordering name=LexicalReordering0 num-features=6 type={orientation} path={data}/reordering-table.gz
Distortion
KENLM name=LM0 factor=0 path={data}/lm.arpa.gz order=5
[weight]
{weights}
"""


def run_moses(program: str, data: Path, source: Path, references: References, one: float) -> Iterator[Point]:
    """The curve of moses2 on this machine."""
    readme = " ".join((data / "README.md").read_text().split())
    weights = re.findall(r"(\w+0)= ([-\d. ]+?)[,.](?: |$)", readme)
    lines = list(read_lines(source))
    words = sum(len(line.split()) for line in lines)
    with tempfile.TemporaryDirectory() as folder:
        ini, nothing = Path(folder, "moses.ini"), Path(folder, "nothing")
        ini.write_text(
            MOSES_INI.format(
                data=data,
                orientation="hier-msd-bidirectional-fe-allff",
                weights="\n".join(f"{name}= {values}" for name, values in weights),
            )
        )
        nothing.write_text("")
        for pops in POP_LIMITS:

            def decode(text: Path, pops: int = pops) -> float:
                options = ["-search-algorithm", "1", "-cube-pruning-pop-limit", str(pops), "-stack", "100"]
                lists = ["-n-best-list", str(Path(folder, "nbest")), "1"]
                return run([program, "-f", str(ini), "-i", str(text), "-threads", "1", *options, *lists]).cpu

            loading = decode(nothing)
            seconds = decode(source) - loading
            fields = [line.split(" ||| ") for line in read_lines(Path(folder, "nbest"))]
            scores = [float(row[3]) for row in fields]
            metric = Bleu()
            bleu = metric.score(metric.statistics([row[1].strip() for row in fields], references).sum(axis=0))
            yield Point(f"moses2, pop {pops}", words / seconds * one, float(np.mean(scores)), bleu, scores)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--beams", type=int, nargs="+", default=BEAMS)
    parser.add_argument(
        "--pops", type=float, default=0.0, help="pops per hypothesis of the beam; 0: the default"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--moses", metavar="PATH", help="the program moses2")
    parser.add_argument("--folder", type=Path, help="where to keep the system")
    arguments = parser.parse_args()
    data = Path(os.environ["ISOGLOSS_DATA"])
    text = data / "multi30k-tok"
    lines, references = list(read_lines(text / "test_2016.de")), References.read([str(text / "test_2016.en")])
    best = [float(line) for line in read_lines(data / "race" / "best-scores.txt")]
    with tempfile.TemporaryDirectory() as scratch:
        path = make_system(data / "race", arguments.folder or Path(scratch))
        own = load(path).options
        ratio = arguments.pops or own.pop_limit / own.beam_size
        one = unit()
        print(f"unit {one:.4f} s, {len(lines):,} sentences, best known mean score {np.mean(best):.4f}\n")
        print(f"{'':<20} {'per unit':>9} {'score':>10} {'BLEU':>6} {'errors':>7} {'lost':>8}")
        curve = []
        for beam in arguments.beams:
            options = replace(own, beam_size=beam, pop_limit=max(1, round(ratio * beam)))
            curve.append(measure(load(path, options=options), lines, references, arguments.rounds, one))
            print(curve[-1].line(best), flush=True)
    if arguments.moses:
        peers = run_moses(arguments.moses, data / "race", text / "test_2016.de", references, one)
    else:
        peers = published((data / "race" / "README.md").read_text())
    print(f"unit {unit():.4f} s afterward\n")
    for peer in peers:
        reached = [point for point in curve if point.score >= peer.score]
        ours = max(reached, key=lambda point: point.per_unit, default=None)
        compared = "not reached" if ours is None else f"{ours.per_unit / peer.per_unit:.2f} x by {ours.name}"
        print(f"{peer.line(best)}  {compared}")


if __name__ == "__main__":
    main()
