from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from isogloss.io.errors import InputFileError, ModelFormatError, OutputError
from isogloss.storage.folder import add_arrays, open_folder, store_copy, verify_folder, write_folder
from support.damage import edit_manifest
from support.properties import examples

DTYPES = ["?", "u1", "i1", "<u2", "<i2", "<u4", "<i4", "<u8", "<i8", "<f4", "<f8", ">i4", ">f8"]

any_array = st.sampled_from(DTYPES).flatmap(
    lambda dtype: hnp.arrays(
        np.dtype(dtype), hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
    )
)
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


def write(path: Path, **arrays: Any) -> None:
    write_folder(path, kind="toy", version=1, arrays=arrays, attributes={"name": "x"})


def array_file(path: Path, name: str) -> Path:
    (file,) = path.glob(f"{name}-*.bin")
    return file


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "store"
    write(path, a=np.arange(10, dtype="<i4"), b=np.zeros((2, 3)))
    return path


@examples(30)
@given(
    arrays=st.dictionaries(st.from_regex(r"[A-Za-z0-9_.]{1,10}", fullmatch=True), any_array, max_size=3),
    attributes=st.dictionaries(st.text(), any_json, max_size=3),
)
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory, arrays: dict[str, Any], attributes: dict[str, Any]
) -> None:
    path = tmp_path_factory.mktemp("x") / "deeper" / "store"
    write_folder(path, kind="toy", version=3, arrays=arrays, attributes=attributes)
    folder = open_folder(path, kind="toy", version=3)
    assert folder.attributes == attributes
    assert folder.arrays.keys() == arrays.keys()
    for name, array in arrays.items():
        read = folder.arrays[name]
        assert read.dtype == array.dtype.newbyteorder("<")
        assert read.shape == array.shape
        assert not read.flags.writeable
        np.testing.assert_array_equal(read, array)
    assert verify_folder(path) == len(arrays)


def test_views_are_stored_as_they_look(tmp_path: Path) -> None:
    grid = np.arange(12, dtype="<i8").reshape(3, 4)
    write(tmp_path, turned=grid.T, every_other=grid[:, ::2], backward=grid[::-1])
    arrays = open_folder(tmp_path, kind="toy", version=1).arrays
    np.testing.assert_array_equal(arrays["turned"], grid.T)
    np.testing.assert_array_equal(arrays["every_other"], grid[:, ::2])
    np.testing.assert_array_equal(arrays["backward"], grid[::-1])


def test_attributes_with_odd_keys_and_file_names_are_read_back(tmp_path: Path) -> None:
    attributes = {10: "a", 2: ("b", "c"), "file": os.fsdecode(b"caf\xe9")}
    write_folder(tmp_path, kind="toy", version=1, arrays={}, attributes=attributes)  # type: ignore[arg-type]
    read = open_folder(tmp_path, kind="toy", version=1).attributes
    assert read == {"10": "a", "2": ["b", "c"], "file": os.fsdecode(b"caf\xe9")}


def test_a_flipped_byte_of_the_manifest_is_refused(stored: Path) -> None:
    manifest = stored / "manifest.json"
    sound = manifest.read_bytes()
    for at in range(0, len(sound), 3):
        if not chr(sound[at]).isspace():
            manifest.write_bytes(sound[:at] + bytes([sound[at] ^ 1]) + sound[at + 1 :])
            with pytest.raises(ModelFormatError, match="manifest"):
                open_folder(stored, kind="toy", version=1)


def test_every_flipped_byte_of_an_array_is_found_by_verify(stored: Path) -> None:
    file = array_file(stored, "a")
    sound = file.read_bytes()
    for at in range(len(sound)):
        file.write_bytes(sound[:at] + bytes([sound[at] ^ 0x80]) + sound[at + 1 :])
        open_folder(stored, kind="toy", version=1)
        with pytest.raises(ModelFormatError, match=r"the array 'a' is damaged \(its checksum differs\)"):
            verify_folder(stored)


