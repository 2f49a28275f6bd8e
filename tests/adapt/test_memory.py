"""A memory grows, survives whatever happens to its writers, and refuses what it was not made for."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.adapt import (
    Example,
    Memory,
    MemoryOptions,
    RetrievalOptions,
    add_examples,
    build_memory,
    compact_memory,
    memory_update,
    remove_examples,
)
from isogloss.decoder import System, load
from isogloss.io.errors import ConfigError, DataFormatError, ModelFormatError, NotTrainedError, OutputError
from isogloss.metric import References
from isogloss.nbest.statistics import bleu_statistics
from isogloss.storage.packed import pack, unpack
from support.damage import reseal

SMALL = MemoryOptions(nbest=8, batch=10)


@pytest.fixture(scope="module")
def built(system: System, examples: list[Example], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("memory") / "memory"
    build_memory(path, system, examples[:25], SMALL)
    return path


@pytest.fixture
def memory(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "memory"))


def sources(memory: Memory, sentence: str, **options: object) -> list[tuple[int, float, str]]:
    hits = memory.search(sentence, RetrievalOptions(**options))
    return [(hit.number, hit.similarity, hit.example().source) for hit in hits]


def brute_force(memory: Memory, sentence: str, size: int) -> list[tuple[int, float]]:
    from isogloss.decoder.example_index import QueryTerms

    query = QueryTerms.of(sentence, memory.frequencies)
    rows = [
        (similarity, number)
        for segment in memory.segments
        for similarity, number in zip(segment.similarities(query, 0.1), segment.numbers.tolist(), strict=True)
        if segment.removed is None or not segment.removed[segment.numbers.tolist().index(number)]
    ]
    return [(number, similarity) for similarity, number in sorted(rows, reverse=True) if similarity > 0][
        :size
    ]


def test_what_is_stored(built: Path, system: System, examples: list[Example]) -> None:
    memory = Memory.open(built, system)
    assert len(memory) == 25
    assert [segment.example(i) for segment in memory.segments for i in range(len(segment))] == examples[:25]
    hits = memory.search(examples[3].source, RetrievalOptions(size=4))
    assert hits[0].number == 3
    assert hits[0].similarity == pytest.approx(1)
    found = memory.candidates(hits)
    for j, hit in enumerate(hits):
        store = system.nbest([examples[hit.number].source], nbest=8)
        rows = slice(*found.offsets[j : j + 2])
        assert found.dense[rows] == pytest.approx(store.dense, rel=1e-6)
        references = References([[examples[hit.number].references[0]]])
        assert np.array_equal(found.statistics[rows], bleu_statistics(store, references))


def test_additions_are_found_at_once(memory: Path, system: System, examples: list[Example]) -> None:
    reader = Memory.open(memory)
    numbers: list[int] = []
    for example in examples[25:34]:
        numbers += add_examples(memory, system, [example])
        reader.refresh()
        assert sources(reader, example.source, size=1)[0][2] == example.source
    assert numbers == list(range(25, 34))
    assert len(reader) == 34
    assert [len(segment) for segment in reader.segments] == [25, 8, 1]  # small ones have been merged
    for example in examples[:34:3]:
        found = sources(reader, example.source, size=12)
        assert [row[:2] for row in found] == brute_force(reader, example.source, 12)
    # The lists of merged segments are still those of their examples.
    for hit in reader.search(examples[27].source, RetrievalOptions(size=3)):
        store = system.nbest([hit.example().source], nbest=8)
        assert reader.candidates([hit]).dense == pytest.approx(store.dense, rel=1e-6)


def test_removal_and_compaction(memory: Path, system: System, examples: list[Example]) -> None:
    add_examples(memory, system, examples[25:28])
    before = Memory.open(memory)
    remove_examples(memory, [3, 26])
    reader = Memory.open(memory)
    assert len(reader) == 26
    assert len(before) == 28  # a reader keeps what it has opened
    for example in (examples[3], examples[26], examples[5]):
        found = sources(reader, example.source, size=5)
        assert [row[:2] for row in found] == brute_force(reader, example.source, 5)
        assert not {3, 26} & {row[0] for row in found}
    with pytest.raises(ConfigError, match="there is no example 3"):
        remove_examples(memory, [3])
    compacted = compact_memory(memory)
    assert [len(segment) for segment in compacted.segments] == [26]
    assert compacted.frequencies.sentences == 26
    assert compacted.find(27) == examples[27]
    hit = compacted.search(examples[27].source, RetrievalOptions(size=1))[0]
    store = system.nbest([examples[27].source], nbest=8)
    assert compacted.candidates([hit]).dense == pytest.approx(store.dense, rel=1e-6)
    assert add_examples(memory, system, [examples[40]]) == [28]


def test_a_killed_build_goes_on(
    system: System, examples: list[Example], tmp_path: Path, built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "memory"

    def killed(items: Iterable[int], description: str, total: int) -> Iterable[int]:
        yield next(iter(items))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_memory(path, system, examples[:25], SMALL, track=killed)
    with pytest.raises(NotTrainedError, match="not complete"):
        Memory.open(path)
    decoded: list[int] = []
    decode = memory_update.ExampleDecoder.lists
    counting = lambda *a: (decoded.append(len(a[1])), decode(*a))[1]  # noqa: E731
    monkeypatch.setattr(memory_update.ExampleDecoder, "lists", counting)
    whole = build_memory(path, system, examples[:25], SMALL)
    assert decoded == [10, 5]  # the first ten were there
    same = Memory.open(built)
    for example in examples[:25:6]:
        hits = whole.search(example.source), same.search(example.source)
        assert [hit[:2] for hit in hits[0]] == [hit[:2] for hit in hits[1]]
        assert np.array_equal(whole.candidates(hits[0]).dense, same.candidates(hits[1]).dense)


def test_a_build_of_something_else_begins_anew(
    system: System, examples: list[Example], tmp_path: Path
) -> None:
    path = tmp_path / "memory"

    def killed(items: Iterable[int], description: str, total: int) -> Iterable[int]:
        yield next(iter(items))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_memory(path, system, examples[:25], SMALL, track=killed)
    assert len(build_memory(path, system, examples[5:18], SMALL)) == 13
    with pytest.raises(OutputError, match="finished memory"):
        build_memory(path, system, examples[:25], SMALL)


def test_a_failing_addition_leaves_everything_as_it_was(
    memory: Path, system: System, examples: list[Example], monkeypatch: pytest.MonkeyPatch
) -> None:
    from isogloss.storage import folder

    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    before = sources(Memory.open(memory), examples[3].source)
    with monkeypatch.context() as patch:
        patch.setattr(folder, "_switch_manifest", full)
        with pytest.raises(OutputError, match="No space"):
            add_examples(memory, system, examples[25:26])
    assert sources(Memory.open(memory), examples[3].source) == before
    assert add_examples(memory, system, examples[25:26]) == [25]


def test_small_memories(system: System, examples: list[Example], tmp_path: Path) -> None:
    empty = build_memory(tmp_path / "empty", system, [], SMALL)
    assert len(empty) == 0
    assert empty.search("a b") == []
    assert add_examples(tmp_path / "empty", system, examples[:1]) == [0]
    empty.refresh()
    hits = empty.search(examples[0].source, RetrievalOptions(size=1000))
    assert [hit.similarity for hit in hits] == [pytest.approx(1)]
    assert empty.search("") == []
    compact_memory(tmp_path / "empty")
    remove_examples(tmp_path / "empty", [0])
    assert len(compact_memory(tmp_path / "empty")) == 0


def test_references_and_facts(system: System, examples: list[Example], tmp_path: Path) -> None:
    several = [
        Example(
            source=e.source, references=(*e.references, "another")[: 1 + i % 2], document=f"d{i % 3}", date=i
        )
        for i, e in enumerate(examples[:9])
    ]
    memory = build_memory(tmp_path / "memory", system, several, SMALL)
    assert [memory.find(i) for i in range(9)] == several
    found = sources(memory, several[4].source, skip_document="d1", skip_identical=True, before=8)
    assert {row[0] for row in found} <= {0, 2, 3, 5, 6}


def test_bad_examples(memory: Path, system: System) -> None:
    for bad in (Example(source=" ", references=("x",)), Example(source="a", references=())):
        with pytest.raises(DataFormatError, match="is empty"):
            add_examples(memory, system, [bad])


def test_a_memory_of_another_system_is_refused(memory: Path, systems: Path) -> None:
    with pytest.raises(ModelFormatError, match="was built with a different system"):
        Memory.open(memory, load(systems / "hierarchical"))


def test_damage_is_named(memory: Path, examples: list[Example]) -> None:
    def use(path: Path) -> None:
        opened = Memory.open(path)
        opened.candidates(opened.search(examples[0].source))

    for path in sorted(memory.glob("*.bin")):
        good = path.read_bytes()
        for bad in (good[:-64], b"\xff" * len(good), good[:8] + b"x" * 200 + good[208:]):
            path.write_bytes(bad)
            with pytest.raises(ModelFormatError):
                use(memory)
        path.write_bytes(good)
    manifest = memory / "manifest.json"
    facts = json.loads(manifest.read_text())
    facts["attributes"]["segments"] = 5
    manifest.write_text(json.dumps(facts))
    with pytest.raises(ModelFormatError, match="damaged or was edited"):
        Memory.open(memory)


@pytest.mark.parametrize(
    "attributes",
    [
        {"options": 3},
        {"options": {"nbest": "x"}},
        {"options": {"bogus": 1}},
        {"names": 5},
        {"fingerprint": None},
        {"chosen": []},
        {"chosen": {"mbuu": 1}},
        {"chosen": {"bogus": {}}},
        {"chosen": {"ebuu": {"strength": "x"}}},
        {"chosen": {"ebuu": {"size": -1}}},
        {"built": []},
        {"next": 1e308},
    ],
)
def test_attributes_that_cannot_be_are_refused(memory: Path, attributes: dict[str, Any]) -> None:
    reseal(memory, attributes)
    with pytest.raises(ModelFormatError, match="the memory is damaged"):
        Memory.open(memory)


def test_options_that_were_not_stored_are_the_defaults(memory: Path) -> None:
    reseal(memory, {"options": {}})
    assert Memory.open(memory).facts()["nbest"] == MemoryOptions().nbest


def test_blob() -> None:
    arrays = {"a": np.arange(5, dtype=np.int64), "b": np.zeros((0, 3), np.float32), "c": np.eye(2)}
    again = unpack(pack(arrays), "x")
    assert {name: array.tolist() for name, array in again.items()} == {
        name: array.tolist() for name, array in arrays.items()
    }
    with pytest.raises(ModelFormatError, match="damaged"):
        unpack(np.zeros(3, np.uint8), "x")
