"""Dense and sparse weights change together, whenever the writer is killed or fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from isogloss.decoder import create_system, load
from isogloss.decoder.stored_weights import read_stored
from isogloss.errors import ModelFormatError
from isogloss.features import SparseModel, SparseOptions, SparseWeights

# Run in a process of its own, which forks: change the weights and be killed at the n-th change of the file
# system, or fail there; for every n.
AT_EVERY_STEP = """
import os, sys, traceback
from pathlib import Path
from isogloss.decoder import load
from isogloss.errors import UserError
from isogloss.features import SparseWeights
from support.forked import fail_at, kill_at
import shutil

base, sparse, way = Path(sys.argv[1]), sys.argv[2] == "sparse", sys.argv[3]

def state(system):
    weights = system.decoder.sparse_weights
    found = None if weights is None else round(float(weights.weights(numbers)[0]), 3)
    return system.weights["lm"], found, system.confidence_model is None

from isogloss import _engine
numbers = _engine.feature_numbers(["pair:a|b"])
old = state(load(base / "system"))
new = (2.0, 4.0 if sparse else None, True)
seen, step, code = set(), 0, 1
while code != 0:
    step += 1
    copy = base / f"step{step}"
    shutil.copytree(base / "system", copy)
    child = os.fork()
    if child == 0:
        system = load(copy)
        weights = {**system.weights, "lm": 2.0}
        given = SparseWeights.from_names({"pair:a|b": 4.0}, signature=system.decoder.sparse.signature)
        kill_at(step) if way == "kill" else fail_at(step, "EIO")
        try:
            system.save_weights(weights, given if sparse else None)
        except UserError:
            os._exit(2)
        except BaseException:
            traceback.print_exc()
            os._exit(3)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, -9, 2), code
    found = state(load(copy))
    assert found in (old, new), (step, found)
    seen.add(found)
    assert not (copy / "weights.new").exists()  # opening it has finished the change
    again = load(copy)
    given = SparseWeights.from_names({"pair:a|b": 4.0}, signature=again.decoder.sparse.signature)
    again.save_weights({**again.weights, "lm": 2.0}, given if sparse else None)
    assert state(load(copy)) == new
    assert not list(copy.glob(".weights.*"))
    shutil.rmtree(copy)
assert seen == {old, new}, seen
print(step)
"""


@pytest.fixture(scope="module")
def folder(systems: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("weights")
    sparse = SparseModel(SparseOptions(templates=("pair",)))
    made = create_system(base / "system", rules=systems / "phrases", lm=systems / "lm", sparse=sparse)
    weights = SparseWeights.from_names({"pair:a|b": 1.0}, signature=sparse.signature)
    made.save_weights({**made.weights, "lm": 1.0}, weights)
    return base


@pytest.mark.parametrize("what", [pytest.param("sparse", marks=pytest.mark.slow), "dense"])
@pytest.mark.parametrize("way", ["kill", "fail"])
def test_interrupted_at_every_call(folder: Path, what: str, way: str) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", AT_EVERY_STEP, str(folder), what, way]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 10


def test_an_unfinished_change_in_a_folder_that_cannot_be_written(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = Path(shutil.copytree(folder / "system", tmp_path / "system"))
    (copy / "weights.new").mkdir()
    names = load(folder / "system").decoder.names
    (copy / "weights.new" / "weights.tsv").write_text("".join(f"{name}\t7.0\n" for name in names))

    def refused(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("isogloss.decoder.stored_weights.write_weights", refused)
    system = load(copy)
    assert set(system.weights.values()) == {7.0}
    assert system.decoder.sparse_weights is None
    assert (copy / "weights.new").exists()


def test_links_and_pipes_are_refused(folder: Path, tmp_path: Path) -> None:
    for name, kind in (("weights.tsv", "pipe"), ("weights.tsv", "link"), ("rules", "link")):
        copy = Path(shutil.copytree(folder / "system", tmp_path / f"{name}-{kind}"))
        (copy / name).rename(tmp_path / f"{name}-{kind}-elsewhere")
        if kind == "pipe":
            os.mkfifo(copy / name)
        else:
            (copy / name).symlink_to(tmp_path / f"{name}-{kind}-elsewhere")
        with pytest.raises(ModelFormatError, match=r"symbolic link|not a regular file"):
            load(copy)
    assert read_stored(folder / "system", None)[1] is not None
