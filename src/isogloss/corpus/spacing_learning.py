"""Learn the white space between tokens from lines of text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isogloss.corpus.placeholders import Placeholder
from isogloss.corpus.spacing_contexts import APART, Before, Context, Decisions, contexts, features, token_text
from isogloss.corpus.words import word_tokens

__all__ = ["SpacedLine", "Weights", "learn_weights", "observed_spaces"]

Array = npt.NDArray[np.float64]
Weights = dict[str, tuple[float, ...]]
"""For each feature, its weight for each kind of white space."""

_KINDS = 8
"""Maximum number of kinds of white space; rarer ones are treated as plain spaces."""
_ITERATIONS = 40
_STEP = 0.2
_DECAY = 0.3
"""Strength of the prior that pulls weights toward zero."""
_SMALLEST = 0.05
"""Smallest weight that is kept."""
_SLIPS = 1e-4
"""Share of word pairs without a plain space between them up to which they are treated as typos."""
_COUNTED = 3
"""How many times each of the following lines counts."""
_SIGNS = {"§": "%s", "ß": "<b>", "þ": "</b>"}
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
§.b ¦ §_b ¦ 字字，字。字（字）字：字 ¦ 「字」字、字！字？ ¦ 字a字 5字 ¦ 字§字 ¦ 字。字
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


_Seen = Counter[tuple[Context, Before, str]]


@dataclass(frozen=True, slots=True)
class SpacedLine:
    """A line to learn from: tokens, the white space between them, and placeholders with their neighbors."""

    tokens: Sequence[str]
    spaces: Sequence[str]
    touched: Sequence[Placeholder | None] = ()


def learn_weights(lines: Iterable[SpacedLine]) -> tuple[list[str], Weights]:
    """Return the kinds of white space, and the weights of features for each kind."""
    seen: _Seen = Counter()
    for line in lines:
        _count(line.tokens, line.spaces, (), seen)
        if any(line.touched):  # learn with and without the source, which may be missing later
            _count(line.tokens, line.spaces, line.touched, seen)
    for text in re.split("\n|¦", _USUAL):
        text = text.strip()
        cut = [c for c in text if c != " "] if "字" in text else word_tokens(re.sub("([§ßþ])", r" \1 ", text))
        tokens = [_SIGNS.get(token, token) for token in cut]
        spaces = observed_spaces("".join(_SIGNS.get(c, c) for c in text), tokens)
        assert spaces is not None, text
        for _ in range(_COUNTED):
            _count(tokens, spaces, (), seen)
    apart = [key for key in seen if key[0][3] == APART and not key[0][0]]
    always = sum(seen[key] for key in apart if key[2] != " ") <= _SLIPS * sum(seen[key] for key in apart)
    if always:  # words are always separated by spaces: nothing to learn
        for key in apart:
            del seen[key]
    kinds = _kinds(seen)
    weights = _fit(seen, kinds)
    return kinds, weights | ({APART: (1.0, *[0.0] * (len(kinds) - 1))} if always else {})


def _count(
    tokens: Sequence[str], spaces: Sequence[str], touched: Sequence[Placeholder | None], seen: _Seen
) -> None:
    decisions = Decisions()
    for context, space in zip(contexts(tokens, touched), spaces, strict=True):
        seen[context, decisions.about(context), space] += 1
        decisions.add(context, space)


def _kinds(seen: _Seen) -> list[str]:
    counts: Counter[str] = Counter({" ": 0, "": 0})
    for (_, _, space), count in seen.items():
        counts[space] += count
    rest = sorted((kind for kind in counts if kind not in ("", " ")), key=lambda kind: (-counts[kind], kind))
    return [" ", "", *(kind for kind in rest if counts[kind] > 1)][:_KINDS]


def _fit(seen: _Seen, kinds: Sequence[str]) -> Weights:
    """Fit the weights of a maximum-entropy model with AdaGrad on the full batch."""
    from scipy import sparse  # only training needs it

    labels = {kind: number for number, kind in enumerate(kinds)}
    examples: dict[tuple[str, ...], Array] = {}
    names: Counter[str] = Counter()
    for (context, before, space), count in seen.items():
        found = tuple(features(context, before))
        if found not in examples:
            examples[found] = np.zeros(len(kinds))
        examples[found][labels.get(space, 0)] += count
        names.update(dict.fromkeys(found, count))
    columns = {name: number for number, name in enumerate(name for name, n in names.items() if n > 1)}
    rows, starts = [], [0]
    for found in examples:
        rows += [columns[name] for name in found if name in columns]
        starts.append(len(rows))
    counts = np.array(list(examples.values()))
    matrix = sparse.csr_matrix(
        (np.ones(len(rows)), np.array(rows), np.array(starts)), shape=(len(examples), len(columns))
    )
    transposed = matrix.T.tocsr()
    totals = counts.sum(axis=1, keepdims=True)
    weights = np.zeros((len(columns), len(kinds)))
    squares = np.full_like(weights, 1e-6)
    for _ in range(_ITERATIONS):
        scores = matrix @ weights
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
        gradient = transposed @ (scores * totals - counts) + _DECAY * weights
        squares += gradient**2
        weights -= _STEP * gradient / np.sqrt(squares)
    kept = np.abs(weights).max(axis=1) >= _SMALLEST
    return {
        name: tuple(float(f"{weight:.3g}") for weight in weights[number])
        for name, number in columns.items()
        if kept[number]
    }
