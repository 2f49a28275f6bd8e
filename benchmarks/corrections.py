"""Corrections: does the same source come back as corrected, do others that share a phrase gain, do the rest
lose?

    [ISOGLOSS_DATA=...] python benchmarks/corrections.py FOLDER [--corpus synthetic|multi30k] [--pairs N]

Trains an engine on the first pairs of a corpus, as `isogloss train` does without options, and translates
pairs that come after them. Some of those that it gets wrong are corrected to their reference. The peer is the
same engine without corrections. Sentences share a phrase if they have at least so many words in a row in
common with a corrected source; others have at most one. A finished engine in FOLDER is not trained again.
"""

from __future__ import annotations

import argparse
import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import isogloss
from isogloss.corpus.synthetic.text import write_corpus
from isogloss.metric import Bleu, References

TESTED = 1500


def corpus(name: str, folder: Path, pairs: int) -> tuple[list[str], list[str]]:
    """As many pairs as are trained on and tested."""
    count = pairs + TESTED
    if name == "synthetic":
        if not (folder / "corpus").exists():
            write_corpus(folder / "corpus", pairs=count, seed=1, raw=True)
        files = [folder / "corpus" / f"train.{side}" for side in ("src", "tgt")]
    else:
        files = [Path(os.environ["ISOGLOSS_DATA"]) / name / f"train.{side}" for side in ("de", "en")]
    source, target = (file.read_text("utf-8").splitlines()[:count] for file in files)
    return source, target


def phrases(tokens: str, size: int) -> set[tuple[str, ...]]:
    words = tokens.split()
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}


def bleu(translations: Sequence[str], references: Sequence[str]) -> float:
    metric = Bleu()
    return metric.score(metric.statistics(list(translations), References([list(references)])).sum(axis=0))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--corpus", default="synthetic", choices=["synthetic", "multi30k"])
    parser.add_argument("--pairs", type=int, default=1500)
    parser.add_argument("--corrections", type=int, default=100)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    source, target = corpus(arguments.corpus, arguments.folder, arguments.pairs)
    engine = arguments.folder / "engine"
    train = slice(arguments.pairs)
    languages = {} if arguments.corpus == "synthetic" else {"source_language": "de", "target_language": "en"}
    isogloss.train(engine, source=source[train], target=target[train], threads=arguments.threads, **languages)
    shutil.rmtree(engine / "corrections", ignore_errors=True)

    known = set(source[train])
    pairs = dict(zip(source[arguments.pairs :], target[arguments.pairs :], strict=True))
    pairs = {one: other for one, other in pairs.items() if one not in known}
    system = isogloss.load(engine)
    before = dict(zip(pairs, system.translate(pairs, threads=arguments.threads), strict=True))
    wrong = [one for one in pairs if before[one] != pairs[one]]
    corrected = wrong[: arguments.corrections]
    started = time.perf_counter()
    system.correct_all((one, pairs[one]) for one in corrected)
    each = time.perf_counter() - started
    again = isogloss.load(engine)
    after = dict(zip(pairs, again.translate(pairs, threads=arguments.threads), strict=True))

    exact = sum(after[one] == pairs[one] for one in corrected)
    print(f"{exact} of {len(corrected)} identical sources return as corrected; all added in {each:.2f} s")
    assert system.text is not None
    tokens = {one: system.text.tokenize(one) for one in pairs}
    shared = {size: set().union(*(phrases(tokens[one], size) for one in corrected)) for size in (2, 3, 4)}
    rest = [one for one in pairs if one not in set(corrected)]
    groups = {
        "share 4 words": [one for one in rest if phrases(tokens[one], 4) & shared[4]],
        "share 3 words": [one for one in rest if phrases(tokens[one], 3) & shared[3]],
        "others": [one for one in rest if not phrases(tokens[one], 2) & shared[2]],
        "all but corrected": rest,
    }
    print(f"{'':20} {'sentences':>9} {'changed':>8} {'before':>7} {'after':>7} {'BLEU':>6}")
    for name, members in groups.items():
        references = [pairs[one] for one in members]
        old, new = ([found[one] for one in members] for found in (before, after))
        changed = sum(a != b for a, b in zip(old, new, strict=True))
        scores = bleu(old, references), bleu(new, references)
        print(
            f"{name:20} {len(members):9,} {changed:8,} {scores[0]:7.2f} {scores[1]:7.2f} "
            f"{scores[1] - scores[0]:+6.2f}"
        )


if __name__ == "__main__":
    main()
