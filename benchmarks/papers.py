"""The tables of the five papers on real text, with the settings of the results pages.

    ISOGLOSS_DATA=... python benchmarks/papers.py FOLDER [--parts NAME ...] [--threads N]

For each part, makes the sets and a system without tuning, writes the experiment's configuration, runs
`isogloss experiment` and prints its tables. What was cut for two processors stands in the configurations
below. FOLDER keeps everything; an interrupted run resumes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import learning
from learning import Part, prepare, write
from local_training import arabic

from isogloss.decoder import parse_plf
from isogloss.io.streams import read_lines
from isogloss.nbest import write_nbest
from isogloss.speech import best_strings, strings_store

WATANABE = """preset = "{preset}"
system = "{system}"
source_classes = "classes.source"
target_classes = "classes.target"
baseline = "mert:restarts=5"
dev = {dev}
tests.test = {test}
{more}
"""
WATANABE_RUNS = {
    "paper": """choose_aggressiveness = [1e-6, 1e-5, 1e-4, 1e-3]
choice_iterations = 3

[online]
iterations = 3   # the paper: 50
nbest = 100      # the paper: 1000
""",
    "best": """tables = []
seeds = [1, 2, 3]
templates = ["pair", "target_bigram", "deletion", "shape", "orientation", "distortion"]
types = ["surface", "class"]
""",
}
"""All tables as the paper has them, but for the size; and the main row of the preset best, with the templates
and token types of `isogloss train`."""

RERANKING = """preset = "{preset}"
list = "{list}"
source = "{source}"
references = [{references}]
test_list = "{test_list}"
test_source = "{test_source}"
test_references = [{test_references}]
start = "decoder"
folds = 3
single_method = "{single}"
validate = {validate}
made_sets = [{sets}]
features = [{features}]
methods = [{methods}]
"""
CHEAP_FEATURES = ("brackets", "quotes")
FEATURES = ("model1:{aligner}", "missing:{aligner}", "popularity", *CHEAP_FEATURES)
PAPER_METHODS = (
    "mert:restarts=3",
    "splitting:iterations={iterations},good={share},bad={share},average=no",
    "ordinal:iterations={iterations},ratio=2,gap={gap},average=no",
)
BEST_METHODS = (
    "splitting:quality=document,shuffle=yes,iterations={sweeps}",
    "ordinal:quality=document,shuffle=yes,gap={gap},iterations={sweeps}",
    "splitting:good={share},bad={share},average=no,margin={splitting_margin},iterations={sweeps}",
    "ordinal:gap={gap},average=no,margin={ordinal_margin},iterations={sweeps}",
    "voted-perceptron:quality=document,shuffle=no,iterations=20",
    "voted-perceptron:quality=document,iterations={sweeps}",
    "voted-perceptron:quality=document,average=yes,iterations={sweeps}",
    "expected-bleu",
    "batch-mira",
)

LOCAL = """preset = "{preset}"
system = "engine/system"
dev = "everyday-dev"
tune = ["quran-tune"]
other_dev = ["quran-dev"]
runs = 1
iterations = 6
restarts = 5
nbest = 100
{more}
"""
LOCAL_PRESETS = {
    "paper": "size = 100\nsizes = [40, 70]\nsharpnesses = [1, 10]\n"
    "curve_strengths = { mbuu = [], ebuu = [0.02, 0.1] }",
    "best": "size = 250\nsizes = []\ncurves = false\nstrengths = { mbuu = [1, 3], ebuu = [100, 300] }",
}

NTT = """preset = "{preset}"
source = "{callhome}/train.oracle.es"
target = "{callhome}/train.en"
iterations = 4        # the slides: 200 to 300
patience = 2
nbest = 50            # the slides: 1000
num_hypotheses = {hypotheses}    # the slides: 20
folds = 2
fold_sentences = 300  # the slides: 20,000
sample = {{ coverage = 3 }}
methods = [{methods}]

