"""Spacing between tokens, learned from text: no space, a space, a no-break space or other white space.

Tokens are joined from left to right. At each position, a linear model looks at the surrounding tokens, their
kinds, whether a quotation mark opens or closes, and the previous decisions. All weights are learned from
lines of text with known tokens; there are no language-specific rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from isogloss.corpus.placeholders import Placeholder
from isogloss.corpus.spacing_contexts import (
    APART,
    Before,
    Context,
    Decisions,
    contexts,
    features,
    space_code,
    token_text,
)
from isogloss.corpus.spacing_learning import SpacedLine, Weights, learn_weights, observed_spaces
from isogloss.io.errors import DataFormatError
from isogloss.io.streams import StrPath

__all__ = ["SpacedLine", "Spacing", "learn_spacing", "observed_spaces", "parse_spacing", "usual_spacing"]

_MOST_KNOWN = 50_000


class Spacing:
    """Joins tokens with the spacing of the text that it was learned from.

    >>> lines = [SpacedLine(["a", "/", "b"], [" ", " "]), SpacedLine(["c", "/", "d"], [" ", " "])] * 20
    >>> learn_spacing(lines).join(["e", "/", "f", "(", "g", ")", "."])
    'e / f (g).'
    """

    def __init__(self, kinds: Sequence[str], weights: Weights) -> None:
        self._kinds, self._weights = tuple(kinds), weights
        self._apart = APART in weights
        self._known: dict[tuple[Context, Before], str] = {}

    def join(self, tokens: Sequence[str], touched: Sequence[Placeholder | None] = ()) -> str:
        """Join tokens to text; ``touched`` has the placeholders of the source, with their neighbors there."""
        if not tokens:
            return ""
        parts = [token_text(tokens[0])]
        decisions = Decisions()
        for token, context in zip(tokens[1:], contexts(tokens, touched), strict=True):
            if self._apart and context[3] == APART and not context[0]:
                decision = " "
            else:
                decision = self._decide(context, decisions.about(context))
            decisions.add(context, decision)
            parts += [decision, token_text(token)]
        return "".join(parts)

    def _decide(self, context: Context, before: Before) -> str:
        """Decide the white space at a position. Decisions are cached, because contexts repeat."""
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        key = context, before
        if key not in self._known:
            self._known[key] = self._weigh(context, before)
        return self._known[key]

    def _weigh(self, context: Context, before: Before) -> str:
        known = [self._weights[name] for name in features(context, before) if name in self._weights]
        if not known:
            return " "
        scores = [sum(column) for column in zip(*known, strict=True)]
        return self._kinds[scores.index(max(scores))]

    def lines(self) -> list[str]:
        """Return the lines to store: the kinds of white space, then one feature with its weights per line."""
        codes = " ".join(map(space_code, self._kinds))
        rows = [
            "\t".join([name, *(f"{weight:.3g}" for weight in row)])
            for name, row in sorted(self._weights.items())
        ]
        return [codes, *rows]


def parse_spacing(lines: Iterable[str], path: StrPath) -> Spacing:
    """Parse the lines of ``Spacing.lines``; ``path`` is for error messages."""
    rows = iter(lines)
    kinds: list[str] = []
    weights: Weights = {}
    number = 1
    try:
        for code in next(rows, "").split(" "):
            kinds.append("" if code == "-" else "".join(chr(int(c, 16)) for c in code.split("+")))
        for line in rows:
            number += 1
            name, *values = line.split("\t")
            if len(values) != len(kinds):
                raise ValueError
            weights[name] = tuple(map(float, values))
    except (ValueError, OverflowError):
        raise DataFormatError("a feature of spacing and its weights expected", path, number) from None
    return Spacing(kinds, weights)


def learn_spacing(lines: Iterable[SpacedLine]) -> Spacing:
    """Learn spacing from lines of text."""
    return Spacing(*learn_weights(lines))


@cache
def usual_spacing() -> Spacing:
    """Return default spacing for punctuation, brackets and paired quotation marks, without any text."""
    return learn_spacing([])
