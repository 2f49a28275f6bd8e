"""Read, write, read: every format gives back what it can carry, and says what it cannot."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.io.errors import ConfigError, OutputError
from isogloss.nbest import FORMATS, DenseGroup, NbestStore, read_nbest, write_nbest
from isogloss.nbest.formats import losses, recognize
from support.nbest_lists import (
    Candidate,
    build,
    candidates,
    doubles,
    exact,
    moses_text,
    plain,
    random_lists,
    read_moses,
    scratch,
)
from support.properties import examples

EVERY_FORMAT = pytest.mark.parametrize("format", [*FORMATS, "store"])


small_lists = st.one_of(random_lists, random_lists, candidates(sentence_numbers=st.integers(0, 30)))
random_stores = random_lists.map(lambda given_list: read_moses(moses_text(given_list)))


def through(store: NbestStore, format: str) -> NbestStore:
    """The list written in a format and read again."""
    with scratch() as folder:
        path = Path(folder) / "list"
        write_nbest(store, path, format=format)
        return read_nbest(path, format=format)


def without(store: NbestStore, lost: list[str]) -> NbestStore:
    """The list without what the words of ``losses`` name."""
    for loss in lost:
        kind, _, detail = loss.partition(": ")
        if kind == "dense features":
            names = detail.split(", ")
            assert set(names) <= {group.name for group in store.dense_groups}
            groups = tuple(group for group in store.dense_groups if group.name not in names)
            columns = [column for group in groups for column in store.columns_of(group.name)]
            store = dataclasses.replace(
                store, dense_groups=groups, dense=np.ascontiguousarray(store.dense[:, columns])
            )
        elif kind.endswith(" sparse features"):
            assert store.sparse is not None
            used = {name for row in plain(store).rows for name, _ in row.sparse}
            assert kind == f"{len(used)} sparse features"
            store = dataclasses.replace(store, sparse=None)
        elif kind == "word alignments":
            store = dataclasses.replace(store, alignment=None)
        else:
            assert kind == "phrase segmentations"
            store = dataclasses.replace(store, segmentation=None)
    return store


@EVERY_FORMAT
@examples(40)
@given(given_list=small_lists, data=st.data())
def test_every_format_gives_back_what_it_can_carry(
    format: str, given_list: list[Candidate], data: st.DataObject
) -> None:
    store = read_moses(moses_text(given_list))
    if format == "sockeye" and data.draw(st.booleans()):  # the one dense group that it knows
        store = dataclasses.replace(
            store,
            dense_groups=(DenseGroup("FactorScore", 2),),
            dense=np.array(data.draw(pairs_for(store.num_candidates))).reshape(-1, 2),
        )
    lost = losses(store, format)
    carried = without(store, lost)
    assert store.equals(carried) == (not lost)
    assert losses(carried, format) == []
    again = through(carried, format)
    assert exact(plain(again)) == exact(plain(carried))
    assert again.equals(carried)
    assert again.equals(through(store, format))
    again.check()


def pairs_for(rows: int) -> st.SearchStrategy[list[float]]:
    return st.lists(doubles, min_size=2 * rows, max_size=2 * rows)


@examples(20)
@given(candidates())
def test_large_sentence_numbers(given_list: list[Candidate]) -> None:
    store = read_moses(moses_text(given_list))
    for format in ("moses", "marian", "fairseq", "jsonl", "store"):
        again = through(store, format)
        assert again.equals(without(store, losses(store, format)))


@examples(20)
@given(candidates(segmented=False), st.sampled_from(["moses", "jsonl", "store"]))
def test_lists_from_the_builder(given_list: list[Candidate], format: str) -> None:
    store = build(given_list)
    assert losses(store, format) == []
    assert exact(plain(through(store, format))) == exact(plain(store))


@examples(40)
@given(random_stores, st.data())
def test_parts_of_a_list(store: NbestStore, data: st.DataObject) -> None:
    """Where only some candidates have an alignment, the others alone are a list without alignments."""
    rows = sorted(data.draw(st.sets(st.integers(0, store.num_candidates - 1), min_size=1)))
    part = store.select(rows)
    for format in ("moses", "marian", "fairseq", "jsonl", "store"):
        lost = losses(part, format)
        assert through(part, format).equals(without(part, lost))
        assert part.equals(without(part, lost)) == (not lost)


def test_a_list_in_memory_with_empty_columns_loses_nothing() -> None:
    store = build([Candidate(0, ("a",), 1.0)])
    aligned = read_moses(b"0 ||| a ||| x=1 ||| 1 ||| 0=0 ||| 0-0\n0 ||| b ||| ||| 1\n")
    assert aligned.alignment is not None
    empty = dataclasses.replace(aligned.select([1]), sparse=aligned.sparse, alignment=aligned.alignment)
    assert aligned.select([1]).alignment is None
    assert aligned.select([1]).sparse is None
    assert losses(store, "fairseq") == []
    assert losses(empty, "sockeye") != []


@examples(40)
@given(random_stores)
def test_saving_over_a_stored_list(store: NbestStore) -> None:
    with scratch() as folder:
        saved = store.save(Path(folder) / "list")
        part = saved.select([0])
        again = part.save(Path(folder) / "list")
        assert again.equals(part)
        assert saved.equals(store)  # still mapped
        assert NbestStore.open(Path(folder) / "list").equals(part)


def test_packed_files_are_read_by_their_content(tmp_path: Path) -> None:
    store = read_moses("0 ||| na\u00efve ||| LM= -1 ||| -3\n".encode())
    for name in ("list.gz", "list.zst", "list"):
        write_nbest(store, tmp_path / name, format="moses")
        renamed = (tmp_path / name).rename(tmp_path / f"{name}.txt")
        assert read_nbest(renamed).equals(store)
    assert (tmp_path / "list.gz.txt").read_bytes()[:2] == b"\x1f\x8b"
    assert (tmp_path / "list.zst.txt").read_bytes()[:4] == b"\x28\xb5\x2f\xfd"


def test_a_list_without_candidates_is_not_written_to_a_file(tmp_path: Path) -> None:
    nothing = read_moses(b"0 ||| a ||| ||| 1\n").select([])
    assert nothing.num_sentences == 0
    with pytest.raises(OutputError, match="no candidates"):
        write_nbest(nothing, tmp_path / "list", format="moses")
    assert list(tmp_path.iterdir()) == []
    write_nbest(nothing, tmp_path / "stored", format="store")
    assert read_nbest(tmp_path / "stored").num_candidates == 0


def test_sockeye_does_not_write_a_line_for_each_of_a_billion_gaps(tmp_path: Path) -> None:
    store = read_moses(b"4000000000 ||| a ||| ||| 1\n")
    with pytest.raises(ConfigError, match="number 4000000000"):
        write_nbest(store, tmp_path / "list", format="sockeye")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("first", "format"),
    [
        (b"0 ||| a b ||| LM= -1 ||| -2\n", "moses"),
        (b"0 ||| ||| lm: -1 w: 0 ||| -2\n", "moses"),
        (b"0 ||| a b ||| F0= -1 F1= 2 ||| -2\n", "marian"),
        (b"0 ||| ||| F0= -1 ||| -2\n", "marian"),
        (b"\xef\xbb\xbf0 ||| a ||| F0=-1 F1=3 ||| -2\n", "marian"),
        (b"0 ||| a b ||| 0-0 1-1 ||| Score= -1 ||| -2\n", "marian"),
        (b"0 ||| a b ||| WordScores= -1 -2 ||| F0= -1 ||| -2\n", "marian"),
        (b"0 ||| a ||| LM= 1 ||| -2 ||| 0-0\n", "moses"),
        (b"S-0\tein haus\nH-0\t-0.5\ta house\n", "fairseq"),
        (b"| loaded checkpoint\n2020-01-01 | INFO | x\nH-0\t-0.5\ta house\n", "fairseq"),
        (b'{"sentence": 0, "text": "a"}\n', "jsonl"),
        (b'  {"text": "a translation", "sentence": 0}\n', "jsonl"),
        (b'{"sentence_id": 0, "translation": "a"}\n', "sockeye"),
        (b'{"sentence_id": 0, "translations": ["a"]}\n', "sockeye"),
        (b"whatever\n", "moses"),
    ],
)
def test_formats_are_recognized(first: bytes, format: str) -> None:
    assert recognize(first) == format


@examples(60)
@given(random_lists)
def test_what_was_written_is_recognized(given_list: list[Candidate]) -> None:
    store = read_moses(moses_text(given_list))
    for format in ("moses", "fairseq", "sockeye", "jsonl"):
        first = "".join(FORMATS[format].write(store)).encode()
        assert recognize(first) in {format, "marian"} if format == "moses" else recognize(first) == format
