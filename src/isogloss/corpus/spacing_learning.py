"""Learn the white space between tokens from lines of text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from isogloss.corpus.spacing_templates import GENERAL, KNOWN_BY_SOURCE, OF_SOURCE, TEMPLATES, engine_model
from isogloss.corpus.spacing_tokens import Beside, TokenTypes, encode, token_text
from isogloss.corpus.words import word_tokens
from isogloss.io.lbfgs import minimize

__all__ = ["SpacedLine", "SpacingWeights", "learn_weights", "observed_spaces"]

Float64 = npt.NDArray[np.float64]

_KINDS = 8
"""Maximum number of kinds of white space; rarer ones are treated as plain spaces."""
_ITERATIONS = 50
_TOLERANCE = 1e-3
_DECAY = 0.5
"""Strength of the prior that pulls weights toward zero."""
_SOURCE = 12.0
"""Value of features of the source; those of the words have 1. Larger values learn larger weights."""
_GENERAL = 2.0
"""Value of features that hold for many words. Those of single words would take most of their weight."""
_SMALLEST = 0.05
"""Smallest weight that is kept."""
_SLIPS = 1e-4
"""Share of word pairs without a plain space between them up to which they are treated as typos."""
_COUNTED = 3
"""How many times each of the following lines counts."""
_MIX = np.uint64(0x9E3779B97F4A7C15)  # odd, to spread what is hashed
_SIGNS = {"§": "%s", "ß": "<b>", "þ": "</b>", "ð": "&lt;", "Ð": "&gt;"}
_SIGNS |= {"ƀ": "{start}", "ƥ": "{end}", "ø": "/a/b", "Ø": "http://a.b"}
_SIGN = re.compile(f"([{''.join(_SIGNS)}])")
_USUAL = """
a → b ¦ § → § ¦ a ← b ¦ a * b ¦ a &amp; b ¦ a &rarr; b ¦ § > § ¦ a > b > c ¦ a + b + c ¦ (a)b ¦ § § § a
A, B, C, d ¦ A, B ¦ A, b c, d ¦ A: B ¦ a? 5 b ¦ a! 5 b ¦ A. B. C ¦ a, b, c ¦ A; B ¦ A (B) ¦ A/B ¦ A - B ¦ A: 5
a b, c; d: e. F g? H i! J k… ¦ A b. ¦ A b? ¦ A b! ¦ A b: ¦ A b... ¦ A b… ¦ a b... c ¦ a... b ¦ a (b) c
a (b c). ¦ (a b) ¦ a [b] c ¦ a (§) ¦ a (5) ¦ a {b} c ¦ a (b), c ¦ (a (b)) ¦ a. (b) ¦ a (b) § c
a (§) § b ¦ a § (b) ¦ § (§) ¦ a: (b) ¦ (a) (b) ¦ [a] [b] ¦ 5 (6) ¦ a "b" c ¦ "a b" c ¦ a "b c".
a "b", c ¦ a "§" b ¦ "§" a ¦ a ("b") ¦ a: "b" ¦ § "§" a ¦ "§": a ¦ a 'b' c ¦ 'a b' c ¦ a 'b c'.
a 'b', c ¦ a '§' b ¦ '§' a ¦ a ('b') ¦ § '§' ¦ a `b` c ¦ a `§` b ¦ a “b” c ¦ “a b” c ¦ a “b c”.
a “b”, c ¦ a “§” b ¦ “§” a ¦ a ‘b’ c ¦ ‘a b’ c ¦ a ‘§’ b ¦ a *b* c ¦ a/b c/d ¦ §/§ ¦ a - b ¦ a – b
a — b ¦ § — § ¦ a – § ¦ a - § ¦ “§” — § ¦ (a) - b ¦ 5 - 6 ¦ a = b ¦ a + b ¦ a > b ¦ a < b ¦ a & b ¦ a | b
a. 5 b ¦ a: 5 ¦ a, 5 b ¦ 5. A ¦ 5) A ¦ § a § b ¦ a: § ¦ a §. ¦ a §, b §; §: § ¦ a. § b ¦ a b. § c
§ a. § b ¦ a? § b ¦ a, § b ¦ a: § b ¦ ßaþ ¦ a ßbþ c ¦ a ßbþ. ¦ a ßbþ, c ¦ ßaþ: b ¦ ß§þ a ¦ ß(a)þ ¦ ß"a"þ
(ßaþ) ¦ ßa b.þ ¦ ßA.þ ßB.þ ¦ 5 a ¦ a 5 ¦ $5 ¦ #5 ¦ a #5 ¦ @a ¦ ~5 ¦ http:// ¦ a://b ¦ “http://” ¦ a .b
§.b ¦ §_b ¦ ßa:þ b ¦ ßa!þ b ¦ ßa?þ b ¦ ßa,þ b ¦ +§ a ¦ +5 a ¦ ¡a! ¦ ¿a? ¦ a, ¿b? ¦ a @b ¦ a ðbÐ c ¦ ðaÐ ¦ ð§Ð
a ƀbƥ c ¦ ƀaƥ ¦ a ƀbƥ. ¦ a ƀ§ƥ, b ¦ a (ƀbƥ) ¦ ƀa b.ƥ c ¦ a -> b ¦ A -> B -> C
a ø b ¦ a ø. ¦ a (ø) ¦ a: ø ¦ a ø, b ¦ a "ø" ¦ ø a ¦ a = ø ¦ a Ø b ¦ a Ø. ¦ a (Ø) ¦ a: Ø ¦ a Ø, b ¦ "Ø" a
字字，字。字（字）字：字 ¦ 「字」字、字！字？ ¦ 字a字 5字 ¦ 字§字 ¦ 字。字
"""
"""Spacing of nearly all text; it decides where the training text is too small to tell."""


def observed_spaces(text: str, tokens: Sequence[str]) -> list[str] | None:
    """Return the white space before each token but the first; None if the tokens do not make up the text.

    >>> observed_spaces("Is it (not)?", ["Is", "it", "(", "not", ")", "?"])
    [' ', ' ', '', '', '']
    """
    spaces: list[str] = []
    at = 0
    for token in map(token_text, tokens):
        begin = at
        while text[at : at + 1].isspace():
            at += 1
        if not text.startswith(token, at):
            return None
        spaces.append(_plain(text[begin:at]))
        at += len(token)
    return spaces[1:] if not text[at:].strip() else None


def _plain(space: str) -> str:
    """Reduce a run of white space, which is a typo, to its special character if it has one."""
    return space if len(space) < 2 else next((c for c in space if c != " "), " ")


@dataclass(frozen=True, slots=True)
class SpacedLine:
    """A line to learn from: tokens, the white space between them, and what is beside them in the source."""

    tokens: Sequence[str]
    spaces: Sequence[str]
    beside: Sequence[Beside | None] = ()


@dataclass(frozen=True, slots=True)
class SpacingWeights:
    """What was learned: the weights of features for each kind of white space, by ascending keys."""

    kinds: tuple[str, ...]
    words_apart: bool
    """Whether words of scripts with spaces are always separated by a plain space."""
    keys: npt.NDArray[np.uint64]
    weights: npt.NDArray[np.float32]


def learn_weights(lines: Iterable[SpacedLine]) -> SpacingWeights:
    """Learn the weights of features from lines of text."""
    known: list[SpacedLine] = []
    for line in lines:
        known.append(SpacedLine(line.tokens, line.spaces))
        if any(line.beside):  # learn with and without the source, which may be missing later
            known.append(line)
    known += _usual_lines() * _COUNTED
    kinds = _kinds(known)
    numbers = {kind: number for number, kind in enumerate(kinds)}
    encoded = encode([line.tokens for line in known], [line.beside for line in known], TokenTypes())
    decisions = np.array([number for line in known for number in _numbers(line, numbers)], np.uint8)
    apart = _is_apart(encoded.flags[encoded.tokens], encoded.offsets)
    words_apart = bool(np.count_nonzero(decisions[apart]) <= _SLIPS * np.count_nonzero(apart))
    # What is known from the source would have little weight beside features that know the words of the
    # training text by heart. So it is also learned without them.
    passes = [frozenset(TEMPLATES), *([KNOWN_BY_SOURCE] if len(encoded.touches) else [])]

    def found(names: Set[str]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        some = {name: fields for name, fields in TEMPLATES.items() if name in names}
        return engine_model(some, kinds, words_apart).features(*encoded.arguments(), decisions)

    groups = []
    for group, value in ((GENERAL, _GENERAL), (OF_SOURCE, _SOURCE), (passes[0] - GENERAL - OF_SOURCE, 1.0)):
        parts = [found(group & names) for names in passes]
        features = np.concatenate([part[0] for part in parts])
        counts = np.concatenate([np.diff(part[1]) for part in parts])
        groups.append(_Features(features, np.concatenate([[0], np.cumsum(counts)]), value))
        labels = decisions[np.concatenate([part[2] for part in parts])]
    keys, weights = _fit(groups, labels, len(kinds))
    return SpacingWeights(tuple(kinds), words_apart, keys, weights)


def _numbers(line: SpacedLine, numbers: dict[str, int]) -> list[int]:
    """Return the number of the kind of white space after each token, 0 after the last."""
    return [*(numbers.get(space, 0) for space in line.spaces), 0] if line.tokens else []


@cache
def _usual_lines() -> list[SpacedLine]:
    lines = []
    for text in map(str.strip, re.split("\n|¦", _USUAL)):
        cut = [c for c in text if c != " "] if "字" in text else word_tokens(_SIGN.sub(r" \1 ", text))
        tokens = [_SIGNS.get(token, token) for token in cut]
        spaces = observed_spaces("".join(_SIGNS.get(c, c) for c in text), tokens)
        assert spaces is not None, text
        lines.append(SpacedLine(tokens, spaces))
    return lines


def _is_apart(flags: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Whether the gap after each token is between two words of scripts with spaces."""
    apart = np.zeros(len(flags), np.bool_)
    apart[:-1] = (flags[:-1] & 5 == 1) & (flags[1:] & 10 == 2)
    apart[offsets[1:][offsets[1:] > 0] - 1] = False  # there is no gap after the last token of a line
    return apart


