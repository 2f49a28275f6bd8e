"""The examples run as they are, and do what they say."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name: str, folder: Path, *arguments: str) -> str:
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=3000)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_there_is_no_example_without_a_test() -> None:
    tested = {
        "mbr_with_neural_metric.py",
        "rerank_llm_samples.py",
        "rerank_neural_list.py",
        "reranker_in_10_lines.py",
        "train_from_python.py",
    }
    assert {path.name for path in EXAMPLES.glob("*.py")} == tested


def test_train_from_python(tmp_path: Path) -> None:
    printed = run("train_from_python.py", tmp_path)
    assert printed.startswith("BLEU ")
    assert "\nrules, in the order of the translation\n" in printed
    assert (tmp_path / "example-engine" / "report.html").exists()


def test_rerank_neural_list(tmp_path: Path) -> None:
    assert len(run("rerank_neural_list.py", tmp_path).splitlines()) == 30


def test_rerank_llm_samples(tmp_path: Path) -> None:
    printed = dict(line.split(": ") for line in run("rerank_llm_samples.py", tmp_path).splitlines())
    assert float(printed["reranked"]) >= float(printed["minimum risk"]) > float(printed["first sample"])
    assert (tmp_path / "reranker" / "manifest.json").exists()


def test_from_samples_to_a_saved_reranker_in_15_lines() -> None:
    code = (EXAMPLES / "rerank_llm_samples.py").read_text("utf-8").partition("answers = ")[2].splitlines()
    assert len([line for line in code if line.strip()]) <= 15


def test_mbr_with_neural_metric(tmp_path: Path) -> None:
    assert run("mbr_with_neural_metric.py", tmp_path) == "a big house\n"


def test_reranker_in_10_lines(tmp_path: Path) -> None:
    lines = run("reranker_in_10_lines.py", tmp_path).splitlines()
    assert "missing_numbers" in lines[0]
    assert lines[1:] == ["er zahlte 40 Dollar", "Zimmer 12 ist frei"]


@pytest.mark.parametrize("name", ["train_from_python.py", "reranker_in_10_lines.py"])
def test_first_examples_have_ten_lines_of_code(name: str) -> None:
    text = (EXAMPLES / name).read_text("utf-8")
    docstring = ast.parse(text).body[0]
    code = text.splitlines()[docstring.end_lineno or 0 :]
    assert len([line for line in code if line.strip() and not line.strip().startswith("#")]) <= 10
