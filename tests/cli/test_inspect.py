"""``isogloss inspect`` as a user runs it, and models with damage that it must find."""

from __future__ import annotations

import json
import random
import re
import shutil
from pathlib import Path

import pytest

from isogloss.cli import console
from isogloss.cli.main import main
from isogloss.decoder import load
from isogloss.io.errors import ModelFormatError
from isogloss.nbest import read_nbest
from support.damage import translate_damaged
from support.small_system import run


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A system for each search that fits into a few hundred kilobytes."""
    folder = tmp_path_factory.mktemp("tiny")
    corpus = folder / "corpus"
    run("corpus", "synthetic", corpus, "--pairs", "40", "--seed", "5")
    sides = [corpus / "train.src", corpus / "train.tgt", corpus / "train.align"]
    run("extract", *sides, "--output", folder / "rules")
    run("lm", "build", corpus / "train.tgt", "--order", "3", "--binary", folder / "lm")
    for search in ("hierarchical", "phrase"):
        models = ["--rules", folder / "rules", "--lm", folder / "lm"]
        run("system", "create", folder / search, *models, "--search", search)
    return folder


def inspect(folder: Path, *options: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(["inspect", str(folder), *options])
    captured = capsys.readouterr()
    console.set_quiet(False)
    return code, captured.out, captured.err


def test_a_system(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = inspect(tiny / "phrase", capsys=capsys)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "kind     system, format version 1"
    assert any(line.startswith("weights  unknown -10.0, words 0.6, lm 0.5, ") for line in lines)
    assert "lm/" in lines
    assert "rules/" in lines
    code, out, err = inspect(tiny / "phrase", "--verify", "--json", capsys=capsys)
    facts = json.loads(out)
    assert facts["kind"] == "system"
    assert facts["attributes"]["options"]["hierarchical"] is False
    assert facts["parts"]["lm"]["attributes"]["order"] == 3
    arrays = [array for part in facts["parts"].values() for array in part["arrays"]]
    assert facts["verified"] == len(arrays)
    assert facts["bytes"] == sum(array["bytes"] for array in arrays)
    assert facts["bytes"] == sum(file.stat().st_size for file in (tiny / "phrase").rglob("*.bin"))


def test_other_folders(tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "list.txt").write_text("0 ||| a b ||| LM= -1 ||| -2\n")
    read_nbest(tmp_path / "list.txt").save(tmp_path / "list")
    for folder, kind in ((tiny / "rules", "rules"), (tiny / "lm", "lm"), (tmp_path / "list", "nbest")):
        code, out, err = inspect(folder, "--verify", capsys=capsys)
        assert code == 0
        assert out.startswith("kind ")
        assert f" {kind}, format version 1\n" in out
        assert " arrays are as they were written\n" in out
        assert err == ""


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere", "nowhere: No such file or directory"),
        ("", "no manifest.json here; give a folder written by isogloss"),
    ],
)
def test_no_stored_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, message: str
) -> None:
    code, out, err = inspect(tmp_path / name, capsys=capsys)
    assert (code, out) == (2, "")
    assert message in err


def test_verifying_finds_a_changed_byte_in_every_file(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    system = tmp_path / "system"
    shutil.copytree(tiny / "hierarchical", system)
    rng = random.Random(1)
    files = [file for file in system.rglob("*") if file.is_file() and file.name != "weights.tsv"]
    assert len(files) > 20
    for file in files:
        good = file.read_bytes()
        bad = bytearray(good)
        place = rng.choice([i for i, byte in enumerate(good) if not bytes([byte]).isspace()])
        bad[place] ^= 1 << rng.randrange(7)
        file.write_bytes(bad)
        code, out, err = inspect(system, "--verify", capsys=capsys)
        assert (code, out) == (2, ""), file
        assert err.startswith(f"error: {file}: "), err
        if file.suffix == ".json":  # of headers it is found without looking for it, too
            with pytest.raises(ModelFormatError, match=re.escape(str(file))):
                load(system)
        file.write_bytes(good)
    (system / "weights.tsv").write_text("lm\t1\n")
    code, _, err = inspect(system, "--verify", capsys=capsys)
    assert code == 2
    assert "weights.tsv: no weight for target_given_source" in err


@pytest.mark.parametrize("search", ["hierarchical", "phrase"])
def test_damaged_models_never_crash(tiny: Path, tmp_path: Path, search: str) -> None:
    shutil.copytree(tiny / search, tmp_path / "system")
    lines = (tiny / "corpus" / "train.src").read_text().splitlines()[:2]
    outcomes = translate_damaged(tmp_path / "system", lines, rounds=100, seed=7)
    assert outcomes["unnoticed"] > outcomes["refused"] > 0
