"""The scripts that use every public name pass a strict type checker, and no expression in them is ``Any``."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import isogloss

FOLDER = Path(__file__).parent
SCRIPTS = [FOLDER / "list_face.py", FOLDER / "system_face.py"]
ROOT = FOLDER.parents[1]


def test_mypy_accepts_the_scripts_without_any() -> None:
    pytest.importorskip("mypy")
    for script in SCRIPTS:
        assert not re.search(r"\bAny\b|type: ignore", script.read_text("utf-8"))
    environment = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "mypy", "--strict", "--disallow-any-expr", *map(str, SCRIPTS)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=600)
    wrong = [line for line in done.stdout.splitlines() if line.startswith("tests/typed/")]
    assert wrong == []
    assert "list_face.py" not in done.stderr, "mypy itself failed"


def test_every_public_name_is_used() -> None:
    used = {
        name for script in SCRIPTS for name in re.findall(r"\bisogloss\.(\w+)", script.read_text("utf-8"))
    }
    assert used == set(isogloss.__all__) - {"__version__"}
