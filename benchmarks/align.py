"""Word alignment: error rate, CPU time and peak memory of our models and of eflomal in the same run.

    ISOGLOSS_DATA=... python benchmarks/align.py [--quick] [--no-peer]

Error rates are of grow-diag-final-and against links made by hand: kftt (Japanese, learned together with its
30,000 training pairs), hansards (French) and es_golden (Spanish, both learned from themselves alone, a few
hundred pairs). Speed is that of 29,000 sentence pairs (multi30k de-en), both directions, from text files to
symmetrized links; eflomal's is measured without symmetrizing. Scaling goes from one to four times that
corpus, enlarged with words that keep growing in number. ``--quick`` leaves the scaling out.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import tempfile
from pathlib import Path

from enlarged import data_folder, enlarge
from measure import ISOGLOSS, Cost, run

from isogloss.align import Alignments, read_gold, score_alignments, symmetrize

MODELS = ("hmm", "fast", "model1")
GOLD = {"kftt": "ja", "hansards": "fr", "es_golden": "es"}
PAIRS = 29_000


def ours(source: Path, target: Path, output: Path, *options: str, threads: int = 1) -> Cost:
    files = [str(source), str(target), "--output", str(output)]
    return run([*ISOGLOSS, "--quiet", "align", *files, "--threads", str(threads), *options])


def eflomal(source: Path, target: Path, folder: Path) -> Cost:
    program = Path(sys.executable).with_name("eflomal-align")
    outputs = ["-f", str(folder / "forward"), "-r", str(folder / "backward"), "--overwrite"]
    return run([str(program), "-s", str(source), "-t", str(target), *outputs])


def shown(cost: Cost) -> str:
    if cost.code != 0:
        return f"failed with exit code {cost.code}"
    return f"{cost.cpu:8.2f} {cost.wall:8.2f} {cost.peak / 1e6:8.0f}"


def joined(folder: Path, name: str, language: str) -> Path:
    """The gold set's sentences after those it is learned with, in one file."""
    data = data_folder()
    parts = [data / "kftt" / f"train.{language}"] if name == "kftt" else []
    result = folder / f"{name}.{language}"
    with result.open("wb") as stream:
        for part in [*parts, data / "align" / f"{name}.{language}"]:
            stream.write(part.read_bytes())
    return result


def quality(folder: Path, peer: bool) -> None:
    print(
        f"{'gold set':10} {'aligner':10} {'AER':>7} {'prec.':>6} {'recall':>6} "
        f"{'CPU s':>8} {'wall s':>8} {'MB':>8}"
    )
    for name, language in GOLD.items():
        gold = read_gold(data_folder() / "align" / f"{name}.align")
        source, target = joined(folder, name, "en"), joined(folder, name, language)
        found: dict[str, tuple[Cost, Alignments]] = {}
        for model in MODELS:
            cost = ours(source, target, folder / "links", "--model-type", model)
            found[model] = cost, Alignments.read(folder / "links")
        if peer:
            cost = eflomal(source, target, folder)
            both = Alignments.read(folder / "forward"), Alignments.read(folder / "backward")
            found["eflomal"] = cost, symmetrize(*both)
        for aligner, (cost, alignments) in found.items():
            scores = score_alignments(alignments[-len(gold) :], gold)
            print(
                f"{name:10} {aligner:10} {scores.error_rate:7.4f} {scores.precision:6.3f} "
                f"{scores.recall:6.3f} {shown(cost)}"
            )


def speed(folder: Path, peer: bool) -> None:
    source, target = (data_folder() / "multi30k-tok" / f"train.{language}" for language in ("de", "en"))
    print(
        f"\n{PAIRS:,} pairs of multi30k de-en\n"
        f"{'aligner':10} {'threads':>8} {'CPU s':>8} {'wall s':>8} {'MB':>8}"
    )
    first: Cost | None = None
    outputs = []
    for model in MODELS:
        for threads in (1, 2):
            output = folder / f"links-{model}-{threads}"
            outputs.append(output)
            cost = ours(source, target, output, "--model-type", model, threads=threads)
            first = first or cost
            print(f"{model:10} {threads:8} {shown(cost)}")
    same = all(a.read_bytes() == b.read_bytes() for a, b in zip(outputs[::2], outputs[1::2], strict=True))
    print(f"links with 1 and 2 threads are {'identical' if same else 'DIFFERENT'}")
    if peer and first is not None:
        cost = eflomal(source, target, folder)
        print(f"{'eflomal':10} {'':8} {shown(cost)}")
        print(f"CPU time, hmm : eflomal = {first.cpu / cost.cpu:.3f} : 1")


def scaling(folder: Path) -> None:
    corpora = data_folder() / "multi30k-tok"
    print(f"\nscaling\n{'model':10} {'pairs':>9} {'CPU s':>8} {'wall s':>8} {'MB':>8}")
    for model in MODELS[:2]:
        costs = []
        for pairs in (PAIRS, 4 * PAIRS):
            files = enlarge(corpora / "train.de", corpora / "train.en", folder, pairs)
            costs.append(ours(*files, folder / "links", "--model-type", model))
            print(f"{model:10} {pairs:9,} {shown(costs[-1])}")
        print(f"{model:10} CPU time grows {costs[1].cpu / costs[0].cpu:.2f} times for 4 times the pairs")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--no-peer", action="store_true")
    arguments = parser.parse_args()
    peer = not arguments.no_peer
    if peer and importlib.util.find_spec("eflomal") is None:
        print("eflomal is not installed (pip install 'isogloss[peers]'): nothing to compare with")
        peer = False
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        quality(folder, peer)
        speed(folder, peer)
        if not arguments.quick:
            scaling(folder)


if __name__ == "__main__":
    main()
