"""A small engine as ``isogloss train`` makes it, for tests of what is done with engines."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import isogloss

WORDS = {
    "der": "the", "alte": "old", "junge": "young", "müde": "tired", "könig": "king", "hund": "dog",
    "müller": "miller", "bauer": "farmer", "schläft": "sleeps", "lacht": "laughs", "arbeitet": "works",
    "kommt": "comes", "heute": "today", "hier": "here", "oft": "often",
}  # fmt: skip
_WORDS = list(WORDS)
PAIRS = [
    (" ".join(words).capitalize() + ".", " ".join(WORDS[word] for word in words).capitalize() + ".")
    for words in product(_WORDS[:1], _WORDS[1:4], _WORDS[4:8], _WORDS[8:12], _WORDS[12:])
]
PAIRS += [("Lösche %s?", "Delete %s?"), ("Lösche %d heute?", "Delete %d today?")] * 3


def make_engine(folder: Path, search: str = "phrase") -> Path:
    """Train it on the pairs but the last ones of the product, which it tunes on."""
    held_out, trained_on = PAIRS[132:144], PAIRS[:132] + PAIRS[144:]
    isogloss.train(
        folder,
        source=[source for source, _ in trained_on],
        target=[target for _, target in trained_on],
        dev_source=[source for source, _ in held_out],
        dev_target=[target for _, target in held_out],
        method="none",
        placeholders=("printf",),
        source_language="de",
        target_language="en",
        options={"search": search, "keep": ("duplicate",)},
        threads=1,
    )
    return folder
