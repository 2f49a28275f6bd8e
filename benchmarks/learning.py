"""BLEU of each tuning method on five corpora, on test sets that no tuner has seen.

    ISOGLOSS_DATA=... python benchmarks/learning.py FOLDER [--systems NAME...] [--methods NAME...] [--seeds 1]

Every cell is one `isogloss train` with its defaults: MERT, batch MIRA and online MIRA on the dense features,
online MIRA with sparse features, and the default, which chooses; batch MIRA, online MIRA and the default
with the neural joint model too. FOLDER keeps models and translations. An interrupted run resumes; if
everything is there, only the table is printed. With several seeds, a cell is their mean, lowest and highest
score. p is from the paired bootstrap over all seeds, against the first method. The corpora are tokenized
already, except for the English side of the Quran, which is tokenized and lowercased (four versions are four
pairs), and Callhome and Fisher, which are lowercased without punctuation.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from sacremoses import MosesTokenizer

from isogloss.io.streams import read_lines
from isogloss.metric import Bleu, References, paired_bootstrap

METHODS = {
    "mert": ["--method", "mert", "--tune.iterations", "6"],
    "batch-mira": ["--method", "batch-mira", "--tune.iterations", "6"],
    "online-dense": ["--method", "online-mira", "--features.templates", "none", "--tune.iterations", "6"],
    "online-sparse": ["--method", "online-mira"],
    "auto": [],
    "batch-mira-neural": ["--method", "batch-mira", "--tune.iterations", "6", "--set", "neural=true"],
    "online-sparse-neural": ["--method", "online-mira", "--set", "neural=true"],
    "auto-neural": ["--set", "neural=true"],
}
SYSTEMS = {  # a corpus and a search
    "multi30k-de": ("multi30k-de", "hiero"),
    "multi30k-de-phrase": ("multi30k-de", "phrase"),
    "multi30k-fr": ("multi30k-fr", "hiero"),
    "tanaka": ("tanaka", "hiero"),
    "quran": ("quran", "hiero"),
    "fisher": ("fisher", "hiero"),
}
FISHER_DEV = 1500


@dataclass(frozen=True)
class Part:
    """A source file and its translations."""

    source: Path
    targets: tuple[Path, ...]

    def options(self, name: str) -> list[str]:
        return [f"--{name}-source", str(self.source)] + [
            word for target in self.targets for word in (f"--{name}-target", str(target))
        ]


@dataclass(frozen=True)
class Corpus:
    source: Path
    target: Path
    dev: Part
    test: Part


def multi30k(data: Path, language: str) -> Corpus:
    def file(part: str, side: str) -> Path:
        return data / "multi30k-tok" / f"{part}.{side}"

    def part(name: str) -> Part:
        return Part(file(name, language), (file(name, "en"),))

    return Corpus(file("train", language), file("train", "en"), part("val"), part("test_2016"))


def tanaka(data: Path) -> Corpus:
    folder = data / "tanaka"
    dev, test = (Part(folder / f"{name}.ja", (folder / f"{name}.en",)) for name in ("dev", "test"))
    return Corpus(folder / "train.ja", folder / "train.en", dev, test)


def quran(data: Path, out: Path) -> Corpus:
    moses = MosesTokenizer("en")

    def english(line: str) -> str:
        return " ".join(moses.tokenize(line, escape=False)).lower()

    source: list[str] = []
    target: list[str] = []
    for version in range(4):
        source += read_lines(data / "quran" / "train.ar")
        target += map(english, read_lines(data / "quran" / f"train.en.{version}"))
    dev, test = (
        four_references(data / "quran" / name, "ar", out / name, english) for name in ("dev", "test")
    )
    return Corpus(write(out / "train.ar", source), write(out / "train.en", target), dev, test)


def fisher(data: Path, out: Path) -> Corpus:
    def plain(line: str) -> str:
        return " ".join(re.findall(r"[\w']+", line.lower()))

    callhome = data / "callhome"
    source = write(out / "train.es", read_lines(callhome / "train.oracle.es"))
    target = write(out / "train.en", map(plain, read_lines(callhome / "train.en")))
    dev = four_references(data / "fisher" / "dev", "oracle.es", out / "dev", plain, FISHER_DEV)
    test = four_references(data / "fisher" / "dev2", "oracle.es", out / "dev2", plain)
    return Corpus(source, target, dev, test)


def four_references(
    data: Path, side: str, out: Path, target: Callable[[str], str], first: int | None = None
) -> Part:
    """Sentences of which neither the source nor a reference is empty."""
    sources = list(read_lines(data.with_name(f"{data.name}.{side}")))
    versions = [
        [target(line) for line in read_lines(data.with_name(f"{data.name}.en.{i}"))] for i in range(4)
    ]
    kept = [i for i, line in enumerate(sources) if line.strip() and all(lines[i] for lines in versions)]
    kept = kept[:first]

    def chosen(name: str, lines: list[str]) -> Path:
        return write(out.with_name(f"{out.name}.{name}"), [lines[i] for i in kept])

    return Part(
        chosen("source", sources), tuple(chosen(f"en.{i}", lines) for i, lines in enumerate(versions))
    )


def write(path: Path, lines: Iterable[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def quran_raw(data: Path, out: Path) -> Corpus:
    """Raw text: four versions are four pairs, and the product tokenizes."""
    folder = data / "quran"
    versions = range(4)
    source = write(out / "train.ar", [line for _ in versions for line in read_lines(folder / "train.ar")])
    target = write(
        out / "train.en", [line for i in versions for line in read_lines(folder / f"train.en.{i}")]
    )
    dev, test = (
        Part(folder / f"{name}.ar", tuple(folder / f"{name}.en.{i}" for i in versions))
        for name in ("dev", "test")
    )
    return Corpus(source, target, dev, test)


def tatoeba(data: Path, language: str, side: str) -> Corpus:
    """Raw English; of Chinese, the words."""
    folder = data / f"tatoeba-{language}"
    dev, test = (
        Part(folder / f"{name}.{side}", tuple(folder / f"{name}.en.{i}" for i in range(4)))
        for name in ("dev", "test")
    )
    return Corpus(folder / f"train.{side}", folder / "train.en", dev, test)


def kftt(data: Path, out: Path) -> Corpus:
    """There is no test set: every other ten sentences of the development set are tested on."""
    folder = data / "kftt"

    def part(name: str, first: int) -> Part:
        files = []
        for side in ("ja", "en"):
            lines = list(read_lines(folder / f"dev.{side}"))
            chosen = [line for at, line in enumerate(lines) if at // 10 % 2 == first]
            files.append(write(out / f"{name}.{side}", chosen))
        return Part(files[0], (files[1],))

    return Corpus(folder / "train.ja", folder / "train.en", part("dev", 0), part("test", 1))


def prepare(name: str, data: Path, folder: Path) -> Corpus:
    if name == "quran-raw":
        return quran_raw(data, folder / "corpora" / name)
    if name == "kftt":
        return kftt(data, folder / "corpora" / name)
    if name.startswith("tatoeba-"):
        return tatoeba(data, name[-2:], {"zh": "zh-seg", "ar": "ar"}[name[-2:]])
    if name == "tanaka":
        return tanaka(data)
    if name == "quran":
        return quran(data, folder / "corpora" / name)
    if name == "fisher":
        return fisher(data, folder / "corpora" / name)
    return multi30k(data, name.removeprefix("multi30k-"))


def translated(folder: Path, system: str, corpus: Corpus, method: str, seed: int, threads: int) -> Path:
    """The test set's translation by a system with weights found by a method; made if it is not there."""
    result = folder / "translations" / f"{system}.{method}.{seed}"
    if result.exists():
        return result
    trained = folder / f"{system}.{seed}"  # every method reuses what the others have built there
    command = [sys.executable, "-m", "isogloss", "--quiet", "train", str(trained)]
    command += ["--source", str(corpus.source), "--target", str(corpus.target), "--tokenizer", "none"]
    command += [*corpus.dev.options("dev"), *corpus.test.options("test"), "--search", SYSTEMS[system][1]]
    command += ["--seed", str(seed), "--threads", str(threads), *METHODS[method]]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{system}, {method}, seed {seed}: {spent:.0f} CPU s", file=sys.stderr, flush=True)
    result.parent.mkdir(exist_ok=True)
    partial = result.with_suffix(f"{result.suffix}.partial")
    shutil.copy(trained / "test.translation", partial)
    return partial.replace(result)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--threads", type=int, default=0)
    given = parser.parse_args()
    if "ISOGLOSS_DATA" not in os.environ:
        sys.exit("ISOGLOSS_DATA must name a folder with multi30k-tok, tanaka, quran, callhome and fisher")
    data = Path(os.environ["ISOGLOSS_DATA"])
    metric = Bleu()
    print(f"{'system':20}" + "".join(f"{method:>26}" for method in given.methods))
    for system in given.systems:
        corpus = prepare(SYSTEMS[system][0], data, given.folder)
        references = References([list(read_lines(target)) for target in corpus.test.targets])
        statistics = {
            method: [
                metric.statistics(
                    list(read_lines(translated(given.folder, system, corpus, method, seed, given.threads))),
                    references,
                )
                for seed in given.seeds
            ]
            for method in given.methods
        }
        cells = []
        for method, runs in statistics.items():
            scores = [float(metric.score(run.sum(axis=0))) for run in runs]
            cell = f"{sum(scores) / len(scores):.2f}"
            if len(scores) > 1:
                cell += f" [{min(scores):.2f} {max(scores):.2f}]"
            if method != given.methods[0]:
                cell += f" p {paired_bootstrap(metric, statistics[given.methods[0]], runs).p_value:.3f}"
            cells.append(f"{cell:>26}")
        print(f"{system:20}" + "".join(cells), flush=True)


if __name__ == "__main__":
    main()
