"""Packages whose names are imported when somebody asks for them."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import isogloss
from isogloss.io.lazy import lazy_names

FOLDER = Path(isogloss.__file__).parent
LAZY = sorted(
    path.parent.name
    for path in FOLDER.glob("*/__init__.py")
    if "lazy_names(" in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("package", LAZY)
def test_every_name_is_there_and_is_where_type_checkers_look(package: str) -> None:
    module = importlib.import_module(f"isogloss.{package}")
    tree = ast.parse((FOLDER / package / "__init__.py").read_text(encoding="utf-8"))
    checked = {
        alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"isogloss.{package}.")
        for alias in node.names
    }
    assert sorted(checked) == sorted(module.__all__)
    for name, place in checked.items():
        assert getattr(module, name) is getattr(importlib.import_module(str(place)), name)
        assert name in dir(module)
    modules = {path.stem for path in (FOLDER / package).iterdir()}
    assert not modules & checked.keys(), "importing the module would hide the name"


def test_a_name_that_is_not_there() -> None:
    get, _ = lazy_names("isogloss.io", {"errors": ("ConfigError",)})
    with pytest.raises(AttributeError, match=r"module 'isogloss\.io' has no attribute 'Strange'"):
        get("Strange")
