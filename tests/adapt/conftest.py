from __future__ import annotations

from pathlib import Path

import pytest

from isogloss.adapt import Example
from isogloss.decoder import System, load


@pytest.fixture(scope="session")
def system(systems: Path) -> System:
    """A small phrase-based system."""
    return load(systems / "phrase")


@pytest.fixture(scope="session")
def examples(systems: Path) -> list[Example]:
    """Sentences it was not made from."""
    corpus = systems / "corpus"
    sides = ((corpus / name).read_text().splitlines() for name in ("test.src", "test.tgt.0"))
    return [Example(source=source, references=(target,)) for source, target in zip(*sides, strict=True)]
