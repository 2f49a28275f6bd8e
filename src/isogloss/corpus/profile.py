"""Profiles of the two languages of a corpus, learned from the corpus itself.

A suspicious line is found by how it differs from the others, so no built-in language model is needed.
Character trigrams tell the two sides apart and measure how typical a line is of its side; Unicode gives the
script of a letter.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import median

import numpy as np
import numpy.typing as npt

__all__ = ["UNSPACED", "Profile", "script_of", "scripts_in"]

Array = npt.NDArray[np.float64]

UNSPACED = frozenset({"CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR"})
"""Scripts without spaces between words."""
_TABLE_BITS = 18
_BATCH = 4096
_SURE = 5
"""Occurrences that a trigram needs to be evidence for a language."""
_STRONGEST = 4.0
"""Maximum evidence from a single trigram."""
_LONG = 15
"""Fewest trigrams with which a line is compared with the rest of its side."""
_ENOUGH = 200
"""Fewest lines from which the usual values of a side can be learned."""
_FOREIGN = 0.01
"""A script with a smaller share of a side's letters is foreign to it."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """How typical each of several lines is of its side."""

    evidence: Array
    """Log-likelihood ratio between its own side and the other; negative if it is more like the other."""
    mean_evidence: Array
    """The same per trigram."""
    familiarity: Array
    """Mean log probability of its trigrams, minus the usual value of its side."""
    deviation: Array
    """The same, divided by the usual deviation for its length; 0 for short lines and small corpora."""


class Profile:
    """The usual properties of a corpus.

    >>> profile = Profile(["one two", "three four"], ["eins zwei", "drei vier"])
    >>> sorted(profile.scripts[0])
    ['LATIN']
    """

    def __init__(self, sources: Sequence[str], targets: Sequence[str]) -> None:
        sides = (sources, targets)
        counts = [_count(texts) for texts in sides]
        self._log_ratio = _log_ratio(*counts)
        self._log_probability = [np.log((side + 0.5) / (side.sum() + 1)) for side in counts]
        self._usual = [self._learn_usual(side, texts) for side, texts in enumerate(sides)]
        self.scripts = [_main_scripts(texts) for texts in sides]
        """The main scripts of each side."""
        self.ratio = median(
            [len(target) / len(source) for source, target in zip(*sides, strict=True) if source and target]
            or [1.0]
        )
        """Usual number of target characters per source character."""

    def _learn_usual(self, side: int, texts: Sequence[str]) -> tuple[float, float]:
        means, sizes = self._familiarity(side, texts)
        long = sizes >= _LONG
        if np.count_nonzero(long) < _ENOUGH:
            return 0.0, np.inf
        usual = float(np.median(means[long]))
        # A robust estimate, wider for short lines because their means vary more.
        spread = float(np.median(np.abs(means[long] - usual) * np.sqrt(sizes[long]))) * 1.4826
        return usual, spread or np.inf

    def _familiarity(self, side: int, texts: Sequence[str]) -> tuple[Array, Array]:
        means, sizes = [np.zeros(0)], [np.zeros(0)]
        for start in range(0, len(texts), _BATCH):
            indices, valid, starts = _trigrams(texts[start : start + _BATCH])
            sizes.append(np.add.reduceat(valid.astype(np.float64), starts))
            total = np.add.reduceat(np.where(valid, self._log_probability[side][indices], 0.0), starts)
            means.append(total / np.maximum(sizes[-1], 1.0))
        return np.concatenate(means), np.concatenate(sizes)

    def likeness(self, side: int, texts: Sequence[str]) -> Likeness:
        """Compare lines with a side: 0 for the source, 1 for the target."""
        if not texts:
            return Likeness(*[np.zeros(0)] * 4)
        indices, valid, starts = _trigrams(texts)
        ratio = self._log_ratio if side == 0 else -self._log_ratio
        evidence = np.add.reduceat(np.where(valid, ratio[indices], 0.0), starts)
        means, sizes = self._familiarity(side, texts)
        usual, spread = self._usual[side]
        familiarity = np.where(sizes >= _LONG, means - usual, 0.0)
        return Likeness(
            evidence,
            evidence / np.maximum(sizes, 1.0),
            familiarity,
            familiarity * np.sqrt(sizes) / spread,
        )


def _trigrams(
    texts: Sequence[str],
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.bool_], npt.NDArray[np.intp]]:
    padded = [f" {text.lower()} " for text in texts]
    letters = np.frombuffer("".join(padded).encode("utf-32-le"), dtype="<u4").astype(np.uint32)
    lengths = np.fromiter(map(len, padded), dtype=np.intp, count=len(padded))
    ends = np.cumsum(lengths)
    valid = np.ones(len(letters), dtype=np.bool_)
    valid[ends - 1] = valid[ends - 2] = False  # these trigrams would reach into the next line
    mixed = letters * np.uint32(0x9E3779B1)
    mixed[:-1] ^= letters[1:] * np.uint32(0x85EBCA77)
    mixed[:-2] ^= letters[2:] * np.uint32(0xC2B2AE3D)
    mixed ^= mixed >> np.uint32(15)
    mixed *= np.uint32(0x2C1B3C6D)
    return mixed >> np.uint32(32 - _TABLE_BITS), valid, ends - lengths


def _count(texts: Sequence[str]) -> Array:
    counts = np.zeros(1 << _TABLE_BITS)
    for start in range(0, len(texts), _BATCH):
        indices, valid, _ = _trigrams(texts[start : start + _BATCH])
        counts += np.bincount(indices[valid], minlength=len(counts))
    return counts


def _log_ratio(one: Array, other: Array) -> Array:
    ratio = np.log((one + 0.5) / (one.sum() + 1)) - np.log((other + 0.5) / (other.sum() + 1))
    return np.where(one + other >= _SURE, np.clip(ratio, -_STRONGEST, _STRONGEST), 0.0)


@cache
def script_of(character: str) -> str:
    """Return the script of a letter, such as ``LATIN``; empty for other characters.

    Python has no table of scripts, but the names of characters begin with the script.
    """
    if not character.isalpha():
        return ""
    name = unicodedata.name(character, "").split("-")[0].split(" ")[0]
    return "LATIN" if name in ("FULLWIDTH", "MODIFIER", "FEMININE", "MASCULINE", "MICRO") else name


def scripts_in(text: str) -> Counter[str]:
    """Count the letters of a text by script."""
    counts: Counter[str] = Counter()
    for character, count in Counter(text).items():
        counts[script_of(character)] += count
    del counts[""]
    return counts


def _main_scripts(texts: Sequence[str]) -> set[str]:
    counts = Counter[str]()
    for start in range(0, len(texts), _BATCH):
        counts += scripts_in("".join(texts[start : start + _BATCH]))
    return {script for script, count in counts.items() if count >= _FOREIGN * counts.total()}
