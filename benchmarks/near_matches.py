"""Near matches: do they gain on sentences that are like training sentences, and cost nothing on others?

    python benchmarks/near_matches.py ENGINE [--set test]

ENGINE is a folder of `isogloss train --set all_pairs=false` that set the set aside by itself, so that none of
its sources is in the training text. The peers are the same engine without near matches, and a translation
memory: the translation of the most similar training sentence. The time is that of the processor, for a
sentence, on one thread.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from isogloss.decoder import load
from isogloss.io.streams import read_lines
from isogloss.metric import Bleu, References
from isogloss.metric.significance import paired_bootstrap
from isogloss.pipeline.similarity import memory_translations, nearest_sources

PARTS = {"all": (0.0, 1.0), "0.7 and more": (0.7, 1.0), "below 0.7": (0.0, 0.7), "below 0.5": (0.0, 0.5)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("engine", type=Path)
    parser.add_argument("--set", default="test", choices=["dev", "test"])
    arguments = parser.parse_args()
    work = arguments.engine / "work"
    if (work / "system").exists():
        raise SystemExit(f"{arguments.engine} knows the sets: train it with --set all_pairs=false")
    sources, references = (
        list(read_lines(work / "held-out" / f"{arguments.set}.{side}")) for side in ("source", "target")
    )
    translations, milliseconds = {}, {}
    for name, near in (("search", False), ("near", True)):
        system = load(arguments.engine, near_matches=near)
        started = time.process_time()
        translations[name] = list(system.translate(sources))
        milliseconds[name] = 1000 * (time.process_time() - started) / len(sources)
    assert system.text is not None
    nearest = nearest_sources(
        list(read_lines(work / "tokens/source")), [system.text.tokenize(line) for line in sources]
    )
    known = [list(read_lines(work / f"held-out/train.{side}")) for side in ("source", "target")]
    memory = memory_translations(nearest, (known[0], known[1]), sources, system.text.placeholders)
    similarities = nearest.similarity
    metric = Bleu(tokenize="13a")
    rows = {
        name: metric.statistics([str(line) for line in lines], References([references]))
        for name, lines in {"memory": memory, **translations}.items()
    }
    used = sum(one.match == "near" for one in translations["near"])
    changed = sum(map(str.__ne__, translations["search"], translations["near"]))
    print(
        f"{used:,} of {len(sources):,} translations are near matches, {changed:,} differ from the search's; "
        f"{milliseconds['search']:.1f} ms without, {milliseconds['near']:.1f} ms with them"
    )
    print(f"{'similarity':14} {'sentences':>9} {'memory':>7} {'search':>7} {'near':>7} {'BLEU':>6} {'p':>6}")
    for name, (low, high) in PARTS.items():
        part = (similarities >= low) & ((similarities < high) | (high == 1))
        if not part.any():
            continue
        scores = [metric.score(one[part].sum(axis=0)) for one in rows.values()]
        compared = paired_bootstrap(metric, [rows["search"][part]], [rows["near"][part]])
        print(
            f"{name:14} {np.count_nonzero(part):9,} {scores[0]:7.2f} {scores[1]:7.2f} {scores[2]:7.2f} "
            f"{compared.difference:+6.2f} {compared.p_value:6.3f}"
        )


if __name__ == "__main__":
    main()
