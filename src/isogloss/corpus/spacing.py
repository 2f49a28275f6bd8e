"""Spacing between tokens, learned from text: no space, a space, a no-break space or other white space.

Tokens are joined from left to right. At each gap, a linear model looks at the surrounding tokens, their
kinds, whether a quotation mark opens or closes, and the previous decisions. All weights are learned from
lines of text with known tokens; there are no language-specific rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.corpus.spacing_learning import SpacedLine, SpacingWeights, learn_weights, observed_spaces
from isogloss.corpus.spacing_templates import TEMPLATES, TEMPLATES_1, engine_model, feature_key
from isogloss.corpus.spacing_tokens import Beside, TokenTypes, encode, space_code, token_text
from isogloss.io.errors import DataFormatError, ModelFormatError
from isogloss.io.streams import StrPath

__all__ = [
    "SpacedLine",
    "Spacing",
    "learn_spacing",
    "observed_spaces",
    "parse_kind",
    "parse_spacing",
    "usual_spacing",
]

Array = npt.NDArray[Any]

_MOST_KNOWN = 200_000
"""Token types to remember the properties of."""


class Spacing:
    """Joins tokens with the spacing of the text that it was learned from.

    >>> lines = [SpacedLine(["a", "/", "b"], [" ", " "]), SpacedLine(["c", "/", "d"], [" ", " "])] * 20
    >>> learn_spacing(lines).join(["e", "/", "f", "(", "g", ")", "."])
    'e / f (g).'
    """

    def __init__(self, learned: SpacingWeights, templates: dict[str, str] = TEMPLATES) -> None:
        self._learned, self._templates = learned, templates
        self._types = TokenTypes()

        self._model = engine_model(
            templates, learned.kinds, learned.words_apart, learned.keys, learned.weights
        )

    @classmethod
    def restored(cls, arrays: Mapping[str, Array], attributes: Mapping[str, Any], path: StrPath) -> Spacing:
        """Restore from ``arrays`` and ``attributes``; ``path`` is for error messages."""
        try:
            kinds = tuple(map(parse_kind, attributes["kinds"]))
            learned = SpacingWeights(kinds, attributes["words_apart"], arrays["keys"], arrays["weights"])
            return cls(learned, attributes["templates"])
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise ModelFormatError(f"not a spacing model ({error})", path) from None

    def arrays(self) -> dict[str, Array]:
        """Return the arrays to store."""
        return {"keys": self._learned.keys, "weights": self._learned.weights}

    def attributes(self) -> dict[str, Any]:
        """Return what else to store, for JSON."""
        return {
            "kinds": list(map(space_code, self._learned.kinds)),
            "words_apart": self._learned.words_apart,
            "templates": self._templates,
        }

    def join(self, tokens: Sequence[str], beside: Sequence[Beside | None] = ()) -> str:
        """Join tokens to text; ``beside`` is what their tokens are beside in the source."""
        return self.join_all([tokens], [beside])[0]

    def join_all(
        self, lines: Sequence[Sequence[str]], beside: Sequence[Sequence[Beside | None]] = ()
    ) -> list[str]:
        """Join the tokens of many lines; faster than line by line."""
        if len(self._types) > _MOST_KNOWN:
            self._types = TokenTypes()
        encoded = encode(lines, beside, self._types)
        decisions = self._model.decide(*encoded.arguments()).tobytes()
        kinds = self._learned.kinds
        texts = []
        begin = 0
        for tokens in lines:
            end = begin + len(tokens)
            spaces = [kinds[kind] for kind in decisions[begin:end]]
            spaces[-1:] = [""][: len(tokens)]
            texts.append("".join(chain.from_iterable(zip(map(token_text, tokens), spaces, strict=True))))
            begin = end
        return texts


def parse_kind(code: str) -> str:
    """Return the white space that ``space_code`` has encoded."""
    return "" if code == "-" else "".join(chr(int(c, 16)) for c in code.split("+"))


def parse_spacing(lines: Iterable[str], path: StrPath) -> Spacing:
    """Parse what the first version stored: kinds of white space, then a feature and its weights per line."""
    rows = iter(lines)
    kinds: list[str] = []
    weights: dict[int, tuple[float, ...]] = {}
    apart = False
    number = 1
    try:
        for code in next(rows, "").split(" "):
            kinds.append(parse_kind(code))
        for line in rows:
            number += 1
            feature, *values = line.split("\t")
            if len(values) != len(kinds):
                raise ValueError
            if feature == "ww":
                apart = True
                continue
            name, *parts = feature.split(" ")
            weights[feature_key(name, parts)] = tuple(map(float, values))
    except (ValueError, OverflowError):
        raise DataFormatError("a feature of spacing and its weights expected", path, number) from None
    keys = np.array(sorted(weights), np.uint64)
    table = np.array([weights[key] for key in sorted(weights)], np.float32).reshape(len(keys), len(kinds))
    return Spacing(SpacingWeights(tuple(kinds), apart, keys, table), TEMPLATES_1)


def learn_spacing(lines: Iterable[SpacedLine]) -> Spacing:
    """Learn spacing from lines of text."""
    return Spacing(learn_weights(lines))


@cache
def usual_spacing() -> Spacing:
    """Return default spacing for punctuation, brackets and paired quotation marks, without any text."""
    return learn_spacing([])
