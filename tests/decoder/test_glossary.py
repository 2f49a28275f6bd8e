"""The glossary of the search names things that the engine has."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_names_of_the_glossary_are_in_the_engine() -> None:
    page = (ROOT / "docs" / "explanation" / "search.md").read_text()
    rows = [line.split("|") for line in page.splitlines() if line.startswith("| ")]
    names = {
        part
        for row in rows
        for name in re.findall(r"`(\w+(?:::\w+)?)(?:\(\))?`", row[3])
        for part in name.split("::")
    }
    assert len(names) > 40
    engine = "".join(path.read_text() for path in (ROOT / "engine").glob("*/*.?pp"))
    words = set(re.findall(r"\w+", engine))
    assert names <= words, names - words
