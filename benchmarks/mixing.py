"""Iterative parameter mixing against online training from one sentence after the other, on Multi30k.

    ISOGLOSS_DATA=... python benchmarks/mixing.py FOLDER [--parts 4] [--seeds 1] [--iterations 8]
        [--steps 4] [--held-out SENTENCES]

A phrase-based German-English system is made from the 29,000 training pairs, with sparse features (pairs of
words, target bigrams). Online MIRA learns its weights from val: in sequence, and in so many parts whose
weights are mixed after every pass. All start from the same dense weights, which batch MIRA has found. The
test set of 2016 is translated once for each; the scores are compared by paired bootstrap. `--steps` is a
factor of the step size in parts. With `--held-out`, so many sentences of val are not learned from, and are
translated instead of the test set, to choose settings. FOLDER keeps what was made: a second call goes on.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

from enlarged import data_folder

ISOGLOSS = [sys.executable, "-m", "isogloss", "--quiet"]


def isogloss(*words: object, **more: object) -> str:
    command = [*ISOGLOSS, *map(str, words)]
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout  # type: ignore[call-overload,no-any-return]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--parts", type=int, nargs="+", default=[4])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--iterations", type=int, default=8)
    parser.add_argument("--steps", type=float, nargs="+", default=[4.0])
    parser.add_argument("--held-out", type=int, default=0)
    arguments = parser.parse_args()
    folder, data = arguments.folder, data_folder() / "multi30k-tok"
    folder.mkdir(parents=True, exist_ok=True)
    train = [data / f"train.{side}" for side in ("de", "en")]
    sides = ("de", "en")
    dev = [folder / f"dev-{arguments.held_out}.{side}" for side in sides]
    test = [data / f"test_2016.{side}" for side in sides]
    if arguments.held_out:
        test = [folder / f"held-out-{arguments.held_out}.{side}" for side in sides]
    for side, path, rest in zip(sides, dev, test, strict=True):
        lines = (data / f"val.{side}").read_text("utf-8").splitlines(keepends=True)
        cut = len(lines) - arguments.held_out
        path.write_text("".join(lines[:cut]), "utf-8")
        if arguments.held_out:
            rest.write_text("".join(lines[cut:]), "utf-8")
    if not (folder / "rules").exists():
        isogloss("align", *train, "--output", folder / "links")
        isogloss("lm", "build", train[1], "--binary", folder / "lm")
        isogloss("extract", *train, folder / "links", "--grammar", "phrase", "--output", folder / "rules")
    sets = ("--dev-source", dev[0], "--dev-target", dev[1], "--threads", 1)
    models = ("--rules", folder / "rules", "--lm", folder / "lm", "--search", "phrase")
    begin = f"start-{arguments.held_out}"
    start = folder / begin
    if not (folder / f"{begin}.done").exists():
        isogloss("system", "create", start, *models)
        isogloss("tune", start, *sets, "--method", "batch-mira", "--seed", 1)
        (folder / f"{begin}.done").touch()
    weights = start / "weights.tsv"
    names = [begin]
    runs = [(1, 1.0), *((parts, steps) for parts in arguments.parts for steps in arguments.steps)]
    for seed, (parts, steps) in product(arguments.seeds, runs):
        name = f"parts-{parts}-steps-{steps:g}-passes-{arguments.iterations}-seed-{seed}-{arguments.held_out}"
        names.append(name)
        if (folder / f"{name}.done").exists():
            continue
        begun = time.monotonic()
        sparse = ("--templates", "pair,target_bigram", "--token-types", "surface")
        isogloss("system", "create", folder / name, *models, *sparse, "--weights", weights)
        how = ("--method", "online-mira", "--iterations", arguments.iterations, "--seed", seed)
        mixed = ("--set", f"online.mixed_parts={parts}", "--set", "dense_first=0")
        size = ("--set", f"online.aggressiveness={0.001 * steps}")
        isogloss("tune", folder / name, *sets, *how, *mixed, *size, "--work", folder / f"{name}.work")
        (folder / f"{name}.done").touch()
        print(f"{name}: {time.monotonic() - begun:.0f} s", flush=True)
    outputs: dict[str, list[str]] = {}
    for name in names:
        output = folder / f"{name}.test"
        with test[0].open() as source:
            output.write_text(isogloss("translate", folder / name, "--threads", 1, stdin=source), "utf-8")
        outputs.setdefault(name.partition("-passes-")[0], []).append(str(output))
    judged = ("--reference", test[1], "--metrics", "bleu", "--tokenize", "none", "--json")
    systems = {name: ",".join(runs) for name, runs in outputs.items()}  # the seeds are runs of one system
    for skipped in (0, 1):
        compared = list(systems)[skipped:]
        found = json.loads(isogloss("evaluate", *(systems[name] for name in compared), *judged))
        for name, system in zip(compared, found["systems"], strict=True):
            score = system["scores"][0]
            each = ", ".join(f"{run:.2f}" for run in score["runs"])
            against = score["comparison"] and f"p {score['comparison']['p_value']:.3f} against {compared[0]}"
            print(f"{name}: BLEU {score['score']:.2f} ({each}) {against or ''}", flush=True)


if __name__ == "__main__":
    main()