[train]
effort = "quick"      # no learning curve
source_tokenizer = "none"
target_tokenizer = "moses"
{train}
"""
VOTED = "voted-perceptron:quality=document,iterations=10,curve=no"  # 100 sweeps take minutes each
NTT_METHODS = {
    "paper": (f"{VOTED},shuffle=no", f"{VOTED},average=yes"),
    "best": (VOTED, f"{VOTED},average=yes", "expected-bleu:regularization=1e-3"),
}
NTT_TRAIN = {
    "paper": """
[train.features]  # the slides have parts of speech on both sides; there is no tagger for Spanish
target_types = ["surface", "class", "prefix", "suffix", "pos"]

[train.tune.online]
nbest = 100
aggressiveness = 1e-4  # as chosen for Multi30k
""",
    "best": "",
}
NTT_SETS = {"dev": ("dev", 0, 300), "held_out": ("dev", 300, 450), "test": ("dev2", 0, 600)}
"""Parts of Fisher: set, first line, last line."""
NTT_HYPOTHESES = 5


BLOCKS = """preset = "best"

[train]
source = "{source}"
target = "{target}"
dev_source = "{dev.source}"
dev_target = ["{dev.targets[0]}"]
test_source = "{test.source}"
test_target = ["{test.targets[0]}"]
tokenizer = "none"
significance = "alpha+epsilon"
lm = {{ order = 3 }}

[relevant]
seed = {seed}

[experiment]
rows = ["mon-both+scores"]
scores = ["lm", "target_given_source", "target_given_source_lexical", "source_given_target",
          "source_given_target_lexical", "words", "rules", "backtrack"]
binary = true
"""


class Place:
    """The folder of all parts, and how commands are run there."""

    def __init__(self, folder: Path, threads: int) -> None:
        self.folder, self.threads = folder.resolve(), str(threads)
        self.data = Path(os.environ["ISOGLOSS_DATA"]).resolve()

    def isogloss(self, *args: str, given: Path = Path(os.devnull)) -> str:
        command = [sys.executable, "-m", "isogloss", "--quiet", *args, "--threads", self.threads]
        with given.open(encoding="utf-8") as stream:
            return subprocess.run(command, check=True, stdin=stream, stdout=subprocess.PIPE, text=True).stdout

    def experiment(self, name: str, config: Path) -> None:
        options = ["--config", str(config), "--output", str(config.with_suffix(""))]
        print(
            f"{config.parent.name}, {config.stem}\n{self.isogloss('experiment', name, *options)}", flush=True
        )

    def system(self, name: str, corpus: learning.Corpus, *options: str) -> Path:
        """A hierarchical system without a joint model; not tuned unless the options have a method."""
        path = self.folder / "systems" / name
        if not (path / "system").exists():
            text = ["--source", str(corpus.source), "--target", str(corpus.target), "--tokenizer", "none"]
            tuning = options or ("--method", "none")
            self.isogloss("train", str(path), *text, "--search", "hiero", "--effort", "quick", *tuning)
        return path


def files(part: Part) -> str:
    references = ", ".join(f'"{path}"' for path in part.targets)
    return f'{{ source = "{part.source}", references = [{references}] }}'


def watanabe(place: Place, corpus_name: str, run: str) -> None:
    """Tables 1 to 4, or the main row; learned from val or the first 1,000 utterances of fisher/dev."""
    corpus = prepare(corpus_name, place.data, place.folder)
    folder = place.folder / f"watanabe-{corpus_name}"
    folder.mkdir(parents=True, exist_ok=True)
    system = place.system(corpus_name, corpus)
    for side, text in (("source", corpus.source), ("target", corpus.target)):
        if not (folder / f"classes.{side}").exists():
            place.isogloss(
                "classes", str(text), "--output", str(folder / f"classes.{side}"), "--restarts", "0"
            )
    rows = folder / "paper" / "rows"
    if run != "paper" and rows.exists() and not (folder / run).exists():  # the baseline is the same
        shutil.copytree(rows, folder / run / "rows")
    config = WATANABE.format(
        preset=run,
        system=system / "system",
        dev=files(corpus.dev),
        test=files(corpus.test),
        more=WATANABE_RUNS[run],
    )
    place.experiment("online-large-margin", write(folder / f"{run}.toml", [config]))


class Lists(NamedTuple):
    """A development and a test list, and what suits their size."""

    name: str
    dev: Path
    test: Path
    aligner: Path
    share: int
    """Good candidates, and bad ones."""
    splitting_margin: str
    """τ of the size of a step, which grows with the pairs of a sentence; chosen by cross-validation."""
    ordinal_margin: str
    iterations: int
    """Sweeps of splitting and ordinal regression in the preset paper, which prints 10,000."""
    sweeps: int
    """The same in the preset best."""
    whole: tuple[str, ...]
    """The presets with all features, Best Feature, and every row of ``best`` cross-validated; the others have
    the list's columns alone."""