def _kinds(lines: Iterable[SpacedLine]) -> list[str]:
    counts = Counter(space for line in lines for space in line.spaces)
    rest = sorted((kind for kind in counts if kind not in ("", " ")), key=lambda kind: (-counts[kind], kind))
    return [" ", "", *(kind for kind in rest if counts[kind] > 1)][:_KINDS]


class _Features(NamedTuple):
    """The features of gaps, where those of each gap start, and their value."""

    features: npt.NDArray[np.uint64]
    starts: npt.NDArray[np.int64]
    value: float


def _distinct(
    groups: Sequence[_Features], labels: npt.NDArray[np.uint8]
) -> tuple[list[_Features], npt.NDArray[np.uint8], Float64]:
    """The different gaps of a text, and how often each occurs: most gaps are like many others."""
    same = labels.astype(np.uint64)
    for group in groups:
        mixed = (group.features ^ (group.features >> np.uint64(31))) * _MIX
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)])
        same = (same ^ (same >> np.uint64(29))) * _MIX + np.diff(sums[group.starts])
    _, chosen, counts = np.unique(same, return_index=True, return_counts=True)
    order = np.argsort(chosen)
    chosen, counts = chosen[order], counts[order]
    found = []
    for group in groups:
        sizes = np.diff(group.starts)
        kept = np.zeros(len(sizes), np.bool_)
        kept[chosen] = True
        starts = np.concatenate([[0], np.cumsum(sizes[chosen])])
        found.append(_Features(group.features[np.repeat(kept, sizes)], starts, group.value))
    return found, labels[chosen], counts.astype(np.float64)


