"""The neural joint model: how well it predicts held-out text by size, and what it costs.

    python benchmarks/joint_model.py ENGINE [--epochs 4] [--changes history=2 hidden=128 ...]

ENGINE is a folder of `isogloss train`, whose aligned text is learned from. A row has one setting changed;
perplexity is that of 500 held-out pairs after each epoch, |log Z| how far probabilities are from summing
to 1 in the end, cost CPU units of training. Then the speed of the search with and without the model, one
thread, on the sentences of the development set: the joint weight is 0.5, all others the engine's.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import unit

import isogloss
from isogloss.align import Alignments
from isogloss.decoder.decoder import Decoder
from isogloss.io.streams import read_lines
from isogloss.neural import Epoch, JointModel, JointOptions, train_joint

CHANGES = (
    "",
    "history=2",
    "history=4",
    "window=5",
    "window=11",
    "hidden=64",
    "hidden=256",
    "noise=512",
    "batch=128",
    "batch=512",
    "embedding=32",
    "min_count=1",
)
WEIGHT = 0.5


def trained(work: Path, options: JointOptions, epochs: list[Epoch]) -> JointModel:
    text = work / "tokens"
    source, target = ([line.split() for line in read_lines(text / side)] for side in ("source", "target"))
    return train_joint(source, target, Alignments.read(work / "links"), options, report=epochs.append)


def changed(options: JointOptions, change: str) -> JointOptions:
    if not change:
        return options
    name, _, value = change.partition("=")
    kind: Any = type(getattr(options, name))
    return replace(options, **{name: kind(value)})


def seconds(decoder: Decoder, sentences: list[str]) -> float:
    begun = time.process_time()
    decoder.nbest(sentences)
    return time.process_time() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("engine", type=Path)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--changes", nargs="*", default=CHANGES)
    given = parser.parse_args()
    one = unit.unit()
    print(f"{'change':16}{'perplexity after each epoch':44}{'|log Z|':>8}{'MB':>6}{'units':>8}")
    first: JointModel | None = None
    for change in given.changes:
        epochs: list[Epoch] = []
        begun = time.process_time()
        model = trained(given.engine / "work", changed(JointOptions(epochs=given.epochs), change), epochs)
        cost = (time.process_time() - begun) / one
        size = sum(array.nbytes for array in model.arrays.values()) / 1e6
        row = " ".join(f"{epoch.perplexity:6.2f}" for epoch in epochs)
        print(f"{change or 'default':16}{row:44}{epochs[-1].log_sum:8.2f}{size:6.0f}{cost:8.0f}", flush=True)
        first = first or model
    engine = isogloss.load(
        given.engine / "work/system" if (given.engine / "work/system").exists() else given.engine
    )
    own = engine.decoder
    sentences = list(read_lines(given.engine / "work/tokens/dev.source"))
    weights = {name: value for name, value in own.weights.items() if name != "joint"}
    plain = Decoder(own._rules, own._lm, own.options, weights)
    neural = Decoder(own._rules, own._lm, own.options, {**weights, "joint": WEIGHT}, joint=first)
    for decoder in (plain, neural):
        seconds(decoder, sentences)  # what is read for the first time is not counted
    without, with_model = (min(seconds(decoder, sentences) for _ in range(3)) for decoder in (plain, neural))
    words = sum(len(sentence.split()) for sentence in sentences)
    print(
        f"search, dense: {words * one / without:.0f} words per unit without the model, "
        f"{words * one / with_model:.0f} with it: {100 * without / with_model:.0f} %"
    )


if __name__ == "__main__":
    main()