def rerank(place: Place, lists: Lists, dev: Part, test: Part) -> None:
    """Tables 1 and 2 and the curves, for both presets; in one run if neither is run in whole."""
    folder = place.folder / f"shen-{lists.name}"
    paper = ("paper", PAPER_METHODS, "mert:restarts=3")
    best = ("best", BEST_METHODS, "expected-bleu")
    one = ("best", (*PAPER_METHODS, *BEST_METHODS), "expected-bleu")

    def written(names: Sequence[str]) -> str:
        return ", ".join(f'"{name.format(gap=20, **lists._asdict())}"' for name in names)

    for preset, methods, single in (paper, best) if lists.whole else (one,):
        whole = preset in lists.whole
        config = RERANKING.format(
            preset=preset,
            methods=written(methods),
            single=single,
            validate=str(whole and preset == "best").lower(),
            sets=written(("baseline", "best") if whole else ("baseline",)),
            features=written(FEATURES if whole else CHEAP_FEATURES),
            list=lists.dev,
            test_list=lists.test,
            source=dev.source,
            test_source=test.source,
            references=", ".join(f'"{path}"' for path in dev.targets),
            test_references=", ".join(f'"{path}"' for path in test.targets),
        )
        place.experiment("reranking", write(folder / f"{preset}.toml", [config]))


def shen_moses(place: Place) -> None:
    """Lists of Moses: 100 candidates, so 30 are good and 30 bad."""
    corpus = prepare("multi30k-de", place.data, place.folder)
    system = place.system("multi30k-de", corpus)
    dev, test = (
        place.data / "nbest-multi30k" / f"{name}.100best.distinct.gz" for name in ("val", "test_2016")
    )
    lists = Lists("moses", dev, test, system / "aligner", 30, "3e5", "1e5", 1000, 100, ("paper", "best"))
    rerank(place, lists, corpus.dev, corpus.test)


def shen_own(place: Place, name: str) -> None:
    """1000-best lists of our own system, tuned by MERT on the development set."""
    corpus = prepare(name, place.data, place.folder)
    tuning = ("--method", "mert", "--tune.iterations", "6", *corpus.dev.options("dev"))
    system = place.system(f"{name}-mert", corpus, *tuning)
    paths = [place.folder / "systems" / f"{name}-mert.{kind}.1000best" for kind in ("dev", "test")]
    for path, part in zip(paths, (corpus.dev, corpus.test), strict=True):
        if not path.exists():
            options = ("--tokenized", "--no-matches", "--nbest", "1000", "--format", "moses")
            found = place.isogloss("translate", str(system), *options, given=part.source)
            write(path, found.removesuffix("\n").split("\n"))
    whole = ("paper",) if name == "quran" else ()
    lists = Lists(name, *paths, system / "aligner", 300, "1e7", "1e6", 300 if whole else 100, 30, whole)
    rerank(place, lists, corpus.dev, corpus.test)


