"""Local training on real text: sets unlike the development set and sets like it, three MERT baselines each.

    ISOGLOSS_DATA=... python benchmarks/local_training.py FOLDER [--settings NAME ...] [--threads N]

For each setting, cuts the sets out of the corpora, trains a system without tuning it, and runs `isogloss
experiment local-training`, whose tables it prints. The peer is the MERT baseline of the same run. Finished
parts in FOLDER are not made again.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from learning import write
from sacremoses import MosesTokenizer

from isogloss.io.streams import read_lines

Columns = dict[str, list[str]]
"""``src`` and ``ref0`` to ``ref3``: lines that belong together."""

COMMON = """preset = "best"
system = "engine/system"
dev = "{like}-dev"
tune = ["{unlike}-tune", "{like}-tune"]
runs = 2
baselines = 3
iterations = 8
restarts = 20
nbest = 100
size = 250
strengths = {{ mbuu = [0.3, 1, 3], ebuu = [30, 100, 300] }}
curves = false
sizes = []
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


def draw(of: Columns, lines: Sequence[int], *sizes: int) -> list[list[int]]:
    """Disjoint groups of lines, by chance but always the same, and last all other lines. In the groups are
    only lines whose source and first translation stand nowhere else."""
    often = [Counter(column) for column in (of["src"], of["ref0"])]
    single = [i for i in lines if often[0][of["src"][i]] == often[1][of["ref0"][i]] == 1]
    drawn = random.Random(1).sample(single, sum(sizes))
    groups, first = [], 0
    for size in sizes:
        groups.append(sorted(drawn[first : first + size]))
        first += size
    taken = set(drawn)
    return [*groups, [i for i in lines if i not in taken]]


def remember(folder: Path, *parts: tuple[Columns, Sequence[int]]) -> None:
    """Examples of several kinds; a translation that a kind does not have is an empty line."""
    rows = [(of, i) for of, lines in parts for i in lines]
    random.Random(1).shuffle(rows)
    for ending in max((of for of, _ in parts), key=len):
        write(folder / f"memory.{ending}", [of[ending][i] if ending in of else "" for of, i in rows])


def pairs(of: Columns, lines: Sequence[int], versions: int = 1) -> list[tuple[str, str]]:
    return [(of["src"][i], of[f"ref{version}"][i]) for version in range(versions) for i in lines]


def fisher(data: Path, folder: Path) -> tuple[Columns, list[int]]:
    """The sets of Fisher; gives what is left, with one translation, for the memory."""
    other, test = (
        columns(data / "fisher" / f"{part}.oracle.es", [data / "fisher" / f"{part}.en.{i}" for i in range(4)])
        for part in ("dev", "dev2")
    )
    lines = usable(other, 3, 40)
    cut(folder, "fisher-tune", other, lines[:500])
    cut(folder, "fisher-test", test, usable(test, 3, 40)[500:])
    return {name: other[name] for name in ("src", "ref0")}, lines[500:]


def callhome(data: Path, part: str) -> Columns:
    return columns(data / "callhome" / f"{part}.oracle.es", [data / "callhome" / f"{part}.en"])


def telephone(data: Path, folder: Path) -> None:
    """Callhome to learn and tune on, Fisher to translate."""
    train, dev = callhome(data, "train"), callhome(data, "dev")
    *drawn, rest = draw(train, usable(train, 3, 40), 500, 500, 1000)
    train_on(folder, pairs(train, [*rest, *usable(train, most=2), *usable(train, 41)]))
    for name, lines in zip(("dev", "tune", "test"), drawn, strict=True):
        cut(folder, f"callhome-{name}", train, lines)
    remember(folder, (dev, usable(dev, 3, 40)), fisher(data, folder))


def conversations(data: Path, folder: Path) -> None:
    """The same, but each set of Callhome is of conversations of its own."""
    train, dev = callhome(data, "train"), callhome(data, "dev")
    aside, rest = draw(train, usable(train, 3, 40), 1000)
    train_on(folder, pairs(train, [*rest, *usable(train, most=2), *usable(train, 41)]))
    lines = usable(dev, 3, 40)
    cut(folder, "callhome-dev", dev, lines[:500])
    cut(folder, "callhome-tune", dev, lines[500:1000])
    cut(folder, "callhome-test", dev, lines[1250:2250])
    remember(folder, (train, aside), (dev, [*lines[1000:1250], *lines[2250:]]), fisher(data, folder))


