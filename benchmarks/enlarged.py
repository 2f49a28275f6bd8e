"""A parallel corpus of any size, made from a small real one, for benchmarks of scale.

The sentence pairs are repeated. In every copy, one word in ten is replaced: half of these by another word of
the corpus (frequent words more often), half by a word from an endless heavy-tailed list. So the vocabulary
keeps growing as it does in real text. The result is seeded and written piece by piece.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

REPLACED = 0.10
TAIL = 0.8  # different new words among n grow as n ** TAIL


def data_folder() -> Path:
    folder = os.environ.get("ISOGLOSS_DATA")
    if not folder:
        sys.exit("set ISOGLOSS_DATA to the folder of corpora (multi30k-tok/train.de, train.en, ...)")
    return Path(folder)


def _new_word(number: int) -> str:
    letters = ""
    while number:
        number, letter = divmod(number, 20)
        letters += "bcdfghjklmnpqrstvwxz"[letter]
    return "q" + letters


class _Side:
    def __init__(self, path: Path) -> None:
        lines = path.read_text(encoding="utf-8").splitlines()
        tokens = [line.split() for line in lines]
        self.words = np.array([word for line in tokens for word in line], dtype=object)
        self.ends = np.cumsum([len(line) for line in tokens])

    def copy(self, pairs: int, rng: np.random.Generator) -> str:
        words = self.words[: self.ends[pairs - 1]].copy()
        chance = rng.random(len(words))
        old = np.flatnonzero(chance < REPLACED / 2)
        words[old] = self.words[rng.integers(0, len(self.words), len(old))]
        new = np.flatnonzero((chance >= REPLACED / 2) & (chance < REPLACED))
        numbers = np.minimum((1 - rng.random(len(new))) ** (-1 / (1 / TAIL - 1)), 9e18).astype(np.int64)
        words[new] = [_new_word(number) for number in numbers.tolist()]
        text = words.tolist()
        starts = [0, *self.ends[: pairs - 1].tolist()]
        lines = (text[a:b] for a, b in zip(starts, self.ends.tolist(), strict=False))
        return "".join(" ".join(line) + "\n" for line in lines)


def enlarge(source: Path, target: Path, folder: Path, pairs: int, *, seed: int = 1) -> tuple[Path, Path]:
    """Write ``pairs`` sentence pairs made from the two files into ``folder``; return the two new files.

    A file that is there already is taken as it is: the same arguments give the same text.
    """
    results = []
    for number, path in enumerate((source, target)):
        result = folder / f"enlarged-{pairs}{path.suffix}"
        results.append(result)
        if result.exists():
            continue
        rng = np.random.default_rng([seed, number])
        side = _Side(path)
        partial = result.with_suffix(".part")
        with partial.open("w", encoding="utf-8") as stream:
            for done in range(0, pairs, len(side.ends)):
                stream.write(side.copy(min(len(side.ends), pairs - done), rng))
        partial.rename(result)
    return results[0], results[1]
