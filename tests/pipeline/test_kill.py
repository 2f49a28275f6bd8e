"""A run that is killed and started again ends where an undisturbed one does."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from isogloss.corpus.synthetic.text import write_corpus
from isogloss.pipeline import Run
from isogloss.storage.folder import verify_folder
from support import model_pipeline, small_pipeline

KILLS = 8

# Run in a process of its own, which forks: kill a run at its n-th change of the file system, finish it, and
# compare; for every n.
AT_EVERY_STEP = """
import os, sys
from pathlib import Path
from support import small_pipeline
from support.forked import kill_at
from isogloss.pipeline import Run, fingerprint

base = Path(sys.argv[1])
fingerprint._TICK_NS = 0  # no waiting for clocks: this is about order, not time

def run(folder, change=0):
    child = os.fork()
    if child == 0:
        if change:
            kill_at(change)
        Run(folder).execute(small_pipeline.stages(base / "text"))
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

assert run(base / "calm") == 0
expected = small_pipeline.content(base / "calm")
step, code = 0, -9
while code == -9:
    step += 1
    folder = base / f"step{step}"
    code = run(folder, step)
    assert code in (0, -9), code
    assert run(folder) == 0
    assert small_pipeline.content(folder) == expected, step
print(step)
"""


def test_killed_at_every_change_of_the_file_system(tmp_path: Path) -> None:
    small_pipeline.write_text(tmp_path / "text")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", AT_EVERY_STEP, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 30


@pytest.mark.slow
def test_killed_at_random_moments(tmp_path: Path) -> None:
    small_pipeline.write_text(tmp_path / "text")
    Run(tmp_path / "calm").execute(small_pipeline.stages(tmp_path / "text"))
    expected = small_pipeline.content(tmp_path / "calm")

    rng = random.Random(17)
    folder, kills, complete = tmp_path / "killed", 0, 0
    while kills < KILLS:
        if _run_and_kill([small_pipeline.__file__, str(folder), "0.02"], rng.uniform(0, 0.4)):
            kills += 1
            continue
        complete += 1
        assert small_pipeline.content(folder) == expected
        folder = tmp_path / f"killed{complete}"
    Run(folder).execute(small_pipeline.stages(tmp_path / "text"))
    assert small_pipeline.content(folder) == expected
    assert verify_folder(folder / "factors") == 2
    assert not (folder / ".part").exists()


@pytest.mark.slow
def test_making_models_killed_at_random_moments(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus", pairs=300, seed=3)
    begun = time.monotonic()
    Run(tmp_path / "calm").execute(model_pipeline.stages(tmp_path / "corpus"))
    length = time.monotonic() - begun
    expected = small_pipeline.content(tmp_path / "calm")

    rng = random.Random(5)
    folder, kills, complete = tmp_path / "killed", 0, 0
    while kills < KILLS:
        if _run_and_kill([model_pipeline.__file__, str(folder)], rng.uniform(0, length)):
            kills += 1
            continue
        complete += 1
        assert small_pipeline.content(folder) == expected
        folder = tmp_path / f"killed{complete}"
    Run(folder).execute(model_pipeline.stages(tmp_path / "corpus"))
    assert small_pipeline.content(folder) == expected


def _run_and_kill(arguments: list[str], after: float) -> bool:
    with subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"ready\n", process.stderr.read()
        time.sleep(after)
        process.send_signal(signal.SIGKILL)
        code = process.wait()
        assert code in (0, -signal.SIGKILL), process.stderr.read()
    return code != 0
