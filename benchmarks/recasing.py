"""The case of a translation's first letter: the share of held-out pairs in which it is right.

    python benchmarks/recasing.py --catalogs FOLDER [--errors N] [--languages de fr ...] [--draw N]

Case is learned from one part of a catalog. The translations of another part are put into their usual case, as
an engine has them, and back, knowing the source. The first letter that has case is compared with that of the
translation itself; lines that begin with a small letter are also counted alone. The peer is sacremoses'
detruecaser on the same tokens. Catalogs are those of benchmarks/detokenizing.py, without Plone's, whose
sources are names of messages. ``--draw`` is explained there.
"""

from __future__ import annotations

import argparse
from collections import Counter
from itertools import starmap
from pathlib import Path

from detokenizing import FEWEST, LANGUAGES, OTHER_PACKAGES, Pair, catalogs, drawn, held_out, wheels_in
from sacremoses import MosesDetruecaser

from isogloss.corpus.case import case_follows, case_leads, small_in_titles
from isogloss.corpus.languages import language_tag
from isogloss.corpus.placeholders import DEFAULT_KINDS
from isogloss.corpus.processing import SideOptions, TextProcessing, TextSide
from isogloss.corpus.tokenizer import usual_tokenizer

ROWS = ("all", "small")


def first_letter(text: str) -> str:
    return next((c for c in text if c.lower() != c.title()), "")


def prepared(train: list[Pair], language: str) -> TextProcessing:
    text = TextProcessing(placeholders=DEFAULT_KINDS)
    sides = []
    for code, protect in (("en", 0), (language, 1)):
        side = TextSide(SideOptions(tokenizer=usual_tokenizer(code), language=code, case="truecase"))
        lines = [text.protect_target(pair[protect], pair[0]) for pair in train]
        sides.append(side.learn_case(side.split_lines(lines)))
    return TextProcessing(
        sides[0],
        sides[1],
        DEFAULT_KINDS,
        case_follows(train, language),
        case_leads(starmap(text.protect_pair, train)),
        small_in_titles(train),
    )


def measure(train: list[Pair], test: list[Pair], language: str, errors: int) -> tuple[Counter[str], ...]:
    text = prepared(train, language)
    peer = MosesDetruecaser()
    seen, ours, theirs = Counter[str](), Counter[str](), Counter[str]()
    for source, target in test:
        tokens = text.tokenize_target(target, source)
        letter = first_letter(" ".join(text.target.split(text.protect_target(target, source))))
        if not letter:
            continue
        found = text.recased(tokens, source)
        other = peer.detruecase(tokens)
        small = letter == letter.lower()
        for row in ROWS[: 2 if small else 1]:
            seen[row] += 1
            ours[row] += first_letter(" ".join(found)) == letter
            theirs[row] += first_letter(" ".join(other)) == letter
        if first_letter(" ".join(found)) != letter and errors > 0:
            errors -= 1
            print(f"    {source[:40]!r}: {target[:40]!r} became {' '.join(found)[:40]!r}")
    return seen, ours, theirs


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--catalogs", type=Path, required=True)
    parser.add_argument("--errors", type=int, default=0)
    parser.add_argument("--languages", nargs="*", default=LANGUAGES)
    parser.add_argument("--draw", type=int, default=0)
    options = parser.parse_args()
    wheels = wheels_in(options.catalogs, OTHER_PACKAGES) if options.draw else wheels_in(options.catalogs)[:2]
    languages = list(drawn(wheels, options.draw, options.catalogs)) if options.draw else options.languages
    everything = [Counter[str](), Counter[str](), Counter[str]()]
    print(f"{'':8}" + "".join(f"{row:>9} {'ours %':>8} {'peer %':>8}" for row in ROWS))
    for language in [*languages, "all"]:
        totals = [Counter[str](), Counter[str](), Counter[str]()] if language != "all" else everything
        for wheel in wheels if language != "all" else ():
            pairs = catalogs(wheel, language, options.catalogs)
            train = [pair for pair in pairs if not held_out(pair[1])]
            test = [pair for pair in pairs if held_out(pair[1])]
            if len(train) >= FEWEST:
                found = measure(train, test, language_tag(language), options.errors)
                for total, whole, part in zip(totals, everything, found, strict=True):
                    total.update(part)
                    whole.update(part)
        seen, ours, theirs = totals
        cells = [
            f"{seen[row]:9,} " + " ".join(f"{100 * n[row] / max(seen[row], 1):8.2f}" for n in (ours, theirs))
            for row in ROWS
        ]
        print(f"{language:8}" + "".join(cells), flush=True)


if __name__ == "__main__":
    main()
