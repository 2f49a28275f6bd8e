"""The first sentences of the development set of the small systems."""

from __future__ import annotations

import itertools
from pathlib import Path

from isogloss.io.streams import read_lines
from isogloss.metric import References

__all__ = ["dev_sentences"]


def dev_sentences(systems: Path, count: int = 12) -> tuple[list[str], References]:
    """Sources and references."""
    sources = list(itertools.islice(read_lines(systems / "corpus/dev.src"), count))
    lines = list(itertools.islice(read_lines(systems / "corpus/dev.tgt.0"), count))
    return sources, References([lines])
