"""Features of a spacing model: combinations of what is known about the gap between two tokens.

A field is a token and one of its properties. Tokens are ``o p a b n m`` from left to right, with the gap
between ``a`` and ``b``. Other fields are the ``style`` of the line, the ``touch`` of the tokens in the
source, and decisions made before in the line: the ``last`` one, the last ``after`` the same token or
``before`` the same token, and the last between ``like`` tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.corpus.spacing_tokens import EDGE, PROPERTIES, hashed, space_code

__all__ = [
    "BETWEEN_WORDS",
    "FIELDS",
    "GENERAL",
    "KNOWN_BY_SOURCE",
    "OF_SOURCE",
    "TEMPLATES",
    "TEMPLATES_1",
    "combined",
    "engine_model",
    "feature_key",
]

_TOKENS = "opabnm"
_EXTRA = ("style", "touch", "last", "after", "before", "like")
FIELDS = {
    name: number for number, name in enumerate([*(t + p for t in _TOKENS for p in PROPERTIES), *_EXTRA])
}

TEMPLATES_1 = {
    "0": "",
    "a": "aw",
    "b": "bw",
    "ab": "aw bw",
    "s": "as bs",
    "c": "al bf",
    "ca": "al",
    "cb": "bf",
    "cc": "pl al bf nf",
    "ka": "ak bf",
    "kb": "al bk",
    "sa": "as",
    "sb": "bs",
    "t": "style as bs",
    "ea": "after aw bs",
    "eb": "before as bw",
    "as": "aw bs",
    "xb": "as bw",
    "sab": "ps aw bs",
    "abs": "as bw ns",
    "ssss": "ps as bs ns",
    "sabs": "ps aw bw ns",
    "pa": "pw aw bs",
    "bn": "as bw nw",
    "pab": "pw aw bw",
    "abn": "aw bw nw",
    "d": "last aw bs",
    "ds": "last ps aw bs",
    "db": "last as bw",
}
"""Templates of the first version, which stored the names of features."""
_MORE = {
    "l": "like al bf",
    "lw": "like aw bf",
    "lb": "like al bw",
    "h": "touch",
    "hc": "touch al bf",
    "hs": "touch as bs",
}
_RARE = {
    "x": "aX",
    "xn": "bX",
    "xf": "aX bF",
    "lx": "aL bX",
    "xw": "aX bW",
    "wx": "aW bX",
    "xwx": "pX aW bX",
    "o": "aY",
    "ob": "bY",
    "of": "aY bF",
    "lo": "aL bY",
    "r": "aL bR",
    "ra": "aR bF",
}
"""Templates on placeholders by name, on those that open or close something, and on paths."""
TEMPLATES = {
    name: " ".join(field[0] + field[1].upper() if len(field) == 2 else field for field in fields.split())
    for name, fields in (TEMPLATES_1 | _MORE | _RARE).items()
}
"""Templates of models that are learned now: the same and more, on tokens in their plain form."""
KNOWN_BY_SOURCE = frozenset({"0", "ca", "cb", "c", "s", "h", "hc", "hs"})
"""Templates to learn the spacing of the source with, without the words."""
OF_SOURCE = frozenset(name for name, fields in TEMPLATES.items() if "touch" in fields)
GENERAL = frozenset(
    {"0", "ca", "cb", "c", "s", "sa", "sb", "ka", "kb", "t", "l", "o", "ob", "of", "lo", "r", "ra"}
)
"""Templates that hold for many words; the others know the words of the training text."""
BETWEEN_WORDS = frozenset({"a", "b", "ab", "s", "c", "l"})
"""Templates that are used between two words too, where the others hardly matter."""


def engine_model(
    templates: dict[str, str],
    kinds: Sequence[str],
    words_apart: bool,
    keys: npt.NDArray[np.uint64] | None = None,
    weights: npt.NDArray[np.float32] | None = None,
) -> _engine.SpacingModel:
    """Make the engine's model; without weights, it only finds features."""
    return _engine.SpacingModel(
        properties=len(PROPERTIES),
        history=[PROPERTIES.index("l"), PROPERTIES.index("f")],
        templates=[
            (hashed(name), [FIELDS[field] for field in fields.split()], name in BETWEEN_WORDS)
            for name, fields in templates.items()
        ],
        kinds=[hashed(space_code(kind)) for kind in kinds],
        no_decision=hashed(EDGE),
        words_apart=words_apart,
        keys=np.zeros(0, np.uint64) if keys is None else keys,
        weights=np.zeros((0, len(kinds)), np.float32) if weights is None else weights,
    )


_64_BITS = (1 << 64) - 1


def feature_key(template: str, values: Sequence[str]) -> int:
    """Return the key of a feature with these values of the template's fields."""
    return combined(hashed(template), map(hashed, values))


def combined(key: int, values: Iterable[int]) -> int:
    """Combine a template and values of fields to the key of a feature, as the engine does."""
    for value in values:
        key = (key * 0x9E3779B97F4A7C15 + value + 0x632BE59BD9B4E019) & _64_BITS
        for _ in range(2):
            key ^= key >> 32
            key = (key * 0xD6E8FEB86659FD93) & _64_BITS
        key ^= key >> 32
    return key
