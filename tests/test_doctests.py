"""The examples in docstrings do what they show."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import isogloss

PACKAGE = Path(isogloss.__file__).parent
MODULES = [
    ".".join(("isogloss", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
    for path in sorted(PACKAGE.rglob("*.py"))
    if any(">>>" in line and "+SKIP" not in line for line in path.read_text("utf-8").splitlines())
]
EXTRAS = {"defusedxml", "eflomal", "fugashi", "HanTa", "jieba", "polib", "simplemma", "wn"}
"""Packages that need not be installed; what needs one is skipped without it."""


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in EXTRAS:
            raise
        pytest.skip(f"{error.name} is not installed")
    monkeypatch.chdir(tmp_path)  # examples may write files
    failures, examples = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failures == 0
    assert examples > 0
