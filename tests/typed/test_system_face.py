"""The public names of systems have types that a strict checker accepts, and do what they say."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import isogloss
from isogloss.io import errors

SCRIPT = Path(__file__).parent / "system_face.py"
ROOT = Path(__file__).parents[2]
NAMES = [
    "AlignOptions", "CheckOptions", "ClassOptions", "ClusterError", "CommandOptions", "ConfigError",
    "Correction",
    "DataFormatError", "Explanation", "ExternalCommandError", "ExternalDecoder", "ExtractOptions",
    "InputFileError", "InternalError", "IsoglossError", "JointOptions", "LinkOptions", "LmOptions",
    "LocalOptions", "Memory", "MemoryOptions", "MissingExtraError", "ModelFormatError", "NotTrainedError",
    "OnlineOptions", "OutputError", "RelevantSetOptions", "Retrained", "RetrievalOptions", "SampleOptions",
    "SearchOptions",
    "SparseOptions", "StageError", "System", "TrainOptions", "Trained", "TrainingError", "Translation",
    "Translator", "TuneOptions", "TuneResult", "UserError", "load", "retrain", "train", "tune",
]  # fmt: skip


def test_the_names_are_pinned() -> None:
    assert set(NAMES) <= set(isogloss.__all__)
    assert list(isogloss.__all__) == sorted(isogloss.__all__)
    assert set(isogloss.__all__) <= set(dir(isogloss))
    for name in isogloss.__all__:
        assert getattr(isogloss, name).__doc__ or name == "__version__"
    with pytest.raises(AttributeError, match="module 'isogloss' has no attribute 'translator'"):
        isogloss.translator  # noqa: B018


def test_every_error_is_public() -> None:
    kinds = {
        name
        for name, value in vars(errors).items()
        if inspect.isclass(value) and issubclass(value, errors.IsoglossError) and not name.startswith("_")
    }
    assert kinds <= set(isogloss.__all__)


def test_the_script_runs() -> None:
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("The old king sleeps today. ")


def test_every_name_of_systems_is_used() -> None:
    assert set(re.findall(r"\bisogloss\.([A-Za-z]\w*)", SCRIPT.read_text("utf-8"))) == set(NAMES)


@pytest.mark.parametrize("name", ["load", "train", "tune"])
def test_help_tells_the_whole_story(name: str) -> None:
    function = getattr(isogloss, name)
    assert ">>> " in function.__doc__
    for parameter in inspect.signature(function).parameters.values():
        assert parameter.kind is not parameter.VAR_KEYWORD
        assert re.search(rf"^ *(\w+, )*{parameter.name}(, \w+)*$", function.__doc__, re.MULTILINE), parameter


def test_importing_the_package_imports_nothing_else() -> None:
    check = "import isogloss, sys; print(sorted(name for name in sys.modules if name.startswith('isogloss')))"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, timeout=60)
    assert done.stdout == "['isogloss', 'isogloss._version']\n"
