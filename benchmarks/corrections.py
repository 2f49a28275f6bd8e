"""Corrections: does the same source come back as corrected, do others that share a phrase gain, do the rest
lose?

    python benchmarks/corrections.py FOLDER [--corpus synthetic|multi30k|catalogs|table] [--language de]

Trains an engine on some pairs of a corpus, as `isogloss train` does without options, and translates others.
Some of those that it gets wrong are corrected to their reference. The peer is the same engine without
corrections. Sentences share a phrase if they have at least so many words in a row in common with a corrected
source; others have at most one. Several draws of corrections are scored together; the paired bootstrap
resamples sentences, each with its translations of all draws. A finished engine in FOLDER is not trained
again.

`catalogs` are those of the demo, downloaded by pip; `table` is the catalog of a language in the table of
benchmarks/catalogs.py; `multi30k` is in the folder ISOGLOSS_DATA. With --choosing, the first half of the test
sentences is used, which settings may be chosen on; without it the second half.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from catalog_files import SOURCES, prepare

import isogloss
from isogloss.corpus.plain import one_line
from isogloss.corpus.synthetic.text import write_corpus
from isogloss.decoder import load
from isogloss.experiments.demo.catalogs import read_wheels
from isogloss.experiments.demo.packages import PACKAGES, cache_folder, fetch
from isogloss.metric import Bleu, References
from isogloss.metric.significance import paired_bootstrap

Pair = tuple[str, str]


def corpus(name: str, folder: Path, count: int, language: str) -> list[Pair]:
    """As many pairs as are trained on and tested, or fewer; each source once."""
    if name == "catalogs":
        wheels = fetch(PACKAGES, cache_folder())
        return shuffled(read_wheels(wheels, language, folder / "catalogs"))[:count]
    if name == "table":
        (listed,) = [one for one in SOURCES if one.language == language]
        split = prepare(listed, folder / "table", folder / "packages", seed=1)
        texts = [sources[-1] for sources in split.sources.values()]
        read = [*split.train, *zip(texts, split.references.values(), strict=True)]
        return shuffled(read)[:count]
    if name == "synthetic":
        if not (folder / "corpus").exists():
            write_corpus(folder / "corpus", pairs=count, seed=1, raw=True)
        files = [folder / "corpus" / f"train.{side}" for side in ("src", "tgt")]
    else:
        files = [Path(os.environ["ISOGLOSS_DATA"]) / name / f"train.{side}" for side in ("de", "en")]
    source, target = (file.read_text("utf-8").splitlines()[:count] for file in files)
    return list(dict(zip(source, target, strict=True)).items())


def shuffled(read: Iterable[Pair]) -> list[Pair]:
    pairs = {one_line(source): one_line(target) for source, target in read if source and target}
    rows = sorted(pairs.items())
    random.Random(1).shuffle(rows)
    return rows


def phrases(tokens: str, size: int) -> set[tuple[str, ...]]:
    words = tokens.split()
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--corpus", default="synthetic", choices=["synthetic", "multi30k", "catalogs", "table"]
    )
    parser.add_argument("--language", default="de", help="of the catalogs")
    parser.add_argument("--pairs", type=int, default=1500)
    parser.add_argument("--tested", type=int, default=1500)
    parser.add_argument("--corrections", type=int, default=100)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0, help="of the first draw")
    parser.add_argument("--choosing", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    rows = corpus(
        arguments.corpus, arguments.folder, arguments.pairs + 2 * arguments.tested, arguments.language
    )
    engine, train, rest = arguments.folder / "engine", rows[: arguments.pairs], rows[arguments.pairs :]
    languages = {
        "synthetic": {},
        "multi30k": {"source_language": "de", "target_language": "en"},
        "catalogs": {"source_language": "en", "target_language": arguments.language},
        "table": {"source_language": "en", "target_language": arguments.language},
    }
    isogloss.train(
        engine,
        source=[source for source, _ in train],
        target=[target for _, target in train],
        threads=arguments.threads,
        **languages[arguments.corpus],
    )
    half = len(rest) // 2
    pairs = dict(rest[:half] if arguments.choosing else rest[half:])
    shutil.rmtree(engine / "corrections", ignore_errors=True)
    system = load(engine, corrections=True, matches=True)
    assert system.text is not None
    before = dict(zip(pairs, map(str, system.translate(pairs, threads=arguments.threads)), strict=True))
    wrong = [one for one in pairs if before[one] != pairs[one]]
    tokens = {one: system.text.tokenize(one) for one in pairs}
    metric = Bleu(tokenize="13a")
    # By group and sentence: the statistics without and with corrections, summed over draws.
    found: dict[str, dict[str, np.ndarray]] = {}
    exact = changed = corrections = 0
    seconds = 0.0
    for draw in range(arguments.draws):
        shutil.rmtree(engine / "corrections", ignore_errors=True)
        corrected = random.Random(arguments.seed + draw).sample(wrong, arguments.corrections)
        started = time.process_time()
        system.correct_all((one, pairs[one]) for one in corrected)
        seconds += time.process_time() - started
        again = load(engine, corrections=True, matches=True)
        after = dict(zip(pairs, map(str, again.translate(pairs, threads=arguments.threads)), strict=True))
        exact += sum(after[one] == pairs[one] for one in corrected)
        corrections += len(corrected)
        shared = {size: set().union(*(phrases(tokens[one], size) for one in corrected)) for size in (2, 3, 4)}
        others = [one for one in pairs if one not in set(corrected)]
        changed += sum(after[one] != before[one] for one in others)
        groups = {
            "share 4 words": [one for one in others if phrases(tokens[one], 4) & shared[4]],
            "share 3 words": [one for one in others if phrases(tokens[one], 3) & shared[3]],
            "others": [one for one in others if not phrases(tokens[one], 2) & shared[2]],
            "all but corrected": others,
        }
        for name, members in groups.items():
            references = References([[pairs[one] for one in members]])
            both = [
                metric.statistics([texts[one] for one in members], references) for texts in (before, after)
            ]
            for one, *rows_of in zip(members, *both, strict=True):
                known = found.setdefault(name, {}).get(one, 0)
                found[name][one] = known + np.stack(rows_of)
    print(
        f"{exact} of {corrections} identical sources return as corrected; "
        f"{1000 * seconds / corrections:.0f} CPU ms each; {changed:,} other translations changed"
    )
    print(f"{'':20} {'sentences':>9} {'before':>7} {'after':>7} {'BLEU':>6} {'p':>6}")
    for name, by_sentence in found.items():
        old, new = np.stack(list(by_sentence.values()), axis=1)
        compared = paired_bootstrap(metric, [old], [new])
        scores = [metric.score(one.sum(axis=0)) for one in (old, new)]
        print(
            f"{name:20} {len(old):9,} {scores[0]:7.2f} {scores[1]:7.2f} {compared.difference:+6.2f} "
            f"{compared.p_value:6.3f}"
        )


if __name__ == "__main__":
    main()
