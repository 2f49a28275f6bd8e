"""Whether the default tokenizer ``words`` loses to ``moses``: BLEU on sentences held out from training.

    ISOGLOSS_DATA=FOLDER python benchmarks/tokenizer_choice.py WORK [--seeds 1 2 3] [--corpora tatoeba-ar]

For each corpus and seed, both engines are trained and tested on the same held-out sentences, which the seed
draws. First it counts the training lines that the two tokenizers split differently. WORK keeps the engines,
and a repeated run trains only what is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
from pathlib import Path

from measure import ISOGLOSS, run

from isogloss.corpus.tokenizer import tokenize_lines, tokenizer

CORPORA = {
    "multi30k-de": ("multi30k/train.de", "multi30k/train.en", "de", "en"),
    "multi30k-fr": ("multi30k/train.fr", "multi30k/train.en", "fr", "en"),
    "tatoeba-ar": ("tatoeba-ar/train.ar", "tatoeba-ar/train.en", "ar", "en"),
}
TOKENIZERS = ("words", "moses")


def different(path: Path, language: str) -> str:
    lines = path.read_text(encoding="utf-8").splitlines()
    first, second = (tokenize_lines(tokenizer(name, language), lines) for name in TOKENIZERS)
    return f"{sum(a != b for a, b in zip(first, second, strict=True)):,} of {len(lines):,}"


def score(corpus: str, seed: int, name: str, data: Path, work: Path) -> float:
    source, target, *_ = CORPORA[corpus]
    engine = work / f"{corpus}-{seed}-{name}"
    files = ["--source", str(data / source), "--target", str(data / target)]
    settings = ["--search", "phrase", "--method", "batch-mira", "--seed", str(seed), "--tokenizer", name]
    cost = run([*ISOGLOSS, "--quiet", "train", str(engine), *files, *settings, "--json"])
    if cost.code != 0:
        raise SystemExit(f"{engine}: training failed")
    results = json.loads((engine / "results.json").read_text())
    return float(results["test"]["scores"]["BLEU"]["score"])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=[*CORPORA])
    options = parser.parse_args()
    data = Path(os.environ["ISOGLOSS_DATA"])
    for corpus in options.corpora:
        source, target, *languages = CORPORA[corpus]
        counts = [
            different(data / path, code) for path, code in zip((source, target), languages, strict=True)
        ]
        print(f"{corpus}: lines split differently: {counts[0]} source, {counts[1]} target", flush=True)
        differences = []
        for seed in options.seeds:
            words, moses = (score(corpus, seed, name, data, options.work) for name in TOKENIZERS)
            differences.append(words - moses)
            print(f"  seed {seed}: words {words:.2f}, moses {moses:.2f}, {words - moses:+.2f}", flush=True)
        print(f"  mean difference {statistics.mean(differences):+.2f}", flush=True)


if __name__ == "__main__":
    main()
