"""Lines of real text in many languages."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_ENDINGS = ("ar", "bn", "de", "en", "es", "fr", "ja", "ur", "zh")


@cache
def sampled_lines(corpora: Path, count: int) -> list[str]:
    """Up to ``count`` lines, evenly from all plain text in a folder of corpora."""
    files = sorted(
        path
        for path in corpora.rglob("*")
        if path.suffix[1:] in _ENDINGS and not {"plf", "nbest"} & {*path.name.split(".")}
    )
    assert files
    lines: list[str] = []
    for path in files:
        text = path.read_text(encoding="utf-8", errors="replace").split("\n")
        lines += text[:: max(1, len(text) * len(files) // count)]
    return lines
