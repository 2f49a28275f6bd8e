"""The paper's experiments run on small data and give all their tables."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import pytest

from isogloss.cli.main import main
from isogloss.decoder import System
from isogloss.experiments import local_training
from isogloss.experiments.local_training import LocalTrainingTask, local_training_tables
from isogloss.io.config import read_description
from isogloss.io.errors import DataFormatError, InputFileError

CONFIG = """
system = "{systems}/phrase"
dev = "a"
tune = ["b", "a"]
other_dev = ["b"]
runs = 1
baselines = 2
restarts = 1
iterations = 1
nbest = 5
sharpnesses = [10]
strengths = {{ mbuu = [0.001], ebuu = [0.01] }}
retrieval = {{ source = "examples.src", references = ["examples.tgt"] }}
sets.a = {{ source = "a.src", references = ["a.tgt"], external = {{ other = "b.tgt" }} }}
sets.b = {{ source = "b.src", references = ["b.tgt"] }}
"""


def test_all_tables(
    systems: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parts = {"a": slice(0, 8), "b": slice(8, 16), "examples": slice(16, 50)}
    for side, name in (("src", "test.src"), ("tgt", "test.tgt.0")):
        lines = (systems / "corpus" / name).read_text().splitlines()
        for part, rows in parts.items():
            (tmp_path / f"{part}.{side}").write_text("".join(f"{line}\n" for line in lines[rows]))
    config = tmp_path / "experiment.toml"
    config.write_text(CONFIG.format(systems=systems))
    started: list[dict[str, float]] = []
    tune = local_training.tune_system

    def watched(system: System, *arguments: Any, **options: Any) -> Any:
        started.append(dict(system.weights))
        return tune(system, *arguments, **options)

    monkeypatch.setattr(local_training, "tune_system", watched)
    call = ["experiment", "local-training", "--config", str(config), "--output", str(tmp_path / "out")]
    assert main(call) == 0
    printed = capsys.readouterr().out
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    page = (tmp_path / "out" / "report.html").read_text()
    for title, heads, rows in local_training_tables(results):
        assert title in printed
        assert html.escape(title) in page
        assert all(len(row) == len(heads) for row in rows)
    assert len(results["dev_scores"]) == 2
    assert results["similarity"]["a"] > results["similarity"]["b"] > 0  # a sentence of it is part of it
    for name in ("a", "b"):
        both = results["baseline"][name], results["methods"]["ebuu"][name]["bleu"]
        assert results["oracle"][name] >= min(both)
    assert results["sizes"][-1]["size"] == 100
    assert len(results["chosen"]["ebuu"]) == 2
    assert [started[0], started[0]] == started[:2]  # every baseline begins at the system's own weights
    # Once more: nothing is computed but times, and another description is refused.
    monkeypatch.setattr(local_training, "tune_system", None)
    monkeypatch.setattr(local_training, "tune_local", None)
    monkeypatch.setattr(local_training, "local_statistics", None)
    assert main(call) == 0
    again = json.loads((tmp_path / "out" / "results.json").read_text())
    assert {**again, "seconds": 0} == {**results, "seconds": 0}
    config.write_text(CONFIG.format(systems=systems).replace("restarts = 1", "restarts = 2"))
    capsys.readouterr()
    assert main(call) == 2
    assert "contains an experiment with a different description" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("x = ", DataFormatError, "not a TOML file"),
        ("dev = 'a'", DataFormatError, "'system' is missing"),
        (
            CONFIG.format(systems="s").replace('dev = "a"', 'dev = "z"', 1),
            DataFormatError,
            "no set is called 'z'",
        ),
        (
            CONFIG.format(systems="s").replace("runs = 1", "runs = 0"),
            DataFormatError,
            "runs must be at least 1",
        ),
        (
            CONFIG.format(systems="s") + "\nspeed = 1\n",
            DataFormatError,
            "no option is called 'speed'; known are s",
        ),
    ],
)
def test_bad_descriptions(text: str, error: type[Exception], message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text)
    with pytest.raises(error, match=message):
        read_description(LocalTrainingTask, path)
    with pytest.raises(InputFileError):
        read_description(LocalTrainingTask, tmp_path / "nothing.toml")
