"""Draws the picture of the search in this folder: ``python docs/draw.py SYSTEM``.

The system is one that ``isogloss demo --synthetic`` leaves behind.
"""

from __future__ import annotations

import sys
from pathlib import Path

import isogloss
from isogloss.report import derivation_plot

SENTENCE = "The goats of the hungry miller saw that the king is old."


def main(folder: str) -> None:
    system = isogloss.load(folder)
    assert system.text is not None
    tokens = system.text.tokenize(SENTENCE)
    _, (steps,) = system.explained([tokens])
    picture = Path(__file__).parent / "pictures" / "search.svg"
    picture.write_text(derivation_plot(tokens.split(" "), steps) + "\n", encoding="utf-8")
    print(picture)


if __name__ == "__main__":
    main(sys.argv[1])
