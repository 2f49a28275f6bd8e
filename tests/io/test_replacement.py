"""A folder whose content is replaced in one step, whatever interrupts it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from isogloss.io import replacement
from isogloss.io.errors import ModelFormatError, OutputError
from isogloss.io.replacement import changed_copy, finish_replacement, replace_content

OLD = {"a.txt": "old a", "log": "1\n", "sub": "old", "same": "as before"}
NEW = {"a.txt": "new a", "log": "1\n2\n", "sub": "new", "same": "as before", "more": "new"}


def write(folder: Path, content: dict[str, str]) -> None:
    for name, text in content.items():
        path = folder / name / "file" if name == "sub" else folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def state(folder: Path) -> dict[str, str]:
    items = [item for item in folder.iterdir() if not item.name.startswith(".") and item.name != "lock"]
    return {item.name: (item / "file" if item.is_dir() else item).read_text() for item in items}


def change(folder: Path) -> None:
    """Do what ``NEW`` has: files are replaced, and one is appended to."""
    copy = changed_copy(folder, "1", appended=("log",), left_out=("lock",))
    for name in ("a.txt", "more"):
        (copy / "part").write_text(NEW[name])
        (copy / "part").replace(copy / name)
    shutil.rmtree(copy / "sub", ignore_errors=True)
    write(copy, {"sub": NEW["sub"]})
    if (copy / "log").read_text() == OLD["log"]:
        with (copy / "log").open("a") as stream:
            stream.write("2\n")
    replace_content(folder, copy, left_out=("lock",))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "engine", {**OLD, "lock": "mine"})
    return tmp_path / "engine"


def test_what_the_copy_has_takes_the_place_of_the_old(folder: Path) -> None:
    change(folder)
    assert state(folder) == NEW
    assert (folder / "lock").read_text() == "mine"
    assert not (folder / ".next").exists()


class Interrupted(BaseException):
    """As a kill, nothing in the program can handle it."""


@pytest.mark.parametrize("can_swap", [True, False])
@pytest.mark.parametrize("way", [Interrupted, OSError])
def test_interrupted_at_every_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, can_swap: bool, way: type[BaseException]
) -> None:
    if not can_swap:
        monkeypatch.setattr("isogloss.io.durable._swap", lambda first, second: False)
    left = 0

    def counting(name: str) -> None:
        original = getattr(os, name) if name != "fsync" else os.fstat  # no test stops the machine

        def call(*arguments: object, **more: object) -> object:
            nonlocal left
            left -= 1
            if left == 0:
                raise way(28, "No space left on device")
            return original(*arguments, **more)

        monkeypatch.setattr(os, name, call)

    for name in ("rename", "replace", "unlink", "mkdir", "link", "fsync"):
        counting(name)
    seen, step = [], 0
    while not seen or seen[-1] != "undisturbed":
        step += 1
        folder = tmp_path / str(step)
        write(folder, OLD)
        left, ended = step, "interrupted"
        try:
            change(folder)
            ended = "undisturbed" if left > 0 else "went on"
        except (Interrupted, OSError, OutputError):
            pass
        left = 0
        finish_replacement(folder)
        assert state(folder) in (OLD, NEW), step
        seen.append("undisturbed" if ended == "undisturbed" else "new" if state(folder) == NEW else "old")
        change(folder)
        assert state(folder) == NEW, step
        assert not (folder / ".next").exists()
    assert {"old", "new"} <= set(seen)


def test_what_cannot_be_copied_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    for name in ("link", "copy2"):
        monkeypatch.setattr(os if name == "link" else shutil, name, full)
    with pytest.raises(OutputError, match=r"\.next/engine: .*No space left on device"):
        changed_copy(folder, "1", appended=(), left_out=())


def test_a_copy_is_used_again_unless_the_folder_has_changed(folder: Path) -> None:
    copy = changed_copy(folder, "1", appended=(), left_out=())
    (copy / "trained").write_text("for hours")
    assert (changed_copy(folder, "1", appended=(), left_out=()) / "trained").exists()
    assert not (changed_copy(folder, "2", appended=(), left_out=()) / "trained").exists()


def test_a_renamed_folder_is_finished(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(replacement, "_finish", lambda folder: None)
        change(folder)
    assert state(folder) == OLD
    moved = folder.rename(folder.with_name("elsewhere"))
    finish_replacement(moved)
    assert state(moved) == NEW


@pytest.mark.parametrize(
    "ready",
    [
        "",
        "[]",
        '{"copy": "..", "items": {}}',
        '{"copy": "", "items": {}}',
        '{"copy": "x", "items": {"../../victim": 1}}',
        '{"copy": "x", "items": {"/victim": 1}}',
        '{"copy": "x", "items": [1]}',
        '{"copy": 3, "items": {}}',
    ],
)
def test_a_hostile_folder_names_nothing_outside(folder: Path, ready: str) -> None:
    victim = folder.parent / "victim"
    victim.write_text("untouched")
    (folder / ".next" / "x").mkdir(parents=True)
    (folder / ".next" / "ready.json").write_text(ready)
    with pytest.raises(ModelFormatError, match=r"ready\.json"):
        finish_replacement(folder)
    assert victim.read_text() == "untouched"


def test_links_and_pipes_are_refused(folder: Path, tmp_path: Path) -> None:
    (folder / ".next").mkdir()
    os.mkfifo(folder / ".next" / "ready.json")
    with pytest.raises(ModelFormatError):
        finish_replacement(folder)
    shutil.rmtree(folder / ".next")
    (tmp_path / "elsewhere" / "x").mkdir(parents=True)
    (tmp_path / "elsewhere" / "ready.json").write_text(json.dumps({"copy": "x", "items": {}}))
    (folder / ".next").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ModelFormatError):
        finish_replacement(folder)