def test_a_cut_array_is_refused_at_opening(stored: Path) -> None:
    file = array_file(stored, "b")
    os.truncate(file, 40)
    with pytest.raises(
        ModelFormatError, match="the array 'b' has 40 bytes, 48 expected; the file was truncated"
    ):
        open_folder(stored, kind="toy", version=1)
    file.unlink()
    with pytest.raises(ModelFormatError, match=r"the array 'b' is missing \(No such file or directory\)"):
        open_folder(stored, kind="toy", version=1)


def test_newer_version_and_other_kind(tmp_path: Path) -> None:
    write_folder(tmp_path, kind="toy", version=2, arrays={}, attributes={})
    open_folder(tmp_path, kind="toy", version=3)
    with pytest.raises(ModelFormatError, match=r"format version 2 is newer .* \(1\); upgrade isogloss"):
        open_folder(tmp_path, kind="toy", version=1)
    with pytest.raises(ModelFormatError, match="holds a stored 'toy', not a 'nbest'"):
        open_folder(tmp_path, kind="nbest", version=1)
    with pytest.raises(OutputError, match="holds a stored 'toy'; choose a new or empty folder"):
        write_folder(tmp_path, kind="nbest", version=1, arrays={}, attributes={})


def test_what_is_not_a_stored_folder(tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match="No such file or directory"):
        open_folder(tmp_path / "none", kind="toy", version=1)
    with pytest.raises(ModelFormatError, match=r"no manifest\.json here; give a folder written by isogloss"):
        open_folder(tmp_path, kind="toy", version=1)
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputFileError, match="file: is a file; give a folder written by isogloss"):
        open_folder(tmp_path / "file", kind="toy", version=1)
    for text in ("", "{", "[]", "7", '"x"', '{"checksum": 1}', "[" * 100_000, "\xff"):
        (tmp_path / "manifest.json").write_text(text, encoding="latin-1")
        with pytest.raises(ModelFormatError):
            open_folder(tmp_path, kind="toy", version=1)


def test_somebody_elses_files_are_not_touched(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(OutputError, match="something that isogloss did not write"):
        write(tmp_path, a=np.zeros(3))
    assert [item.name for item in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(OutputError, match="is a file; a folder is needed here"):
        write(tmp_path / "thesis.tex", a=np.zeros(3))


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m["arrays"]["a"].update(file="../outside-01234567.bin"),
        lambda m: m["arrays"]["a"].update(file="/etc/passwd"),
        lambda m: m["arrays"]["a"].update(file="a/../a-01234567.bin"),
        lambda m: m["arrays"]["a"].update(file=None),
        lambda m: m["arrays"]["a"].update(dtype="O"),
        lambda m: m["arrays"]["a"].update(dtype=["<i4"]),
        lambda m: m["arrays"]["a"].update(dtype=">i4"),
        lambda m: m["arrays"]["a"].update(shape=[-1, -10]),
        lambda m: m["arrays"]["a"].update(shape=[10**30]),
        lambda m: m["arrays"]["a"].update(shape=[0, 2**61, 2**61]),
        lambda m: m["arrays"]["a"].update(shape=[1] * 100),
        lambda m: m["arrays"]["a"].update(shape=["10"]),
        lambda m: m["arrays"]["a"].update(shape=10),
        lambda m: m["arrays"]["a"].update(shape=[True, 10]),
        lambda m: m["arrays"]["a"].update(sha256=None),
        lambda m: m["arrays"]["a"].clear(),
        lambda m: m["arrays"].update(a=7),
        lambda m: m.update(arrays=[]),
        lambda m: m.update(attributes=None),
        lambda m: m.update(version="9"),
        lambda m: m.update(version=None),
        lambda m: m.update(made_by=3),
        lambda m: m.update(kind=["toy"]),
        lambda m: m.update(format="other"),
        lambda m: m.pop("arrays"),
        lambda m: m.pop("kind"),
    ],
)
def test_a_hostile_manifest_is_refused(stored: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    (stored.parent / "outside-01234567.bin").write_bytes(bytes(40))
    edit_manifest(stored, change)
    with pytest.raises(ModelFormatError):
        open_folder(stored, kind="toy", version=1)
    with pytest.raises(ModelFormatError):
        verify_folder(stored)


def test_what_cannot_be_stored_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="array 'b' has type"):
        write(tmp_path / "x", a=np.zeros(3), b=np.array(["text"]))
    with pytest.raises(ValueError, match="array name"):
        write_folder(tmp_path / "x", kind="toy", version=1, arrays={"../b": np.zeros(3)}, attributes={})
    assert not (tmp_path / "x").exists()


