"""The walls between packages that import-linter cannot see."""

from __future__ import annotations

import ast
from pathlib import Path

import isogloss

PACKAGE = Path(isogloss.__file__).parent
OURS = {"_engine"}
SHARED = {"register", "tune_nbest"}
"""One idea on two floors: metrics and lists as learners and as users have them; learners and features by
name."""


def test_no_room_below_the_command_line_uses_the_public_face() -> None:
    for path in PACKAGE.rglob("*.py"):
        if path.parent == PACKAGE or path.is_relative_to(PACKAGE / "cli"):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "isogloss":
                assert {name.name for name in node.names} <= OURS, path
            if isinstance(node, ast.Import):
                assert "isogloss" not in {name.name for name in node.names}, path


def test_no_public_name_is_defined_in_two_rooms() -> None:
    places: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        room = path.relative_to(PACKAGE).parts[0]
        if room in ("__init__.py", "_calls.py", "cli"):  # the public face repeats names on purpose
            continue
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
                places.setdefault(node.name, set()).add(room)
    twice = {name: sorted(rooms) for name, rooms in places.items() if len(rooms) > 1}
    assert {name: rooms for name, rooms in twice.items() if name not in SHARED} == {}


def test_one_module_imports_ray() -> None:
    importing = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [name.name for name in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name.partition(".")[0] == "ray" for name in names):
                importing.add(path.relative_to(PACKAGE).as_posix())
    assert importing == {"pipeline/executors/ray_cluster.py"}
