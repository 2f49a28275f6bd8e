from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from isogloss.cli.main import main
from isogloss.decoder import load


@pytest.fixture
def system(systems: Path, tmp_path: Path) -> Path:
    corpus = systems / "corpus"
    for name in ("dev.src", "dev.tgt.0"):
        lines = (corpus / name).read_text().splitlines(keepends=True)[:12]
        (tmp_path / name).write_text("".join(lines))
    assert main(["--quiet", "classes", str(corpus / "train.tgt"), "--classes", "5", "--restarts", "0",
                 "--output", str(tmp_path / "classes")]) == 0  # fmt: skip
    made = tmp_path / "system"
    code = main(
        ["--quiet", "system", "create", str(made), "--search", "phrase",
         "--rules", str(systems / "phrases"), "--lm", str(systems / "lm"),
         "--templates", "pair,target_bigram", "--target-column", f"class={tmp_path / 'classes'}"]
    )  # fmt: skip
    assert code == 0
    return made


def tune(system: Path, *options: str, passes: int = 2) -> int:
    folder = system.parent
    files = ["--dev-source", str(folder / "dev.src"), "--dev-target", str(folder / "dev.tgt.0")]
    chosen = options if "--method" in options else ("--method", "online-mira", *options)
    return main(["tune", str(system), *files, "--iterations", str(passes), "--nbest", "20", *chosen])


def test_tuned_explained_and_translated(system: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = dict(load(system).weights)
    sentence = (system.parent / "dev.src").read_text().splitlines()[0]
    assert tune(system, "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["sparse_features"] > 0
    assert load(system).weights == printed["weights"] != before

    assert main(["inspect", str(system), "--json"]) == 0
    inspected = json.loads(capsys.readouterr().out)["attributes"]
    assert inspected["sparse features"] == printed["sparse_features"]
    strongest = inspected["strongest of pair"]
    assert len(strongest) == 5
    assert all(name.startswith("pair:") for name in strongest)

    assert main(["explain", str(system), sentence, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    points = sum(item["points"] for kind in ("dense", "sparse") for item in found[kind])
    assert points == pytest.approx(found["score"], rel=1e-4)
    assert any(item["name"].startswith("pair:") for item in found["sparse"])
    assert sum(item["advantage"] for kind in ("dense", "sparse") for item in found[kind]) == pytest.approx(
        found["score"] - found["second_score"], abs=1e-3
    )
    assert " ".join(" ".join(step["target"].split()) for step in found["derivation"])
    assert found["translation"] == load(system).translate(sentence)

    assert main(["explain", str(system), sentence]) == 0
    text = capsys.readouterr().out
    assert "points by kind of feature" in text
    assert "strongest features for it" in text
    assert main(["explain", str(system), sentence, "--format", "html"]) == 0
    assert capsys.readouterr().out.startswith("<!doctype html>")
    assert main(["explain", str(system), " "]) == 2
    assert "nothing to explain" in capsys.readouterr().err


def test_dense_methods_drop_sparse_weights(system: Path) -> None:
    assert tune(system) == 0
    assert (system / "weights.sparse").exists()
    assert tune(system, "--method", "mert", "--restarts", "1", passes=1) == 0
    assert not (system / "weights.sparse").exists()
    assert load(system).decoder.sparse_weights is None


def test_a_failed_run_leaves_the_system_alone(system: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored = (system / "weights.tsv").read_bytes()
    (system.parent / "dev.tgt.0").write_text("qqq www eee rrr\n" * 12)
    assert tune(system) == 2
    assert "of the chosen translations is 0" in capsys.readouterr().err
    assert (system / "weights.tsv").read_bytes() == stored
    (system.parent / "dev.tgt.0").write_text("a\n" * 11)
    assert tune(system) == 2
    assert "12 lines, but" in capsys.readouterr().err
    assert tune(system, "--held-out-source", "x") == 2


def test_weights_of_other_features_are_refused(system: Path, systems: Path, tmp_path: Path) -> None:
    assert tune(system) == 0
    other = tmp_path / "other"
    code = main(
        ["--quiet", "system", "create", str(other), "--search", "phrase",
         "--rules", str(systems / "phrases"), "--lm", str(systems / "lm"), "--templates", "pair"]
    )  # fmt: skip
    assert code == 0
    shutil.copytree(system / "weights.sparse", other / "weights.sparse")
    assert main(["explain", str(other), "x"]) == 2