def _fit(
    groups: Sequence[_Features], labels: npt.NDArray[np.uint8], kinds: int
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32]]:
    """Fit the weights of a maximum-entropy model."""
    from scipy import sparse  # only training needs it

    groups, labels, times = _distinct(groups, labels)
    columns, known, values = [], [], []
    for group in groups:
        keys, places = np.unique(group.features, return_inverse=True)
        seen = np.bincount(places, weights=np.repeat(times, np.diff(group.starts)), minlength=len(keys))
        shape = len(labels), len(keys)
        found = sparse.csr_matrix((np.full(len(places), group.value), places, group.starts), shape=shape)
        columns.append(found[:, seen > 1])
        known.append(keys[seen > 1])
        values.append(np.full(len(known[-1]), group.value))
    matrix = sparse.hstack(columns, format="csr")
    keys, scale = np.concatenate(known), np.concatenate(values)
    wanted = np.zeros((len(labels), kinds))
    rows = np.arange(len(labels))
    wanted[rows, labels] = 1
    transposed = matrix.T.tocsr()

    def loss(point: Float64) -> tuple[float, Float64]:
        weights = point.reshape(-1, kinds)
        scores = matrix @ weights
        scores -= scores.max(axis=1, keepdims=True)
        likely = np.exp(scores)
        sums = likely.sum(axis=1, keepdims=True)
        total = times @ (np.log(sums[:, 0]) - scores[rows, labels]) + _DECAY / 2 * (weights**2).sum()
        likely /= sums
        away = (likely - wanted) * times[:, None]
        return float(total), (transposed @ away + _DECAY * weights).ravel()

    weights = np.zeros((len(keys), kinds))
    for point, _ in minimize(loss, weights.ravel(), iterations=_ITERATIONS, tolerance=_TOLERANCE):
        weights = point.reshape(-1, kinds)
    weights *= scale[:, None]
    kept = np.flatnonzero(np.abs(weights).max(axis=1) >= _SMALLEST)
    kept = kept[np.argsort(keys[kept])]
    return keys[kept], weights[kept].astype(np.float32)
