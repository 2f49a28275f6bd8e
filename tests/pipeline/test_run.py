"""What a run does again, what it keeps, what it records, and how it fails."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.io.errors import ConfigError, DataFormatError, OutputError, StageError
from isogloss.pipeline import Event, Run, Stage
from isogloss.pipeline.record import Journal
from isogloss.pipeline.train import claim
from isogloss.storage.folder import write_folder
from support import small_pipeline
from support.small_pipeline import content, stages

Paths = Mapping[str, Path]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text"
    small_pipeline.write_text(path)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "run"


def redone(folder: Path, wanted: list[Stage]) -> set[str]:
    """Run, and tell which stages were not kept."""
    events: list[Event] = []
    Run(folder, progress=events.append).execute(wanted)
    assert {event.stage for event in events} == {stage.name for stage in wanted}
    return {event.stage for event in events if event.what == "done"}


def stage(name: str, function: Callable[..., object], **changes: Any) -> Stage:
    return Stage(**{"name": name, "function": function, "inputs": {}, "outputs": {"out": name}, **changes})


def copy(inputs: Paths, outputs: Paths, options: Mapping[str, Any]) -> None:
    shutil.copy(inputs["in"], outputs["out"])


def test_killed_before_the_first_record_it_can_be_repeated(
    text: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "append", killed)
        with pytest.raises(KeyboardInterrupt):
            Run(folder).execute(stages(text))
    claim(folder)  # raises an error if it takes the outputs for somebody else's
    assert redone(folder, stages(text)) == {"clean", "classes", "factor"}


def test_runs_in_order_and_keeps_everything_the_second_time(text: Path, folder: Path) -> None:
    assert redone(folder, stages(text)) == {"clean", "classes", "factor"}
    before = content(folder)
    record = (folder / "run.jsonl").read_bytes()
    assert redone(folder, stages(text)) == set()
    assert content(folder) == before
    assert (folder / "run.jsonl").read_bytes() == record


def test_a_changed_option_redoes_only_what_depends_on_it(text: Path, folder: Path) -> None:
    Run(folder).execute(stages(text))
    assert redone(folder, stages(text, number=5)) == {"classes", "factor"}
    assert redone(folder, stages(text, number=8)) == {"classes", "factor"}


def test_what_comes_out_the_same_is_not_passed_on(text: Path, folder: Path) -> None:
    Run(folder).execute(stages(text))
    assert redone(folder, stages(text, shortest=1)) == {"clean"}  # no line is shorter


def test_a_changed_version_redoes(text: Path, folder: Path) -> None:
    copies = stage("copy", copy, inputs={"in": text})
    Run(folder).execute([copies])
    assert redone(folder, [stage("copy", copy, inputs={"in": text}, version=2)]) == {"copy"}


def test_a_touched_input_is_kept_and_read_only_once_more(text: Path, folder: Path) -> None:
    Run(folder).execute(stages(text))
    os.utime(text, (1, 1))
    assert redone(folder, stages(text)) == set()
    lines = (folder / "run.jsonl").read_text().splitlines()
    assert json.loads(lines[-1])["outcome"] == "kept"
    assert redone(folder, stages(text)) == set()
    assert (folder / "run.jsonl").read_text().splitlines() == lines


def test_unchanged_inputs_are_not_read_again(
    text: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Run(folder).execute(stages(text))
    monkeypatch.setattr("isogloss.pipeline.fingerprint._content", None)
    assert redone(folder, stages(text)) == set()


def test_changed_content_of_the_same_size_and_time_redoes(text: Path, folder: Path) -> None:
    copies = [stage("copy", copy, inputs={"in": text})]
    for content_now in ("abc", "abd", "xyz"):
        info = text.stat()
        text.write_text(content_now)
        os.utime(text, ns=(info.st_atime_ns, info.st_mtime_ns))
        assert redone(folder, copies) == {"copy"}
        assert (folder / "copy").read_text() == content_now


def test_a_renamed_input_with_the_same_content_is_kept(text: Path, folder: Path) -> None:
    Run(folder).execute(stages(text))
    other = text.rename(text.with_name("other"))
    assert redone(folder, stages(other)) == set()


def test_a_moved_run_is_kept(text: Path, folder: Path) -> None:
    Run(folder).execute(stages(text))
    moved = folder.rename(folder.with_name("moved"))
    assert redone(moved, stages(text)) == set()


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda folder: (folder / "clean/dropped").unlink(), {"clean"}),
        (lambda folder: (folder / "clean/text").write_text("gone\n"), {"clean"}),
        (lambda folder: (folder / "classes.tsv").write_text("w1\t2\n"), {"classes"}),
        (lambda folder: shutil.rmtree(folder / "factors"), {"factor"}),
        (lambda folder: (folder / "factors/manifest.json").write_text("{}"), {"factor"}),
        (lambda folder: next((folder / "factors").glob("*.bin")).write_bytes(b""), {"factor"}),
        (lambda folder: (folder / "factors/more").write_text("x"), {"factor"}),
        (lambda folder: (folder / "run.jsonl").unlink(), {"clean", "classes", "factor"}),
    ],
)
def test_a_missing_or_changed_output_is_made_again(
    text: Path, folder: Path, damage: Callable[[Path], object], expected: set[str]
) -> None:
    Run(folder).execute(stages(text))
    before = content(folder)
    damage(folder)
    assert redone(folder, stages(text)) == expected
    assert content(folder) == before
    assert redone(folder, stages(text)) == set()


def test_a_folder_can_be_an_input(tmp_path: Path, folder: Path) -> None:
    def sizes(inputs: Paths, outputs: Paths, options: Mapping[str, Any]) -> None:
        outputs["out"].write_text(str(sum(f.stat().st_size for f in inputs["in"].iterdir())))

    plain, stored = tmp_path / "plain", tmp_path / "stored"
    plain.mkdir()
    (plain / "a").write_text("a")
    write_folder(stored, kind="k", version=1, arrays={"x": np.arange(3)}, attributes={})
    both = [stage("plain", sizes, inputs={"in": plain}), stage("stored", sizes, inputs={"in": stored})]
    assert redone(folder, both) == {"plain", "stored"}
    # The same arrays, stored again: the files have other names.
    write_folder(stored, kind="k", version=1, arrays={"x": np.arange(3)}, attributes={})
    assert redone(folder, both) == set()
    write_folder(stored, kind="k", version=1, arrays={"x": np.arange(4)}, attributes={})
    (plain / "a").rename(plain / "b")
    assert redone(folder, both) == {"plain", "stored"}


@pytest.mark.parametrize("can_swap", [True, False])
def test_an_output_may_change_between_file_and_folder(
    text: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, can_swap: bool
) -> None:
    if not can_swap:
        monkeypatch.setattr("isogloss.io.durable._swap", lambda first, second: False)

    def tree(inputs: Paths, outputs: Paths, options: Mapping[str, Any]) -> None:
        outputs["out"].mkdir()
        (outputs["out"] / "leaf").write_text("leaf")

    for function, version in ((copy, 1), (tree, 2), (tree, 3), (copy, 4)):
        Run(folder).execute([stage("x", function, inputs={"in": text}, version=version)])
        assert (folder / "x").is_dir() == (function is tree)
    assert sorted(path.name for path in folder.iterdir()) == ["run.jsonl", "run.lock", "x"]


def test_the_record_tells_what_each_stage_cost(text: Path, folder: Path) -> None:
    def work(inputs: Paths, outputs: Paths, options: Mapping[str, Any]) -> None:
        block = bytearray(options["bytes"])
        block[::4096] = b"x" * len(block[::4096])
        while time.process_time() < options["until"]:
            pass
        subprocess.run([sys.executable, "-c", "sum(range(10**6))"], check=True)
        outputs["out"].write_text("made")

    options = {"bytes": 150_000_000, "until": time.process_time() + 0.1}
    run = Run(folder)
    run.execute([stage("heavy", work, options=options, version=3), stage("copy", copy, inputs={"in": text})])
    heavy, light = run.summary()
    assert (heavy.stage, heavy.outcome, heavy.version) == ("heavy", "done", 3)
    assert heavy.options == options
    assert heavy.cpu_seconds > 0.1
    assert heavy.wall_seconds > 0
    assert heavy.peak_bytes > 150_000_000
    assert heavy.output_bytes == 4
    assert heavy.outputs["out"].size == 4
    assert light.inputs["in"].size == text.stat().st_size
    if sys.platform.startswith("linux"):
        assert light.peak_bytes < heavy.peak_bytes
    rows = [json.loads(line) for line in (folder / "run.jsonl").read_text().splitlines()]
    assert [row["stage"] for row in rows] == ["heavy", "copy"]
    assert rows[0]["start"].endswith("+00:00")
    assert rows[0]["made_by"].startswith("isogloss ")


@pytest.mark.parametrize(
    "rest",
    [b'{"stage": "clean", "outc', b"\xff\xfe\n", b"[1]\n", b'"x"\n', b'{"stage": []}\n', b"[" * 5000 + b"\n"],
)
def test_a_damaged_record_costs_nothing_but_what_it_told(text: Path, folder: Path, rest: bytes) -> None:
    Run(folder).execute(stages(text))
    with (folder / "run.jsonl").open("ab") as stream:
        stream.write(rest)
    assert redone(folder, stages(text, number=5)) == {"classes", "factor"}
    assert redone(folder, stages(text, number=5)) == set()


def test_a_cut_record_redoes_its_stage(text: Path, folder: Path) -> None:
    Run(folder).execute(stages(text))
    record = folder / "run.jsonl"
    record.write_bytes(record.read_bytes()[:-30])
    assert redone(folder, stages(text)) == {"factor"}
    assert redone(folder, stages(text)) == set()


def failing(inputs: Paths, outputs: Paths, options: Mapping[str, Any]) -> None:
    outputs["out"].write_text("half")
    raise options_error[options["error"]]


options_error: dict[str, BaseException] = {
    "user": DataFormatError("4 fields expected", "dev.nbest", 17),
    "disk": OSError(28, "No space left on device", "/somewhere"),
    "bug": KeyError("who"),
    "stop": KeyboardInterrupt(),
}


@pytest.mark.parametrize(
    ("kind", "message", "code"),
    [
        ("user", "stage 'x': dev.nbest:17: 4 fields expected", 2),
        ("disk", "stage 'x': [Errno 28] No space left on device: '/somewhere'", 2),
        ("bug", "stage 'x': KeyError: 'who'", 1),
    ],
)
def test_a_failing_stage_is_named_and_leaves_its_old_output(
    text: Path, folder: Path, kind: str, message: str, code: int
) -> None:
    Run(folder).execute([stage("x", copy, inputs={"in": text})])
    before = content(folder)
    events: list[Event] = []
    with pytest.raises(StageError) as caught:
        Run(folder, progress=events.append).execute([stage("x", failing, options={"error": kind})])
    assert str(caught.value) == message
    assert caught.value.exit_code == code
    assert content(folder) == before
    assert [event.what for event in events] == ["started", "failed"]
    last = json.loads((folder / "run.jsonl").read_text().splitlines()[-1])
    assert last["outcome"] == "failed"
    assert last["error"] == str(options_error[kind])
    # The old output is still the result of the old stage.
    assert redone(folder, [stage("x", copy, inputs={"in": text})]) == set()


def test_an_interruption_passes_through_and_is_recorded(text: Path, folder: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        Run(folder).execute([stage("x", failing, options={"error": "stop"})])
    assert json.loads((folder / "run.jsonl").read_text())["outcome"] == "interrupted"
    assert content(folder) == {}


def test_a_failure_keeps_the_stages_before_it(text: Path, folder: Path) -> None:
    first = stage("first", copy, inputs={"in": text})
    with pytest.raises(StageError):
        Run(folder).execute(
            [first, stage("x", failing, inputs={"in": first["out"]}, options={"error": "bug"})]
        )
    assert redone(folder, [first, stage("x", copy, inputs={"in": first["out"]})]) == {"x"}


def test_an_output_that_was_not_made_is_an_error(folder: Path) -> None:
    with pytest.raises(StageError, match=r"stage 'x': .*run/x: the output 'out' was not written"):
        Run(folder).execute([stage("x", lambda inputs, outputs, options: None)])


def test_an_input_that_changes_meanwhile_is_an_error(text: Path, folder: Path) -> None:
    def change(inputs: Paths, outputs: Paths, options: Mapping[str, Any]) -> None:
        copy(inputs, outputs, options)
        text.write_text("changed")

    with pytest.raises(StageError, match=r"was changed while the stage was reading it; repeat the command"):
        Run(folder).execute([stage("x", change, inputs={"in": text})])
    assert not (folder / "x").exists()


def test_missing_inputs_are_found_before_anything_is_run(text: Path, folder: Path) -> None:
    wanted = [stage("a", copy, inputs={"in": text}), stage("b", copy, inputs={"in": "no/such"})]
    with pytest.raises(StageError, match="stage 'b': no/such: No such file or directory") as caught:
        Run(folder).execute(wanted)
    assert caught.value.exit_code == 2
    assert not folder.exists()
    with pytest.raises(StageError, match="is neither a file nor a folder"):
        Run(folder).execute([stage("x", copy, inputs={"in": "/dev/null"})])


def test_a_full_disk_leaves_the_old_outputs(text: Path, folder: Path) -> None:
    Run(folder).execute(stages(text))
    before = content(folder)
    script = (
        "import resource, sys\n"
        "from support import small_pipeline\n"
        "from pathlib import Path\n"
        "from isogloss.pipeline import Run\n"
        "from isogloss.io.errors import StageError\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))\n"
        "try:\n"
        "    Run(sys.argv[1]).execute(small_pipeline.stages(Path(sys.argv[2]), shortest=1))\n"
        "except StageError as error:\n"
        "    sys.exit(str(error))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", script, str(folder), str(text)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.stderr.startswith("stage 'clean': ")
    assert "File too large" in done.stderr
    assert content(folder) == before
    assert redone(folder, stages(text)) == set()


def test_two_runs_at_once_are_refused_and_a_dead_one_is_not_in_the_way(folder: Path) -> None:
    script = (
        "import sys, time\n"
        "from isogloss.pipeline import Run, Stage\n"
        "def wait(inputs, outputs, options):\n"
        "    print('waiting', flush=True)\n"
        "    time.sleep(3600)\n"
        "Run(sys.argv[1]).execute([Stage(name='x', function=wait, inputs={}, outputs={'out': 'x'})])\n"
    )

    def make(inputs: Paths, outputs: Paths, options: Mapping[str, Any]) -> None:
        outputs["out"].write_text("made")

    command = [sys.executable, "-c", script, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"waiting\n"
            with pytest.raises(
                OutputError, match=rf"another run is using this folder .process {process.pid}"
            ):
                Run(folder).execute([stage("x", make)])
        finally:
            process.send_signal(signal.SIGKILL)
    assert (folder / "run.lock").exists()
    assert (folder / ".part").exists()
    assert redone(folder, [stage("x", make)]) == {"x"}
    assert not (folder / ".part").exists()


def test_stages_that_cannot_be_run_are_refused(text: Path, folder: Path) -> None:
    def make(name: str, **changes: Any) -> Stage:
        return stage(name, copy, **changes)

    a = make("a", inputs={"in": text})
    looped = [
        make("a", inputs={"in": make("b")["out"]}),
        make("b", inputs={"in": make("a")["out"]}),
        make("c", inputs={"in": text}),
    ]
    for wanted, message in [
        ([a, a], "two stages have the same name: a, a"),
        (looped, "depend on each other in a cycle: a, b"),
        ([make("b", inputs={"in": a["out"]})], "stage 'b' needs stage 'a', which is not in this run"),
        (
            [a, make("b", inputs={"in": folder / "a"})],
            "is written by stage 'a'; refer to it as an output of that stage",
        ),
        (
            [a, make("b", outputs={"out": "a/b"})],
            "'a' of stage 'a' and 'a/b' of stage 'b' overlap",
        ),
    ]:
        with pytest.raises(ConfigError, match=message):
            Run(folder).execute(wanted)
    assert not folder.exists()
    with pytest.raises(ConfigError, match="stage 'a' has no output 'x'; it has: out"):
        a["x"]
    for changes, message in [
        ({"name": "a/b"}, "a stage's name is letters, digits"),
        ({"outputs": {}}, "stage 'a' has no outputs"),
        ({"outputs": {"out": "/etc/passwd"}}, "must be inside the run's folder"),
        ({"outputs": {"out": "../x"}}, "must be inside the run's folder"),
        ({"outputs": {"out": ".part"}}, "not begin with a dot"),
        ({"outputs": {"out": "."}}, "must be inside the run's folder"),
        ({"outputs": {"out": "run.jsonl"}}, "reserved for the run itself"),
        ({"options": {"x": {1, 2}}}, "options must be JSON values"),
        ({"options": {"x": float("nan")}}, "options must be JSON values"),
    ]:
        with pytest.raises(ConfigError, match=message):
            Stage(**{"name": "a", "function": copy, "inputs": {}, "outputs": {"out": "a"}, **changes})


def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match=r"File exists|Not a directory"):
        Run(tmp_path / "file").execute([stage("x", copy)])


def test_a_checkpoint_outlives_a_kill_and_no_change(folder: Path) -> None:
    seen: list[list[str]] = []

    def work(inputs: Paths, outputs: Paths, options: Mapping[str, Any]) -> None:
        place = outputs["checkpoint"]
        seen.append(sorted(path.name for path in place.iterdir()))
        (place / str(len(seen))).touch()
        if options["fail"] == len(seen):
            raise KeyboardInterrupt
        outputs["out"].touch()

    def run(fail: int) -> None:
        Run(folder).execute([stage("work", work, options={"fail": fail}, checkpoint=True)])

    for fail in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            run(fail)
    assert seen == [[], []]  # the options changed in between
    run(2)
    assert seen[2:] == [["2"]]
    assert not (folder / ".checkpoint").exists()
    with pytest.raises(ConfigError, match="cannot be an output"):
        stage("work", work, checkpoint=True, outputs={"checkpoint": "x"})
