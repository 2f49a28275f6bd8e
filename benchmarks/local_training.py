"""Local training on real text: sets unlike the development set and sets like it, three MERT baselines each.

    ISOGLOSS_DATA=... python benchmarks/local_training.py FOLDER [--settings NAME ...] [--threads N]

For each setting cuts the sets out of the corpora, trains a system without tuning it, and runs `isogloss
experiment local-training`, whose tables it prints. The peer is the baseline of the same run: MERT. What is
finished in FOLDER is not made again.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path

from learning import write
from sacremoses import MosesTokenizer

from isogloss.corpus.streams import read_lines

Columns = dict[str, list[str]]
"""``src`` and ``ref0`` to ``ref3``: lines that belong together."""

FEW = "strengths = { mbuu = [0.0001, 0.0005, 0.002], ebuu = [0.01, 0.03, 0.1] }"
MORE = "strengths = { mbuu = [0.0001, 0.0005, 0.002, 0.008], ebuu = [0.003, 0.01, 0.03, 0.1] }"
COMMON = """system = "engine/system"
dev = "{dev}"
tune = {tune}
runs = 2
baselines = 3
iterations = 8
restarts = 20
nbest = 100
curves = false
sizes = []
sharpnesses = [10]
"""


def tokenizer(language: str) -> Callable[[str], str]:
    moses = MosesTokenizer(language)

    def english(line: str) -> str:
        return " ".join(moses.tokenize(line, escape=False)).lower()

    def arabic(line: str) -> str:  # without vowel marks
        bare = (c for c in unicodedata.normalize("NFC", line) if unicodedata.category(c) != "Mn" and c != "ـ")
        return " ".join(moses.tokenize("".join(bare), escape=False))

    return arabic if language == "ar" else english


def columns(source: Path, targets: Sequence[Path], language: str = "") -> Columns:
    english = tokenizer("en")
    of_source = tokenizer(language) if language else str
    return {
        "src": [of_source(line) for line in read_lines(source)],
        **{f"ref{i}": [english(line) for line in read_lines(path)] for i, path in enumerate(targets)},
    }


def usable(of: Columns, least: int = 1, most: int = 10**6, need: Sequence[str] = ()) -> list[int]:
    """Lines that are not empty anywhere, with so many source words."""
    needed = [of[name] for name in need or of]
    return [
        i
        for i, line in enumerate(of["src"])
        if all(column[i].split() for column in needed) and least <= len(line.split()) <= most
    ]


def cut(folder: Path, name: str, of: Columns, lines: Sequence[int]) -> None:
    for ending, column in of.items():
        write(folder / f"{name}.{ending}", [column[i] for i in lines])


def train_on(folder: Path, pairs: Sequence[tuple[str, str]]) -> None:
    write(folder / "train.src", [source for source, _ in pairs])
    write(folder / "train.tgt", [target for _, target in pairs])


def telephone(data: Path, folder: Path) -> None:
    """Callhome to learn and tune on, Fisher to translate."""
    callhome, fisher = data / "callhome", data / "fisher"
    train = columns(callhome / "train.oracle.es", [callhome / "train.en"])
    train_on(folder, list(zip(train["src"], train["ref0"], strict=True)))
    dev = columns(callhome / "dev.oracle.es", [callhome / "dev.en"])
    lines = usable(dev, 3, 40)
    cut(folder, "callhome-dev", dev, lines[:500])
    cut(folder, "callhome-test", dev, lines[500:1000])
    cut(folder, "callhome-tune", dev, lines[1000:1250])
    cut(folder, "memory", dev, lines[1250:])
    for part, name, count in (("dev", "fisher-tune", 250), ("dev2", "fisher-test", 500)):
        of = columns(fisher / f"{part}.oracle.es", [fisher / f"{part}.en.{i}" for i in range(4)])
        cut(folder, name, of, usable(of, 3, 40)[:count])


def arabic(data: Path, folder: Path) -> None:
    """Everyday sentences and the Quran, 700 pairs of each set aside as examples."""
    everyday, quran = data / "tatoeba-ar", data / "quran"
    verses = columns(quran / "train.ar", [quran / f"train.en.{i}" for i in range(4)], "ar")
    sentences = columns(everyday / "train.ar", [everyday / "train.en"], "ar")
    of_verses, of_sentences = usable(verses), usable(sentences)
    draw = random.Random(1)
    short = [i for i in of_verses if len(verses["src"][i].split()) <= 30]
    aside_verses, aside_sentences = set(draw.sample(short, 700)), set(draw.sample(of_sentences, 700))
    pairs = [
        (verses["src"][i], verses[f"ref{version}"][i])
        for version in range(2)
        for i in of_verses
        if i not in aside_verses
    ]
    pairs += [(sentences["src"][i], sentences["ref0"][i]) for i in of_sentences if i not in aside_sentences]
    train_on(folder, pairs)
    examples = [
        (verses["src"][i], *(verses[f"ref{version}"][i] for version in range(4)))
        for i in sorted(aside_verses)
    ]
    examples += [(sentences["src"][i], *[sentences["ref0"][i]] * 4) for i in sorted(aside_sentences)]
    draw.shuffle(examples)
    for ending, column in zip(
        ("src", "ref0", "ref1", "ref2", "ref3"), zip(*examples, strict=True), strict=True
    ):
        write(folder / f"memory.{ending}", column)

    def held(of: Path, part: str) -> Columns:
        return columns(of / f"{part}.ar", [of / f"{part}.en.{i}" for i in range(4)], "ar")

    need = ("src", "ref0")
    dev, test = held(everyday, "dev"), held(everyday, "test")
    lines = usable(dev, need=need)
    cut(folder, "everyday-dev", dev, lines[:300])
    cut(folder, "everyday-tune", dev, lines[300:])
    cut(folder, "everyday-test", test, usable(test, need=need))
    dev, test = held(quran, "dev"), held(quran, "test")
    lines = usable(dev, most=40, need=need)
    cut(folder, "quran-tune", dev, lines[:200])
    cut(folder, "quran-like", dev, lines[200:])
    cut(folder, "quran-test", test, usable(test, most=40, need=need))


def captions(data: Path, folder: Path) -> None:
    """The shorter half of the development set to tune on; 2,000 training pairs set aside as examples."""

    def part(name: str) -> Columns:
        return {
            "src": list(read_lines(data / "multi30k-tok" / f"{name}.de")),
            "ref0": list(read_lines(data / "multi30k-tok" / f"{name}.en")),
        }

    def halves(of: Columns, short: int) -> tuple[list[int], list[int]]:
        by_length = sorted(range(len(of["src"])), key=lambda i: (len(of["src"][i].split()), i))
        return sorted(by_length[:short]), sorted(by_length[short:])

    train, val, test = part("train"), part("val"), part("test_2016")
    lines = usable(train)
    aside = set(random.Random(1).sample(lines, 2000))
    train_on(folder, [(train["src"][i], train["ref0"][i]) for i in lines if i not in aside])
    cut(folder, "memory", train, sorted(aside))
    short, long = halves(val, 507)
    cut(folder, "short-dev", val, short[:307])
    cut(folder, "short-tune", val, short[307:])
    cut(folder, "long-tune", val, long[:250])
    short, long = halves(test, 500)
    cut(folder, "short-test", test, short)
    cut(folder, "long-test", test, long)


SETTINGS = {
    "callhome-to-fisher": (telephone, "callhome-dev", ["fisher-tune", "callhome-tune"], FEW),
    "short-to-long": (captions, "short-dev", ["long-tune", "short-tune"], MORE),
    "everyday-to-quran": (arabic, "everyday-dev", ["quran-tune", "everyday-tune"], MORE),
    "quran-to-everyday": (arabic, "quran-tune", ["everyday-dev"], MORE),
    "quran-to-quran": (arabic, "quran-tune", ["quran-like"], MORE),
}
"""How the sets are made, the set that MERT is tuned on, those that λ is chosen on, and among what."""


def describe(folder: Path, dev: str, tune: Sequence[str], strengths: str) -> Path:
    """The experiment's configuration over all sets in the folder."""

    def sides(name: str) -> str:
        references = ", ".join(f'"{path.name}"' for path in sorted(folder.glob(f"{name}.ref*")))
        return f'{{ source = "{name}.src", references = [{references}] }}'

    names = sorted(path.stem for path in folder.glob("*.src") if path.stem not in ("train", "memory"))
    lines = [COMMON.format(dev=dev, tune=list(tune)).replace("'", '"') + strengths]
    lines += [f"retrieval = {sides('memory')}", *(f"sets.{name} = {sides(name)}" for name in names)]
    return write(folder / "local.toml", lines)


