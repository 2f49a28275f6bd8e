"""The store itself: comparison, sparse features in two levels, and stored folders that are damaged."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import random
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from isogloss._engine import Vocabulary, materialize_sparse
from isogloss.io.errors import ModelFormatError, UserError
from isogloss.nbest import FORMATS, NbestStore, Ragged, SparseFeatures, read_nbest, write_nbest
from isogloss.nbest.check import is_feature_name
from isogloss.nbest.edit import distinct, merge
from isogloss.nbest.formats import losses
from isogloss.nbest.summary import summarize
from support.nbest_lists import (
    Candidate,
    exact,
    expected,
    moses_text,
    plain,
    random_list,
    read_moses,
    scratch,
    seeds,
)
from support.properties import examples


def store_of(given_list: list[Candidate]) -> NbestStore:
    return read_moses(moses_text(given_list))


def changed(candidate: Candidate, rng: random.Random) -> Candidate:
    """The candidate with one thing different, perhaps."""
    kind = rng.choice(["words", "score", "dense", "sparse", "alignment", "segmentation", "sentence", "none"])
    if kind == "words":
        return replace(candidate, words=(*candidate.words, rng.choice(["a", "new"])))
    if kind == "score":
        return replace(candidate, score=rng.choice([None, 0.0, -0.0, 1.0]))
    if kind == "dense":
        zeros = [(name, (rng.choice([0.0, -0.0, 2.0]),) * len(values)) for name, values in candidate.dense]
        return replace(candidate, dense=tuple(zeros))
    if kind == "sparse":
        return replace(candidate, sparse=rng.choice([candidate.sparse[:-1], candidate.sparse[::-1]]))
    if kind == "alignment":
        return replace(candidate, alignment=rng.choice([(), (*candidate.alignment, (0, 1))]))
    if kind == "segmentation":
        return replace(candidate, segmentation=rng.choice([(), ((0, 0, 0, 1),)]))
    if kind == "sentence":
        return replace(candidate, sentence=candidate.sentence + rng.randint(0, 1))
    return candidate


@examples(200)
@given(seeds)
def test_equals_against_plain_comparison(seed: int) -> None:
    rng = random.Random(seed)
    given_list = random_list(rng)
    other = list(given_list)
    for index in rng.sample(range(len(other)), rng.randint(0, min(2, len(other)))):
        other[index] = changed(other[index], rng)
    one, two = store_of(given_list), store_of(other)
    assert one.equals(two) == two.equals(one) == (plain(one) == plain(two))
    assert one.equals(store_of(given_list))


def test_equals_does_not_depend_on_the_numbers_of_words() -> None:
    one = read_moses(b"0 ||| a b ||| x=1 y=2 ||| 1\n1 ||| c ||| ||| 1\n")
    other = read_moses(b"0 ||| c b a ||| y=1 x=1 ||| 1\n")
    two = merge([other, one]).select([1, 2])
    assert two.tokens.values.tolist() != one.tokens.values.tolist()
    assert two.equals(one)


def two_levels(rng: random.Random) -> tuple[SparseFeatures, np.ndarray, np.ndarray]:
    """Random two-level features, and the same as two dense matrices: events of rows, features of events."""
    rows, events, features = rng.randint(1, 6), rng.randint(1, 5), rng.randint(1, 7)
    fired = np.array([[rng.choice([0, 0, 1, 2, 3]) for _ in range(events)] for _ in range(rows)], float)
    values = np.array([[rng.choice([0, 0, 1, -0.5, 4]) for _ in range(features)] for _ in range(events)])
    with_values = rng.random() < 0.7
    if not with_values:
        values = (values != 0).astype(float)
    names = Vocabulary()
    for feature in range(features):
        names.add(f"f{feature}")
    order = [rng.sample(range(events), events) for _ in range(rows)]
    event_rows = [[event for event in order[row] if fired[row, event]] for row in range(rows)]
    feature_rows = [
        [feature for feature in rng.sample(range(features), features) if values[event, feature]]
        for event in range(events)
    ]
    counts = [fired[row, event] for row in range(rows) for event in event_rows[row]]
    feature_values = [values[event, f] for event in range(events) for f in feature_rows[event]]
    sparse = SparseFeatures(
        names,
        ragged(event_rows),
        np.array(counts, np.float32),
        ragged(feature_rows),
        np.array(feature_values, np.float32) if with_values else None,
    )
    return sparse, fired, values


def ragged(rows: list[list[int]]) -> Ragged:
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return Ragged(offsets, np.array([value for row in rows for value in row], np.uint32))


def with_features(sparse: SparseFeatures) -> NbestStore:
    rows = len(sparse.events.offsets) - 1
    store = read_moses("".join(f"{row // 2} ||| a{row} ||| ||| 1\n" for row in range(rows)).encode())
    return dataclasses.replace(store, sparse=sparse)


@examples(100)
@given(seeds)
def test_two_levels_are_a_product_of_matrices(seed: int) -> None:
    rng = random.Random(seed)
    sparse, fired, values = two_levels(rng)
    product = fired @ values
    chosen = [rng.randrange(len(fired)) for _ in range(rng.randint(0, 5))]
    csr = sparse.rows(np.array(chosen, np.int64))
    dense = np.zeros((len(chosen), values.shape[1]))
    for i in range(len(chosen)):
        columns = csr.columns[csr.offsets[i] : csr.offsets[i + 1]]
        assert np.all(columns[1:] > columns[:-1])  # rising, each once
        dense[i, columns] = csr.values[csr.offsets[i] : csr.offsets[i + 1]]
    assert np.array_equal(dense, product[chosen])
    weights = np.array([rng.choice([0.25, -1, 2]) for _ in range(values.shape[1])])
    dots = [
        float(weights[csr.columns[a:b]] @ csr.values[a:b])
        for a, b in zip(csr.offsets[:-1], csr.offsets[1:], strict=True)
    ]
    assert dots == (product[chosen] @ weights).tolist()


@examples(15)
@given(seeds)
def test_two_levels_survive_everything_a_list_goes_through(seed: int) -> None:
    store = with_features(two_levels(random.Random(seed))[0])
    store.check()
    flat = dataclasses.replace(store, sparse=store.sparse.flat())
    assert flat.equals(store)
    assert store.equals(flat)
    assert plain(store) == plain(flat)
    assert merge([store]).equals(flat)
    assert distinct(store).equals(store)
    with scratch() as folder:
        for format in ("moses", "jsonl", "store"):
            path = Path(folder) / format
            write_nbest(store, path, format=format)
            assert losses(store, format) == []
            assert read_nbest(path).equals(store)
        saved = NbestStore.open(Path(folder) / "store").sparse
        assert saved is None or (saved.event_features is None) == (store.sparse.event_features is None)


def test_materializing_follows_no_number_that_leads_nowhere() -> None:
    good = {
        "rows": [0, 1],
        "candidate_offsets": [0, 1, 2],
        "events": [0, 1],
        "event_counts": [1.0, 1.0],
        "event_offsets": [0, 1, 2],
        "features": [5, 6],
        "feature_values": [1.0, 2.0],
    }
    types = {
        "rows": "i8",
        "candidate_offsets": "i8",
        "events": "u4",
        "event_counts": "f4",
        "event_offsets": "i8",
        "features": "u4",
        "feature_values": "f4",
    }

    def call(**different: list[float]):
        columns = good | different
        return materialize_sparse(**{name: np.array(columns[name], types[name]) for name in columns})

    assert [part.tolist() for part in call()] == [[0, 1, 2], [5, 6], [1.0, 2.0]]
    for different in (
        {"rows": [2]},
        {"rows": [-1]},
        {"rows": [2**62]},
        {"candidate_offsets": []},
        {"candidate_offsets": [0, 1, 3]},
        {"candidate_offsets": [0, 2, 1]},
        {"candidate_offsets": [1, 1, 2]},
        {"candidate_offsets": [0, 2**62, 2]},
        {"candidate_offsets": [-1, 1, 2]},
        {"events": [0, 2]},
        {"events": [0, 2**32 - 1]},
        {"event_counts": [1.0]},
        {"event_offsets": []},
        {"event_offsets": [0, 1, 2**62]},
        {"event_offsets": [0, 1]},
        {"feature_values": [1.0]},
        {"features": []},
    ):
        with pytest.raises((ValueError, IndexError)):
            call(**different)


def test_names_of_features() -> None:
    for name in ("LM0", "a=b", "x:", "=", "||", "a\u00a0b", "\u2028"):
        assert is_feature_name(name), name
    for name in ("", "a b", "a\tb", "a\nb", "a|||b", "\0", "\ud800"):
        assert not is_feature_name(name), name


# Stored folders ------------------------------------------------------------------------------------------


@pytest.fixture
def folder() -> Iterator[Path]:
    """A stored list that has something in every column."""
    sparse, _, _ = two_levels(random.Random(5))
    text = b"".join(
        b"%d ||| w%d na\xc3\xafve ||| LM= -1.5 TM= 1 %d ||| -3 ||| 0-1=0-0 ||| 0-0\n" % (i // 2 + 1, i % 4, i)
        for i in range(len(sparse.events.offsets) - 1)
    )
    with scratch() as parent:
        dataclasses.replace(read_moses(text), sparse=sparse).save(Path(parent) / "list")
        yield Path(parent) / "list"


def use(path: Path) -> None:
    """Everything that can be done with a list; only our own complaints may come of it."""
    store = read_nbest(path)
    summarize(store)
    list(store.texts())
    merge([store, distinct(store)])
    for format in FORMATS.values():
        format.losses(store)
        for _ in format.write(store):
            pass


def test_each_file_of_a_folder_can_be_damaged(folder: Path) -> None:
    use(folder)
    rng = random.Random(1)
    files = sorted(folder.iterdir())
    assert len(files) >= 18
    refused = 0
    for file in files:
        content = file.read_bytes()
        damages = [b"", content[:-1], content[: len(content) // 2], content + b"\0"]
        damages += [b"\xff" * len(content), b"\x7f" * len(content), b"\0" * len(content)]
        for _ in range(12):
            flipped = bytearray(content)
            for _ in range(rng.randint(1, 3)):
                flipped[rng.randrange(len(flipped))] ^= 1 << rng.randrange(8)
            damages.append(bytes(flipped))
        for damage in damages:
            file.unlink()  # a new file: the old one may still be mapped
            file.write_bytes(damage)
            try:
                use(folder)
            except UserError:
                refused += 1
        file.unlink()
        file.write_bytes(content)
    use(folder)
    assert refused > len(files) * 4  # at the least every file that has another length


def with_manifest(folder: Path, place: tuple[str, ...], value: object) -> Path:
    """A copy whose manifest was changed by somebody who knows how to make its checksum."""
    copy = folder.with_name("copy")
    shutil.copytree(folder, copy, dirs_exist_ok=True)
    manifest = json.loads((copy / "manifest.json").read_text())
    *outer, last = place
    inside = manifest
    for key in outer:
        inside = inside[key]
    inside[last] = value
    if value is None:
        del inside[last]
    del manifest["checksum"]
    canonical = json.dumps(manifest, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    manifest["checksum"] = hashlib.sha256(canonical.encode()).hexdigest()
    (copy / "manifest.json").write_text(json.dumps(manifest))
    return copy


def test_hostile_manifests(folder: Path) -> None:
    arrays = json.loads((folder / "manifest.json").read_text())["arrays"]
    changes = []  # where in the manifest, and what is put there; None removes it
    for name, row in arrays.items():
        changes.append((("arrays", name), None))
        size = int(np.prod(row["shape"])) * np.dtype(row["dtype"]).itemsize
        for dtype in ("|u1", "<f8", "<u4", "|b1"):
            shape = [size // np.dtype(dtype).itemsize]
            changes.append((("arrays", name), row | {"dtype": dtype, "shape": shape}))
        changes.append((("arrays", name, "shape"), [*row["shape"], 1]))
        changes.append((("arrays", name, "shape"), [1, *row["shape"]]))
    row = arrays["scores"]
    for value in (
        [],
        3,
        "x",
        row | {"dtype": ["<f8"]},
        row | {"shape": [True]},
        row | {"file": "/etc/passwd"},
    ):
        changes.append((("arrays", "scores"), value))
    for groups in ([], [["LM", 3]], [["LM", -1], ["TM", 4]], [["LM", 1.5]], [["LM", 1], ["T M", 2]], {}, 3):
        changes.append((("attributes", "dense_groups"), groups))
    for key in ("kind", "version", "arrays", "attributes", "made_by", "format"):
        changes += [((key,), value) for value in (None, [], "x", -1)]
    for place, value in changes:
        damaged = with_manifest(folder, place, value)
        with contextlib.suppress(UserError):
            use(damaged)


def test_what_a_check_finds(folder: Path) -> None:
    store = NbestStore.open(folder)
    store.check()
    sparse = store.sparse
    assert sparse is not None
    assert store.alignment is not None
    events = sparse.events

    def broken(array: np.ndarray, index: int, value: float) -> np.ndarray:
        copy = array.copy()
        copy.reshape(-1)[index] = value
        return copy

    for different in (
        {"sentence_ids": broken(store.sentence_ids, 0, -1)},
        {"sentence_ids": store.sentence_ids[::-1]},
        {"sentence_offsets": broken(store.sentence_offsets, 1, 2**62)},
        {"sentence_offsets": broken(store.sentence_offsets, 1, 0)},
        {"sentence_offsets": store.sentence_offsets[:-1]},
        {"scores": broken(store.scores, 0, np.inf)},
        {"scores": store.scores[:-1]},
        {"dense": broken(store.dense, 0, np.nan)},
        {"dense": store.dense.astype(np.float32)},
        {"tokens": Ragged(store.tokens.offsets, broken(store.tokens.values, 0, 2**32 - 1))},
        {"tokens": Ragged(broken(store.tokens.offsets, 1, -1), store.tokens.values)},
        {"alignment": Ragged(broken(store.alignment.offsets, 1, 99), store.alignment.values)},
        {"alignment": Ragged(store.alignment.offsets, store.alignment.values[:, :1])},
        {"sparse": replace(sparse, event_counts=sparse.event_counts[:-1])},
        {"sparse": replace(sparse, event_counts=broken(sparse.event_counts, 0, np.nan))},
        {"sparse": replace(sparse, events=Ragged(events.offsets, broken(events.values, 0, 99)))},
        {"sparse": replace(sparse, feature_values=np.zeros(1, np.float32))},
        {"sparse": replace(sparse, event_features=Ragged(np.zeros(0, np.int64), np.zeros(0, np.uint32)))},
        {"sparse": replace(sparse, names=Vocabulary())},
    ):
        with pytest.raises(ModelFormatError, match="the n-best store is damaged"):
            dataclasses.replace(store, **different).check()


def test_words_that_no_line_can_carry_are_not_written() -> None:
    store = read_moses(b"0 ||| a ||| ||| 1\n")
    for word in ("a b", "a|||b", "", "a\nb", "\0"):
        words = Vocabulary()
        words.add(word)
        with pytest.raises(ModelFormatError, match="is not allowed in an n-best list"):
            list(FORMATS["moses"].write(dataclasses.replace(store, words=words)))


@examples(40)
@given(seeds)
def test_summary(seed: int) -> None:
    given_list = random_list(random.Random(seed))
    rows = expected(given_list).rows
    summary = summarize(store_of(given_list))
    by_sentence = [[row for row in rows if row.sentence == n] for n in {row.sentence for row in rows}]
    assert summary.sentences == len(by_sentence)
    assert summary.missing_sentences == max(row.sentence for row in rows) + 1 - len(by_sentence)
    assert (summary.fewest, summary.most) == (min(map(len, by_sentence)), max(map(len, by_sentence)))
    assert summary.candidates == len(rows)
    assert summary.distinct == len({(row.sentence, row.words) for row in rows})
    assert summary.words == sum(len(row.words) for row in rows)
    assert summary.vocabulary == len({word for row in rows for word in row.words})
    assert summary.empty_candidates == sum(not row.words for row in rows)
    assert summary.unscored == sum(row.score is None for row in rows)
    json.dumps(summary.to_dict(), allow_nan=False)
    for column, values in zip(
        summary.columns, np.array([[v for _, vs in r.dense for v in vs] for r in rows]).T, strict=True
    ):
        assert (column.least, column.greatest) == (min(values), max(values))
        assert min(values) <= column.mean <= max(values) or np.isclose(column.mean, max(values))


def test_a_store_read_from_a_folder_is_the_same_list(folder: Path) -> None:
    assert exact(plain(NbestStore.open(folder))) == exact(plain(read_nbest(folder)))