def test_a_new_version_takes_the_place_of_the_old(stored: Path) -> None:
    old = open_folder(stored, kind="toy", version=1)
    write(stored, a=np.arange(5, dtype="<i4"))
    # Who had opened the old version goes on reading it.
    np.testing.assert_array_equal(old.arrays["a"], np.arange(10))
    np.testing.assert_array_equal(old.arrays["b"], np.zeros((2, 3)))
    new = open_folder(stored, kind="toy", version=1)
    np.testing.assert_array_equal(new.arrays["a"], np.arange(5))
    assert len(list(stored.iterdir())) == 2


def test_a_copy_has_the_same_content_in_files_of_its_own(stored: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    for _ in range(2):  # the second takes the place of the first
        store_copy(stored, copy, kind="toy", version=1)
        first, second = (open_folder(path, kind="toy", version=1) for path in (stored, copy))
        assert second.attributes == first.attributes
        assert {name: one.tolist() for name, one in second.arrays.items()} == {
            name: one.tolist() for name, one in first.arrays.items()
        }
        assert not {item.name for item in stored.glob("*.bin")} & {item.name for item in copy.glob("*.bin")}
        assert len(list(copy.glob("*.bin"))) == len(first.arrays)
    verify_folder(copy)


def test_a_copy_of_a_damaged_array_is_known_as_damaged(stored: Path, tmp_path: Path) -> None:
    file = next(iter(stored.glob("*.bin")))
    file.write_bytes(bytes([file.read_bytes()[0] ^ 1]) + file.read_bytes()[1:])
    store_copy(stored, tmp_path / "copy", kind="toy", version=1)
    with pytest.raises(ModelFormatError, match="checksum differs"):
        verify_folder(tmp_path / "copy")


def test_arrays_are_added_and_replaced(stored: Path) -> None:
    add_arrays(stored, kind="toy", version=1, arrays={"b": np.ones(2), "c": np.arange(3)})
    folder = open_folder(stored, kind="toy", version=1)
    assert {name: array.tolist() for name, array in folder.arrays.items()} == {
        "a": list(range(10)),
        "b": [1, 1],
        "c": [0, 1, 2],
    }
    assert folder.attributes == {"name": "x"}
    assert verify_folder(stored) == 3
    assert len(list(stored.iterdir())) == 4
    with pytest.raises(InputFileError):
        add_arrays(stored.parent / "none", kind="toy", version=1, arrays={})


KILLED_WRITER = """
import os, sys
import numpy as np
from isogloss.storage import folder
real = getattr(folder, sys.argv[2])
def die(*arguments, **options):
    if sys.argv[3] == "after":
        real(*arguments, **options)
    os._exit(9)
setattr(folder, sys.argv[2], die)
arrays = {"a": np.arange(7, dtype="<i4"), "c": np.ones(4)}
folder.write_folder(sys.argv[1], kind="toy", version=1, arrays=arrays, attributes={"name": "new"})
"""


@pytest.mark.parametrize(
    ("step", "when", "state"),
    [
        ("_write_arrays", "after", "old"),
        ("_switch_manifest", "before", "old"),
        ("_switch_manifest", "after", "new"),
        ("_remove_unused", "before", "new"),
    ],
)
@pytest.mark.parametrize("fresh", [False, True])
def test_a_killed_writer_leaves_the_old_version_or_the_new(
    stored: Path, step: str, when: str, state: str, fresh: bool
) -> None:
    path = stored.parent / "fresh" if fresh else stored
    command = [sys.executable, "-c", KILLED_WRITER, str(path), step, when]
    assert subprocess.run(command, check=False).returncode == 9
    if state == "new":
        assert open_folder(path, kind="toy", version=1).attributes == {"name": "new"}
    elif fresh:
        with pytest.raises(ModelFormatError, match=r"no manifest\.json here"):
            open_folder(path, kind="toy", version=1)
    else:
        assert open_folder(path, kind="toy", version=1).attributes == {"name": "x"}
        verify_folder(path)
    # The next writer finds its way and tidies up.
    (path / ".manifest.json.01234567.part").write_text("half of a manif")
    write(path, a=np.zeros(2))
    assert sorted(item.name[:8] for item in path.iterdir()) == sorted(
        ["manifest", array_file(path, "a").name[:8]]
    )


def test_a_reader_that_meets_a_writer_sees_one_version(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from isogloss.storage import folder

    real, calls = folder._map_array, 0

    def replace_first(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 2:  # the manifest has been read, and one of the arrays
            write(stored, a=np.full(4, 4.0), b=np.full(5, 5.0))
        return real(*arguments)

    monkeypatch.setattr(folder, "_map_array", replace_first)
    arrays = open_folder(stored, kind="toy", version=1).arrays
    assert {name: array.tolist() for name, array in arrays.items()} == {"a": [4.0] * 4, "b": [5.0] * 5}


BUSY_WRITER = """
import sys
import numpy as np
from isogloss.storage.folder import add_arrays
for step in range(12):
    add_arrays(sys.argv[1], kind="toy", version=1, arrays={sys.argv[2]: np.full(100, step)})
"""


def test_writers_wait_for_each_other(stored: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", BUSY_WRITER, str(stored), name]) for name in ("x", "y")
    ]
    while any(writer.poll() is None for writer in writers):
        verify_folder(stored)
    assert [writer.returncode for writer in writers] == [0, 0]
    arrays = open_folder(stored, kind="toy", version=1).arrays
    assert {name: array.shape for name, array in arrays.items()} == {
        "a": (10,),
        "b": (2, 3),
        "x": (100,),
        "y": (100,),
    }
    assert verify_folder(stored) == 4


@pytest.mark.parametrize("name", ["array", "manifest"])
@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_links_and_pipes_are_refused(stored: Path, name: str, kind: str) -> None:
    file = array_file(stored, "a") if name == "array" else stored / "manifest.json"
    elsewhere = stored.parent / "elsewhere"
    file.rename(elsewhere)  # its content is right
    if kind == "link":
        file.symlink_to(elsewhere)
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        file.mkdir()
    expected = "is a symbolic link" if kind == "link" else "is not a regular file"
    with pytest.raises(ModelFormatError, match=expected):
        open_folder(stored)
    with pytest.raises(ModelFormatError, match=expected):
        verify_folder(stored)


def test_a_folder_may_be_reached_by_a_link(stored: Path) -> None:
    (stored.parent / "link").symlink_to(stored)
    assert verify_folder(stored.parent / "link") == 2


def test_names_are_flushed_before_old_files_go(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from isogloss.storage import folder

    before = array_file(stored, "a")
    flushed: list[tuple[str, bool, bool]] = []

    def sync(path: Path) -> None:
        new = before.name not in (stored / "manifest.json").read_text()
        flushed.append((path.name, new, before.exists()))

    monkeypatch.setattr(folder, "sync_path", sync)
    write(stored, a=np.zeros(2))
    assert flushed == [(stored.name, True, True)]
    assert not before.exists()


def test_small_arrays_outlive_their_files(stored: Path) -> None:
    folder = open_folder(stored)
    for name in folder.arrays:
        with array_file(stored, name).open("r+b") as stream:
            stream.truncate(0)
    assert folder.arrays["a"].tolist() == list(range(10))
    assert not folder.arrays["a"].flags.writeable


def test_a_place_that_cannot_be_written() -> None:
    with pytest.raises(OutputError, match="/proc/nothing"):
        write(Path("/proc/nothing/here"), a=np.zeros(3))
