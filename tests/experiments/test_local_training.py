"""The paper's experiments run on small data and give all their tables."""

from __future__ import annotations

import html
import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.adapt.options import LocalOptions
from isogloss.cli.main import main
from isogloss.decoder import System
from isogloss.experiments import local_training
from isogloss.experiments.local_training import LocalTrainingTask
from isogloss.experiments.local_training_report import local_training_tables
from isogloss.experiments.presets import settings_toml
from isogloss.io.config import read_description
from isogloss.io.errors import DataFormatError, InputFileError
from isogloss.io.options import declared
from isogloss.metric import Bleu

CONFIG = """
preset = "best"
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
        assert title.endswith("(preset best)")
    assert tomllib.loads(results["settings"])["preset"] == "best"
    assert len(results["dev_scores"]) == 2
    assert results["similarity"]["a"] > results["similarity"]["b"] > 0  # a sentence of it is part of it
    for name in ("a", "b"):
        both = results["baseline"][name], results["methods"]["ebuu"][name]["bleu"]
        assert results["oracle"][name] >= min(both)
    assert results["sizes"][-1]["size"] == 100
    assert len(results["chosen"]["ebuu"]) == 2
    assert [started[0], started[0]] == started[:2]  # every baseline begins at the system's own weights
    control = results["development_sets"]["b"]
    assert all(set(control[name]) == {"bleu", "p_value"} for name in ("a", "b"))
    kept = (tmp_path / "out" / "statistics" / "tuned-on-b-a.tsv").read_text().splitlines()
    rows = np.array([[int(cell) for cell in line.split("\t")] for line in kept])
    assert control["a"]["bleu"] == Bleu().score(rows.sum(axis=0))
    # Once more: nothing is computed but times, and another description is refused.
    monkeypatch.setattr(local_training, "tune_system", None)
    monkeypatch.setattr(local_training, "tune_local", None)
    monkeypatch.setattr(local_training, "local_statistics", None)
    monkeypatch.setattr(local_training, "baseline_statistics", None)
    assert main(call) == 0
    again = json.loads((tmp_path / "out" / "results.json").read_text())
    assert {**again, "seconds": 0} == {**results, "seconds": 0}
    config.write_text(CONFIG.format(systems=systems).replace("restarts = 1", "restarts = 2"))
    capsys.readouterr()
    assert main(call) == 2
    assert "contains an experiment with a different description" in capsys.readouterr().err


def test_the_presets(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(CONFIG.format(systems="s"))
    best = read_description(LocalTrainingTask, path)
    assert best.local("ebuu") == LocalOptions(method="ebuu")
    assert [one.strength for one in best.tried("ebuu")] == [0.01]
    plain = CONFIG.replace('preset = "best"', "").replace("sharpnesses = [10]", "")
    text = plain.replace("strengths = {{ mbuu = [0.001], ebuu = [0.01] }}", "").format(systems="s")
    path.write_text(text)
    paper = read_description(LocalTrainingTask, path)
    mbuu, ebuu = paper.local("mbuu"), paper.local("ebuu")
    assert (mbuu.strength, mbuu.loss, mbuu.units) == (0.018, "document", "plain")
    assert (ebuu.strength, ebuu.loss, ebuu.units, ebuu.gate) == (0.06, "sentence", "plain", 0.0)
    assert [(one.strength, one.sharpness) for one in paper.tried("mbuu")] == [(0.018, 1.0)]
    assert {one.strength for one in paper.tried("ebuu")} == {0.06}
    assert paper.shown("ebuu") == [0.0, 0.02, 0.04, 0.06, 0.08, 0.1]
    assert paper.sizes == (40, 70, 100)
    usual = {option.name: option.default for option in declared(LocalTrainingTask)}
    assert (usual["size"], usual["nbest"], usual["runs"]) == (100, 100, 5)
    # One key changes one setting; the stored settings are the same task again.
    path.write_text(text + "\n[ebuu]\nsharpness = 7\n")
    other = read_description(LocalTrainingTask, path)
    assert other.tried("ebuu") == [replace(ebuu, sharpness=7.0)]
    again = tmp_path / "y.toml"
    again.write_text(settings_toml(other))
    assert read_description(LocalTrainingTask, again) == other
    path.write_text(text + '\n[ebuu]\nmethod = "mbuu"\nloss = "sentence"\n')
    with pytest.raises(DataFormatError, match="has the options of ebuu"):
        read_description(LocalTrainingTask, path)


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
            "no option is called 'speed'; known are preset",
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