def arabic(data: Path, folder: Path) -> None:
    """Everyday sentences and the Quran: both are learned from, one is tuned on."""
    everyday, quran = data / "tatoeba-ar", data / "quran"
    verses = columns(quran / "train.ar", [quran / f"train.en.{i}" for i in range(4)], "ar")
    sentences = columns(everyday / "train.ar", [everyday / "train.en"], "ar")
    *of_verses, rest = draw(verses, usable(verses, most=40), 700, 400, 700)
    *of_sentences, others = draw(sentences, usable(sentences), 700, 400, 700)
    train_on(folder, [*pairs(verses, [*rest, *usable(verses, 41)], versions=2), *pairs(sentences, others)])
    remember(folder, (verses, of_verses[0]), (sentences, of_sentences[0]))
    for name, of, drawn, official in (
        ("quran", verses, of_verses, quran),
        ("everyday", sentences, of_sentences, everyday),
    ):
        dev = columns(official / "dev.ar", [official / f"dev.en.{i}" for i in range(4)], "ar")
        cut(folder, f"{name}-dev", dev, usable(dev, most=40, need=("src", "ref0"))[:300])
        cut(folder, f"{name}-tune", of, drawn[1])
        cut(folder, f"{name}-test", of, drawn[2])


def short_and_long(data: Path, folder: Path, corpus: str, source: str) -> None:
    """Sets of the shorter half and of the longer half of a text."""
    train: Columns = {
        "src": list(read_lines(data / corpus / f"train.{source}")),
        "ref0": list(read_lines(data / corpus / "train.en")),
    }
    aside, rest = draw(train, usable(train), 6000)
    train_on(folder, pairs(train, rest))
    random.Random(2).shuffle(aside)
    remember(folder, (train, aside[:2000]))
    by_length = sorted(aside[2000:], key=lambda i: len(train["src"][i].split()))  # equals stay in disorder
    for name, half in (("short", by_length[:2000]), ("long", by_length[2000:])):
        random.Random(3).shuffle(half)
        cut(folder, f"{name}-dev", train, half[:500])
        cut(folder, f"{name}-tune", train, half[500:1000])
        cut(folder, f"{name}-test", train, half[1000:])


def captions(data: Path, folder: Path) -> None:
    """Captions of pictures, German to English."""
    short_and_long(data, folder, "multi30k-tok", "de")


def tanaka(data: Path, folder: Path) -> None:
    """Sentences for learners, Japanese to English."""
    short_and_long(data, folder, "tanaka", "ja")


SETTINGS = {
    "callhome-to-fisher": (telephone, "callhome", "fisher"),
    "conversations-to-fisher": (conversations, "callhome", "fisher"),
    "short-to-long": (captions, "short", "long"),
    "long-to-short": (captions, "long", "short"),
    "everyday-to-quran": (arabic, "everyday", "quran"),
    "quran-to-everyday": (arabic, "quran", "everyday"),
    "tanaka": (tanaka, "short", "long"),
}
"""How the sets are made, the kind that MERT is tuned on, and the other kind."""


def describe(folder: Path, like: str, unlike: str) -> Path:
    """The experiment's configuration."""

    def sides(name: str) -> str:
        references = ", ".join(f'"{path.name}"' for path in sorted(folder.glob(f"{name}.ref*")))
        return f'{{ source = "{name}.src", references = [{references}] }}'

    names = [f"{like}-dev", *(f"{kind}-{part}" for part in ("tune", "test") for kind in (unlike, like))]
    lines = [COMMON.format(like=like, unlike=unlike), f"retrieval = {sides('memory')}"]
    return write(folder / "local.toml", [*lines, *(f"sets.{name} = {sides(name)}" for name in names)])


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
        make, like, unlike = SETTINGS[name]
        folder = (args.folder / name).resolve()
        if not (folder / "local.toml").exists():
            make(Path(os.environ["ISOGLOSS_DATA"]), folder)
            describe(folder, like, unlike)
        sets = ["--dev-source", f"{like}-dev.src"]
        for path in sorted(folder.glob(f"{like}-dev.ref*")):
            sets += ["--dev-target", path.name]
        isogloss(
            folder,
            *("train", "engine", "--source", "train.src", "--target", "train.tgt", *sets),
            *("--tokenizer", "none", "--method", "none", "--search", "phrase", "--threads", args.threads),
        )
        options = ["--config", "local.toml", "--output", "results", "--threads", args.threads]
        print(f"{name}\n{isogloss(folder, 'experiment', 'local-training', *options)}", flush=True)


if __name__ == "__main__":
    main()
