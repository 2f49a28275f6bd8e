"""The examples run as they are, and do what they say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name: str, folder: Path, *arguments: str) -> str:
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=3000)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_there_is_no_example_without_a_test() -> None:
    tested = {"train_from_python.py", "rerank_neural_list.py", "feature_in_20_lines.py"}
    assert {path.name for path in EXAMPLES.glob("*.py")} == tested


def test_train_from_python(tmp_path: Path) -> None:
    printed = run("train_from_python.py", tmp_path, "engine")
    assert printed.startswith("BLEU ")
    assert "\nrules, in the order of the translation\n" in printed
    assert (tmp_path / "engine" / "report.html").exists()


def test_rerank_neural_list(tmp_path: Path) -> None:
    assert len(run("rerank_neural_list.py", tmp_path).splitlines()) == 30


def test_feature_in_20_lines(tmp_path: Path) -> None:
    lines = run("feature_in_20_lines.py", tmp_path).splitlines()
    assert lines[1:] == ["er zahlte 40 Dollar", "Zimmer 12 ist frei", "Bus 7 fährt um 9"]
