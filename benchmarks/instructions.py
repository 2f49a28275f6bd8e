"""Instructions of a fixed translation job: they show a change of a few percent on a busy machine.

    python benchmarks/instructions.py [--counter callgrind|perf] [--update] [--folder DIR]

The job is the same everywhere: systems made from synthetic text, 100 sentences, one thread, everything that
is remembered between sentences already there. It is run with and without one more pass over the sentences;
the difference is printed per source word, beside the figure that is kept in `instructions.json` for the
same counter and compiler. The exit code is 1 if a search needs over 5% more than that. `--update` keeps the
new figures.

`callgrind` counts under valgrind, which takes minutes; `perf` asks the processor, which takes seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FIGURES = Path(__file__).with_name("instructions.json")
SEARCHES = ("phrase", "hierarchical")
SENTENCES = 100
MOST_MORE = 0.05
COUNTERS = {
    "callgrind": (["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"], r"Collected : (\d+)"),
    "perf": (["perf", "stat", "-x,", "-e", "instructions:u"], r"(?m)^(\d+),"),
}


def make_systems(folder: Path) -> None:
    from isogloss.cli.main import main

    def run(*arguments: object) -> None:
        if main(["--quiet", *map(str, arguments)]) != 0:
            raise SystemExit(f"'isogloss {arguments[0]}' failed")

    corpus = folder / "corpus"
    run("corpus", "synthetic", corpus, "--pairs", 3000, "--seed", 5)
    sides = [corpus / "train.src", corpus / "train.tgt", corpus / "train.align"]
    run("lm", "build", corpus / "train.tgt", "--order", 3, "--binary", folder / "lm")
    for search, grammar in (("phrase", "phrase"), ("hierarchical", "hiero")):
        rules = folder / f"{search}-rules"
        run("extract", *sides, "--grammar", grammar, "--output", rules)
        models = ["--rules", rules, "--lm", folder / "lm"]
        run(
            "system",
            "create",
            folder / search,
            *models,
            "--search",
            "hiero" if search == "hierarchical" else search,
        )


def job(folder: Path, once_more: str) -> None:
    """Translate with every search, and with one of them once more."""
    from isogloss.decoder import load
    from isogloss.io.streams import read_lines

    lines = list(read_lines(folder / "corpus" / "train.src"))[:SENTENCES]
    systems = {search: load(folder / search) for search in SEARCHES}
    for system in systems.values():
        system.nbest(lines, nbest=1)
    if once_more in systems:
        systems[once_more].nbest(lines, nbest=1)


def count(counter: str, folder: Path, once_more: str) -> int:
    command, pattern = COUNTERS[counter]
    work = [sys.executable, __file__, "--folder", str(folder), "--job", once_more]
    variables = {**os.environ, "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([*command, *work], capture_output=True, text=True, env=variables, check=False)
    found = re.search(pattern, done.stderr)
    if done.returncode != 0 or found is None:
        raise SystemExit(f"{command[0]} failed: {done.stderr[-500:]}")
    return int(found.group(1))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--counter", choices=sorted(COUNTERS), default="callgrind")
    parser.add_argument("--update", action="store_true", help="keep the figures")
    parser.add_argument("--folder", type=Path, help="where to keep the systems")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.job is not None:
        job(arguments.folder, arguments.job)
        return 0

    from isogloss import _engine
    from isogloss.io.streams import read_lines

    kept = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    key = f"{arguments.counter}, {_engine.build_info()['compiler']}"
    known: dict[str, int] = kept.setdefault(key, {})
    worse = False
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.folder or Path(scratch)
        if not (folder / SEARCHES[-1]).exists():
            make_systems(folder)
        words = sum(
            len(line.split()) for line in list(read_lines(folder / "corpus" / "train.src"))[:SENTENCES]
        )
        without = count(arguments.counter, folder, "nothing")
        for search in SEARCHES:
            per_word = round((count(arguments.counter, folder, search) - without) / words)
            change = per_word / known[search] - 1 if search in known else 0.0
            worse |= change > MOST_MORE
            print(f"{search:<13} {per_word:>9,} instructions per word", end="")
            print(f" {change:>+7.1%} against {known[search]:,}" if search in known else "")
            if arguments.update:
                known[search] = per_word
    if arguments.update:
        FIGURES.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
    return int(worse and not arguments.update)


if __name__ == "__main__":
    sys.exit(main())
