"""A system for text, made from the one for tokens."""

from __future__ import annotations

from pathlib import Path

import pytest

from isogloss.corpus.processing import TextProcessing
from isogloss.decoder import System, create_system, load


@pytest.fixture(scope="session")
def text_system(systems: Path, tmp_path_factory: pytest.TempPathFactory) -> System:
    """Translates text with placeholders, though its rules have seen none."""
    path = tmp_path_factory.mktemp("catalog") / "system"
    create_system(
        path,
        rules=systems / "rules",
        lm=systems / "lm",
        options=load(systems / "hierarchical").options,
        text=TextProcessing(placeholders=("printf", "braces", "tags", "entities")),
    )
    return load(path)
