"""Folders that version 0.1.0.dev wrote, before packages and learners were renamed, open and give the same.

``data/make_stored_folders.py`` made the archive and recorded what that version printed.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
import tarfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from isogloss.cli.main import main
from isogloss.decoder import load
from isogloss.features.weights import SparseWeights
from isogloss.pipeline.record import Journal
from isogloss.storage.folder import verify_folder

ARCHIVE = Path(__file__).parent / "data" / "stored-0.1.0.dev.tar.xz"
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
KINDS = {
    *("alignment-model", "lm", "memory", "nbest", "online-training", "relevant-set", "reranker", "rules"),
    *("sparse-features", "sparse-weights", "text-processing"),
}


def recorded() -> dict[str, Any]:
    with tarfile.open(ARCHIVE) as archive:
        content = archive.extractfile("recorded.json")
        assert content is not None
        return json.loads(content.read())  # type: ignore[no-any-return]


RECORDED = recorded()


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stored")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    return folder


def test_every_kind_is_in_the_archive_and_sound(unpacked: Path) -> None:
    found = set()
    for manifest in unpacked.rglob("manifest.json"):
        found.add(json.loads(manifest.read_text())["kind"])
        verify_folder(manifest.parent)
    assert found == KINDS


@pytest.mark.parametrize("number", range(len(RECORDED["commands"])), ids=lambda n: command_id(n))
def test_a_command_prints_what_it_printed(
    number: int, unpacked: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    case = RECORDED["commands"][number]
    monkeypatch.chdir(unpacked)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(case["input"].encode()), encoding="utf-8"))
    assert main(["--quiet", *case["command"]]) == 0
    printed = capsys.readouterr().out
    if case["command"] == ["translate", "engine"]:  # case follows the source now
        printed, case = printed.lower(), {**case, "output": case["output"].lower()}
    if case["command"][:2] == ["memory", "info"]:  # which once looked for tuned settings where there are none
        facts = json.loads(printed)
        assert facts.pop("tuned")
        assert facts == {key: fact for key, fact in json.loads(case["output"]).items() if key != "tuned"}
        return
    if case["command"][0] == "translate":  # since then, estimates and orientations of the search have changed
        printed, case = shape(printed), {**case, "output": shape(case["output"])}
    assert_same(printed, case["output"])


def shape(printed: str) -> str:
    """The form of an output: sentences, candidates and names of features, but not what the search found."""
    lines = [line.split(" ||| ") for line in printed.splitlines()]
    return "\n".join(
        " ||| ".join([fields[0], *re.findall(r"\w+=", fields[2])]) if len(fields) > 2 else "line"
        for fields in lines
    )


def train_command(name: str) -> list[str]:
    """As it was typed, with what was the default when the folders were made; the others take tokens."""
    raw = ["--tokenizer", "moses", "--placeholders", "none"] if name == "engine" else []
    if name == "engine":
        for setting in ("dense_first=3", "online.dense_scale=1.0", "online.keep_start=false"):
            raw += ["--set", f"tune.{setting}"]
    if name == "engine-blocks":
        for setting in ("folds=0", "bags=true", "force=false"):
            raw += ["--set", f"tune.relevant.{setting}"]
    raw += ["--set", "rules.word_forms=false"]
    return ["--quiet", "train", name, *RECORDED["train"][name]["options"], *raw]


def command_id(number: int) -> str:
    words = RECORDED["commands"][number]["command"]
    return " ".join(word for word in words[:4] if "/" not in word and word.count(" ") == 0)


def assert_same(printed: str, before: str) -> None:
    """Equal but for the last digits of numbers."""
    assert NUMBER.sub("#", printed) == NUMBER.sub("#", before)
    numbers = [[float(number) for number in NUMBER.findall(text)] for text in (printed, before)]
    assert numbers[0] == pytest.approx(numbers[1], rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("name", sorted(RECORDED["train"]))
def test_training_again_keeps_every_stage(
    name: str, unpacked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = copied(unpacked, tmp_path, name)
    monkeypatch.chdir(work)
    before = list(Journal(work / name / "run.jsonl").latest())
    assert main(train_command(name)) == 0
    anew = made_anew(work, name, unpacked)
    assert [stage for stage in anew if stage in before] == ["evaluate"]  # a verdict has come since then
    assert {*anew} <= {"near-matches", "calibrate", "half", "evaluate"}
    assert [stage for stage in Journal(work / name / "run.jsonl").latest() if stage in before] == before
    assert main(train_command(name)) == 0
    assert made_anew(work, name, unpacked) == anew


@pytest.mark.parametrize("name", sorted(RECORDED["train"]))
def test_an_interrupted_tuning_goes_on(
    name: str, unpacked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = copied(unpacked, tmp_path, name)
    for part in ("system", "work/tuning"):
        shutil.rmtree(work / name / part)
    shutil.copytree(unpacked / f"{name}-stopped", work / name, dirs_exist_ok=True)
    (state,) = (work / name / ".checkpoint" / "tune").glob("*/state.json")
    done = json.loads(state.read_text())["history"]
    assert len(done) == 2
    monkeypatch.chdir(work)
    assert main(train_command(name)) == 0
    anew = made_anew(work, name, unpacked, "-stopped")
    known = ["tune", "system", "near-matches", "calibrate", "evaluate"]
    assert [stage for stage in anew if stage != "half"] == known
    then, now = (tuned(at / name) for at in (unpacked, work))
    assert now.iterations[:2] == done  # they took the same time: they were not done again
    assert 2 <= len(now.iterations) <= len(then.iterations)  # turns that gain nothing are left out now
    # The search finds other translations now, so the weights are near those of that time, but not the same.
    assert now.dense.keys() == then.dense.keys()
    assert len(now.sparse) == pytest.approx(len(then.sparse), rel=0.5)


class Tuned(NamedTuple):
    iterations: list[dict[str, Any]]
    dense: dict[str, float]
    sparse: dict[str, float]


def tuned(engine: Path) -> Tuned:
    history = json.loads((engine / "work" / "tuning" / "history.json").read_text())
    sparse = engine / "system" / "weights.sparse"
    named = SparseWeights.open(sparse) if sparse.exists() else []
    return Tuned(history["iterations"], dict(load(engine).weights), dict(named))


def copied(unpacked: Path, folder: Path, name: str) -> Path:
    """An engine with the text it was made from, to be changed."""
    shutil.copytree(unpacked / name, folder / name)
    for text in ("raw", "corpus"):
        (folder / text).symlink_to(unpacked / text)
    for config in unpacked.glob("*.toml"):
        (folder / config.name).symlink_to(config)
    return folder


def made_anew(work: Path, name: str, unpacked: Path, suffix: str = "") -> list[str]:
    """Stages that were run since the folder was unpacked."""
    before = (unpacked / f"{name}{suffix}" / "run.jsonl").read_text().splitlines()
    now = (work / name / "run.jsonl").read_text().splitlines()
    assert now[: len(before)] == before
    records = map(json.loads, now[len(before) :])
    return [record["stage"] for record in records if record["outcome"] == "done"]
