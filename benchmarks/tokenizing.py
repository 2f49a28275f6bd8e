"""Speed of the engine's tokenizers and truecaser against sacremoses, on one thread each.

    ISOGLOSS_DATA=FOLDER python benchmarks/tokenizing.py [--lines 1000000] [--check]

Reads the text files of the corpora, repeated until there are enough lines, and prints CPU time and ratios.
sacremoses tokenizes a part of the same lines (``--peer-lines``), because it takes minutes for a million. With
``--check``, the tokens of every different line are compared: ``moses`` with sacremoses in three languages,
and ``words`` with the regular expression of its rules.
"""

from __future__ import annotations

import argparse
import os
import sys
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from sacremoses import MosesTokenizer, MosesTruecaser
from unit import cpu, unit

from isogloss.corpus.processing import SideOptions, TextSide
from isogloss.corpus.tokenizer import tokenize_lines, tokenizer

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from support import word_oracle
from support.sampled_text import sampled_lines

TRUECASED = 200_000
"""Lines to learn and apply case on; sacremoses keeps them all in memory."""
CUTS: dict[word_oracle.Cut, str] = {"before": "en", "after": "fr", "never": "de"}


def check(lines: list[str]) -> None:
    for language in ("en", "fr", "de"):
        peer: Any = MosesTokenizer(lang=language)
        made = tokenize_lines(tokenizer("moses", language), lines, threads=os.cpu_count() or 1)
        found = sum(
            tokens != " ".join(peer.tokenize(line, escape=False))
            for line, tokens in zip(lines, made, strict=True)
        )
        print(f"moses {language}: {found} of {len(lines):,} lines differ from sacremoses", flush=True)
    for cut, language in CUTS.items():
        made = tokenize_lines(tokenizer("words", language), lines, threads=os.cpu_count() or 1)
        found = sum(
            tokens != " ".join(word_oracle.word_tokens(line, cut))
            for line, tokens in zip(lines, made, strict=True)
        )
        print(f"words {language}: {found} of {len(lines):,} lines differ from the rules", flush=True)


def race(lines: list[str], peer_lines: int, one: float) -> None:
    peer: Any = MosesTokenizer(lang="en")
    few = lines[:: max(1, len(lines) // peer_lines)]
    theirs = cpu(lambda: [peer.tokenize(line, escape=False) for line in few]) / len(few)
    rows = [("sacremoses", theirs)]
    for name in ("moses", "words"):
        tool = tokenizer(name, "en")
        tokenize_lines(tool, lines[:1000])
        rows.append((name, cpu(lambda tool=tool: tokenize_lines(tool, lines)) / len(lines)))
    print(f"{'':24}{'s per million lines':>22}{'units':>10}{'ratio':>10}")
    for name, seconds in rows:
        print(
            f"{name:24}{seconds * 1e6:22.2f}{seconds * 1e6 / one:10.1f}{theirs / seconds:10.1f}", flush=True
        )


def race_case(lines: list[str], one: float) -> None:
    side = TextSide(SideOptions(tokenizer="words", language="en", case="truecase"))
    split = side.split_lines(lines)
    words = [line.split(" ") for line in split]
    peer: Any = MosesTruecaser()
    learned = side.learn_case(split)
    rows = {
        "learning case": (cpu(lambda: peer.train(words)), cpu(lambda: side.learn_case(split))),
        "truecasing": (
            cpu(lambda: [peer.truecase(line, use_known=True) for line in split]),
            cpu(lambda: learned.cased_lines(split)),
        ),
    }
    for name, (theirs, ours) in rows.items():
        scale = 1e6 / len(split)
        print(f"{name:24}{ours * scale:22.2f}{ours * scale / one:10.1f}{theirs / ours:10.1f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--peer-lines", type=int, default=50_000)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    every = sampled_lines(Path(os.environ["ISOGLOSS_DATA"]), sys.maxsize)
    if options.check:
        check(list(dict.fromkeys(every)))
    lines = list(islice(cycle(every), options.lines))
    length = sum(map(len, lines)) / len(lines)
    print(f"{len(lines):,} lines of {length:.0f} characters, from {len(every):,} lines of the corpora")
    one = unit()
    race(lines, options.peer_lines, one)
    race_case(lines[:TRUECASED], one)


if __name__ == "__main__":
    main()