def liu(place: Place) -> None:
    """Tables 2 to 8: tuned on everyday sentences, translating the Quran and everyday sentences."""
    folder = place.folder / "liu"
    if not (folder / "train.src").exists():
        arabic(place.data, folder)
    if not (folder / "engine" / "system").exists():
        text = ["--source", str(folder / "train.src"), "--target", str(folder / "train.tgt")]
        options = ("--tokenizer", "none", "--method", "none", "--search", "phrase", "--effort", "quick")
        place.isogloss("train", str(folder / "engine"), *text, *options)

    def sides(name: str) -> str:
        found = ", ".join(f'"{path.name}"' for path in sorted(folder.glob(f"{name}.ref*")))
        return f'{{ source = "{name}.src", references = [{found}] }}'

    names = ("everyday-dev", "quran-dev", "quran-tune", "quran-test", "everyday-test")
    for preset, more in LOCAL_PRESETS.items():
        config = [LOCAL.format(preset=preset, more=more), f"retrieval = {sides('memory')}"]
        sets = [f"sets.{name} = {sides(name)}" for name in names]
        place.experiment("local-training", write(folder / f"{preset}.toml", [*config, *sets]))


def ntt(place: Place, preset: str) -> None:
    """The recipe, trained on CALLHOME: tuned, stopped and tested on parts of Fisher; without lattices."""
    folder, fisher = place.folder / "ntt", place.data / "fisher"
    lines = []
    for name, (part, begin, end) in NTT_SETS.items():
        for ending in ("oracle.es", *(f"en.{i}" for i in range(4))):
            write(folder / f"{name}.{ending}", islice(read_lines(fisher / f"{part}.{ending}"), begin, end))
        heard = islice(read_lines(fisher / f"{part}.plf.es"), begin, end)
        strings = strings_store(best_strings(parse_plf(line), NTT_HYPOTHESES) for line in heard)
        write_nbest(strings, folder / f"{name}.nbest", format="moses")
        references = ", ".join(f'"{name}.en.{i}"' for i in range(4))
        lines += [f"[sets.{name}]", f'source = "{name}.oracle.es"', f"references = [{references}]"]
        lines += [f'hypotheses = "{name}.nbest"']
    config = NTT.format(
        preset=preset,
        callhome=place.data / "callhome",
        hypotheses=NTT_HYPOTHESES,
        methods=", ".join(f'"{method}"' for method in NTT_METHODS[preset]),
        train=NTT_TRAIN[preset],
    )
    place.experiment("ntt-iwslt2007", write(folder / f"{preset}.toml", [config, *lines]))


def tillmann(place: Place, language: str) -> None:
    """Table 3 with informed initial weights, three seeds; zero weights are in the results of preset paper."""
    corpus = prepare(f"multi30k-{language}", place.data, place.folder)
    folder = place.folder / f"tillmann-{language}"
    for seed in (1, 2, 3):
        config = BLOCKS.format(
            source=corpus.source, target=corpus.target, dev=corpus.dev, test=corpus.test, seed=seed
        )
        models = folder / f"seed-{seed}" / "models"
        if seed > 1 and not models.exists():  # the block set is the same
            shutil.copytree(folder / "seed-1" / "models", models)
        place.experiment("relevant-set", write(folder / f"seed-{seed}.toml", [config]))


PARTS: dict[str, Callable[[Place], None]] = {
    "tillmann-de": lambda place: tillmann(place, "de"),
    "tillmann-fr": lambda place: tillmann(place, "fr"),
    "shen-moses": shen_moses,
    "shen-quran": lambda place: shen_own(place, "quran"),
    "shen-tanaka": lambda place: shen_own(place, "tanaka"),
    "watanabe-multi30k-de": lambda place: watanabe(place, "multi30k-de", "paper"),
    "watanabe-multi30k-de-best": lambda place: watanabe(place, "multi30k-de", "best"),
    "watanabe-fisher": lambda place: watanabe(place, "fisher", "paper"),
    "watanabe-fisher-best": lambda place: watanabe(place, "fisher", "best"),
    "liu": liu,
    "ntt-paper": lambda place: ntt(place, "paper"),
    "ntt-best": lambda place: ntt(place, "best"),
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--threads", type=int, default=0)
    given = parser.parse_args(arguments)
    if "ISOGLOSS_DATA" not in os.environ:
        sys.exit("ISOGLOSS_DATA must name a folder with the corpora")
    learning.FISHER_DEV = 1000
    place = Place(given.folder, given.threads)
    for name in given.parts:
        PARTS[name](place)


if __name__ == "__main__":
    main()