def isogloss(folder: Path, *args: str) -> str:
    command = [sys.executable, "-m", "isogloss", "--quiet", *args]
    return subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--settings", nargs="+", choices=SETTINGS, default=list(SETTINGS))
    parser.add_argument("--threads", default="2")
    args = parser.parse_args()
    if not os.environ.get("ISOGLOSS_DATA"):
        sys.exit("ISOGLOSS_DATA names no folder of corpora")
    for name in args.settings:
        make, dev, tune, strengths = SETTINGS[name]
        folder = (args.folder / name).resolve()
        if not (folder / "local.toml").exists():
            make(Path(os.environ["ISOGLOSS_DATA"]), folder)
            describe(folder, dev, tune, strengths)
        sets = ["--dev-source", f"{dev}.src"]
        for path in sorted(folder.glob(f"{dev}.ref*")):
            sets += ["--dev-target", path.name]
        isogloss(
            folder,
            *("train", "engine", "--source", "train.src", "--target", "train.tgt", *sets),
            *("--tokenizer", "none", "--tuner", "none", "--search", "phrase", "--threads", args.threads),
        )
        options = ["--config", "local.toml", "--output", "results", "--threads", args.threads]
        print(f"{name}\n{isogloss(folder, 'experiment', 'local-training', *options)}", flush=True)


if __name__ == "__main__":
    main()
