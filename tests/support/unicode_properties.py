"""What Python says of characters, to compare with what the engine says."""

from __future__ import annotations

import unicodedata
from functools import cache

import numpy as np

from isogloss import _engine

SAME_UNICODE = unicodedata.unidata_version == _engine.unicode_version()


@cache
def _of_engine() -> bytes:
    return _engine.character_properties().astype(np.uint8).tobytes()


def python_properties(c: str) -> int:
    """As ``engine/text/unicode.hpp`` numbers them, without the two that only the capital sigma shows."""
    found = (
        c.isalnum() or c == "_",
        c.isdecimal(),
        c.isspace(),
        unicodedata.category(c)[0] == "M",
        c.islower(),
        c.title() != c or c.lower() != c,
    )
    return sum(bit << place for place, bit in enumerate(found))


def agrees(c: str) -> bool:
    """Whether this Python and the one that built the engine know the character alike."""
    return _of_engine()[ord(c)] & 63 == python_properties(c)
