"""The public names of lists have types that a strict checker accepts, and do what they say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import isogloss

SCRIPT = Path(__file__).parent / "list_face.py"
ROOT = Path(__file__).parents[2]


def test_the_script_runs() -> None:
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_name_of_lists_is_used() -> None:
    used = set(re.findall(r"\bisogloss\.(\w+)", SCRIPT.read_text("utf-8")))
    assert used <= set(isogloss.__all__)
    assert used == {
        "EvaluateOptions",
        "Metric",
        "NbestList",
        "NbestTuneOptions",
        "RerankOptions",
        "Reranker",
        "SweepOptions",
        "evaluate",
        "feature",
        "mbr",
        "tune_nbest",
    }


def test_importing_the_package_imports_nothing_else() -> None:
    check = "import isogloss, sys; print(sorted({'numpy', 'sacrebleu', 'rich'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n"
    with pytest.raises(AttributeError, match="module 'isogloss' has no attribute 'rerankers'"):
        isogloss.rerankers  # noqa: B018
    assert set(isogloss.__all__) <= set(dir(isogloss))
