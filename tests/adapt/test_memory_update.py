"""A change of a memory takes effect at once, examples and phrases together, or not at all."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from isogloss.adapt import Example, LocalOptions, LocalTranslator, Memory, MemoryOptions, build_memory
from isogloss.adapt.memory_update import add_examples, remove_examples
from isogloss.align import AlignmentModel
from isogloss.decoder import System, load
from isogloss.errors import OutputError
from isogloss.storage.folder import verify_folder
from support.fork_server import ForkServer


@pytest.fixture(scope="module")
def built(
    systems: Path, system: System, examples: list[Example], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    base = tmp_path_factory.mktemp("memory")
    corpus = systems / "corpus"
    sides = ((corpus / name).read_text().splitlines()[:300] for name in ("train.src", "train.tgt"))
    path = base / "memory"
    aligner = AlignmentModel.train(list(zip(*sides, strict=True)))
    build_memory(path, system, examples[:6], MemoryOptions(nbest=4), aligner=aligner)
    return path


@pytest.fixture
def memory(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "memory"))


def source_of(number: int) -> str:
    return f"zzyzx{number} zzyzx{number}b"


def text_of(memory: Path, system: System, number: int) -> str:
    translator = LocalTranslator(system, Memory.open(memory), update=LocalOptions(strength=0.0))
    return translator.translate_one(source_of(number)).text


def test_simultaneous_additions(memory: Path, systems: Path, fork_server: ForkServer) -> None:
    words = [
        (
            "memory",
            "add",
            memory,
            "--system",
            systems / "phrase",
            "--pair",
            source_of(number),
            f"grumble{number} x",
        )
        for number in range(8)
    ]
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda command: fork_server.run(*command), words))
    assert [one.returncode for one in done] == [0] * 8, [one.stderr for one in done]
    found = Memory.open(memory)
    assert len(found) == 14
    assert sorted(found.find(number).source for number in range(6, 14)) == [source_of(n) for n in range(8)]
    system = load(systems / "phrase")
    assert [text_of(memory, system, number) for number in range(8)] == [f"grumble{n} x" for n in range(8)]
    assert len(list(memory.glob("overlay*"))) == 1


def test_killed_at_changes_of_the_file_system(
    memory: Path, systems: Path, system: System, fork_server: ForkServer, tmp_path: Path
) -> None:
    add_examples(memory, system, [Example(source=source_of(1), references=("grumble1 x",))])
    seen = set()
    add = ["memory", "add", "MEMORY", "--system", systems / "phrase", "--pair", source_of(2), "grumble2 x"]
    counted = Path(shutil.copytree(memory, tmp_path / "counted"))
    changes = fork_server.count(*(counted if word == "MEMORY" else word for word in add))["changes"]
    assert changes > 20
    for change in {*range(1, changes, 9), *range(changes - 4, changes + 1)}:
        copy = Path(shutil.copytree(memory, tmp_path / f"step{change}"))
        words = [copy if word == "MEMORY" else word for word in add]
        assert fork_server.killed(words, change=change)
        new = len(Memory.open(copy)) == 8
        seen.add(new)
        assert text_of(copy, system, 1) == "grumble1 x"
        assert (text_of(copy, system, 2) == "grumble2 x") == new
        verify_folder(copy)
        assert fork_server.run(*words).returncode == 0
        assert len(Memory.open(copy)) == 8  # not twice
        assert text_of(copy, system, 2) == "grumble2 x"
        assert len(list(copy.glob("overlay*"))) == 1
    assert seen == {False, True}


def test_a_failing_addition_stores_nothing(
    memory: Path, system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("isogloss.adapt.overlay.add_rules", full)
        with pytest.raises(OutputError, match="No space"):
            add_examples(memory, system, [Example(source=source_of(1), references=("grumble1 x",))])
    assert len(Memory.open(memory)) == 6


def test_an_addition_stays_where_tidying_up_fails(
    memory: Path, system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patch:
        patch.setattr("isogloss.adapt.memory_update.one_writer", refused)
        assert add_examples(memory, system, [Example(source=source_of(1), references=("grumble1 x",))]) == [6]
    assert len(Memory.open(memory)) == 7


def test_an_addition_that_is_repeated_changes_nothing(memory: Path, system: System) -> None:
    first, second = (Example(source=source_of(n), references=(f"grumble{n} x",)) for n in (1, 2))
    assert add_examples(memory, system, [first]) == [6]
    assert add_examples(memory, system, [first, second, second]) == [6, 7, 7]
    assert len(Memory.open(memory)) == 8
    assert text_of(memory, system, 2) == "grumble2 x"
    remove_examples(memory, [6])
    assert "grumble" not in text_of(memory, system, 1)
    assert add_examples(memory, system, [first]) == [8]


def test_an_overlay_of_an_earlier_version_is_used(memory: Path, system: System) -> None:
    """Earlier versions kept it in a folder that the manifest does not name."""
    from isogloss.storage.folder import update_folder

    add_examples(memory, system, [Example(source=source_of(1), references=("grumble1 x",))])
    (overlay,) = memory.glob("overlay-*")
    overlay.rename(memory / "overlay")
    update_folder(
        memory,
        kind="memory",
        version=1,
        change=lambda folder: ({}, [], {k: v for k, v in folder.attributes.items() if k != "overlay"}),
    )
    assert text_of(memory, system, 1) == "grumble1 x"
    add_examples(memory, system, [Example(source=source_of(2), references=("grumble2 x",))])
    assert [text_of(memory, system, number) for number in (1, 2)] == ["grumble1 x", "grumble2 x"]
    assert not (memory / "overlay").exists()
