"""The walls between packages that import-linter cannot see."""

from __future__ import annotations

import ast
from pathlib import Path

import isogloss

PACKAGE = Path(isogloss.__file__).parent
OURS = {"_engine"}


def test_no_room_below_the_command_line_uses_the_public_face() -> None:
    for path in PACKAGE.rglob("*.py"):
        if path.parent == PACKAGE or path.is_relative_to(PACKAGE / "cli"):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "isogloss":
                assert {name.name for name in node.names} <= OURS, path
            if isinstance(node, ast.Import):
                assert "isogloss" not in {name.name for name in node.names}, path
