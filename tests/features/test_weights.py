"""Weights of sparse features: stored by name, and learned with their average."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss import _engine
from isogloss.features import SparseModel, SparseOptions, SparseWeights, TokenColumn
from isogloss.io.errors import ConfigError, ModelFormatError, UserError
from isogloss.storage.folder import open_folder, write_folder
from support.properties import examples
from support.small_search import make_decoder
from support.sparse_oracle import escaped

words = st.text("|:#()_+@=~\\abÄ中ع9 ", min_size=1, max_size=5).map(escaped)
floats = st.floats(-1e6, 1e6, width=32)
named = st.dictionaries(st.builds("pair:{}|{}".format, words, words), floats, max_size=30)


# --- Stored ----------------------------------------------------------------------------------------------


@examples(40)
@given(named, st.sampled_from(["", "0123abcd"]))
def test_stored_weights_are_the_same_weights(
    tmp_path_factory: pytest.TempPathFactory, weights: dict[str, float], signature: str
) -> None:
    kept = {name: weight for name, weight in weights.items() if weight != 0}
    made = SparseWeights.from_names(weights, signature=signature)
    folder = tmp_path_factory.mktemp("weights") / "stored"
    made.save(folder)
    opened = SparseWeights.open(folder)
    for stored in (made, opened):
        assert stored.signature == signature
        assert len(stored) == len(kept)
        assert list(stored) == list(kept.items())  # in the order in which they were given
        assert all(stored[name] == weight for name, weight in weights.items())
        assert stored["pair:not|there"] == 0.0
        strongest = stored.strongest(5)
        assert [abs(w) for _, w in strongest] == sorted(map(abs, kept.values()), reverse=True)[:5]
        assert all(kept[name] == weight for name, weight in strongest)
        numbers = _engine.feature_numbers(list(weights))
        assert stored.engine.weights(numbers).tolist() == list(weights.values())


def test_a_folder_is_written_over_by_newer_weights_only(tmp_path: Path) -> None:
    SparseWeights.from_names({"pair:a|b": 1.0}).save(tmp_path / "w")
    old = SparseWeights.open(tmp_path / "w")
    SparseWeights.from_names({"pair:c|d": 2.0, "pair:e|f": 3.0}).save(tmp_path / "w")
    assert dict(SparseWeights.open(tmp_path / "w")) == {"pair:c|d": 2.0, "pair:e|f": 3.0}
    assert dict(old) == {"pair:a|b": 1.0}
    SparseModel().save(tmp_path / "model")
    with pytest.raises(UserError, match="sparse-features"):
        SparseWeights.from_names({"pair:a|b": 1.0}).save(tmp_path / "model")


@pytest.mark.parametrize(
    ("weights", "problem"),
    [
        ({"pair:a|b": 1.0, "pair": 2.0}, "'pair' is not the name of a sparse feature"),
        ({"pair:a|b": float("nan")}, "not a finite number"),
        ({"pair:a|b": float("inf")}, "not a finite number"),
        ({"pair:a|b": 1e300}, "not a finite number"),
        # One feature under two names.
        (
            {"pair:x|y": 1.0, "pair:surface=a|b": 1.0, "pair:a|b": 2.0},
            "'pair:surface=a|b' and 'pair:a|b' have the same number; leave one of them out",
        ),
    ],
)
def test_weights_that_cannot_be(weights: dict[str, float], problem: str) -> None:
    with pytest.raises(ConfigError) as raised:
        SparseWeights.from_names(weights)
    assert problem in str(raised.value)


@pytest.mark.parametrize(
    ("numbers", "problem"),
    [
        ([5, 7, 5], "the sparse feature 'a' occurs twice"),
        ([5, 5, 7], "the sparse features 'a' and 'b' have the same number"),
        ([0, 5, 7], "a sparse feature has the number 0"),
    ],
)
def test_numbers_that_cannot_be(numbers: list[int], problem: str) -> None:
    names = np.frombuffer(b"aba", np.uint8)
    ends = np.array([1, 2, 3], np.uint64)
    with pytest.raises(ConfigError, match=problem):
        SparseWeights.from_numbers(np.array(numbers, np.uint64), np.ones(3, np.float32), names, ends)


def arrays_of(folder: Path) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
    stored = open_folder(folder, kind="sparse-weights", version=2)
    return {name: np.array(array) for name, array in stored.arrays.items()}, dict(stored.attributes)


@pytest.mark.parametrize(
    "damage", ["no table", "table of floats", "narrow table", "no names", "no signature"]
)
def test_arrays_of_something_else_are_refused(damage: str, tmp_path: Path) -> None:
    SparseWeights.from_names({"pair:a|b": 1.0, "pair:c|d": 2.0}).save(tmp_path / "w")
    arrays, attributes = arrays_of(tmp_path / "w")
    match damage:
        case "no table":
            del arrays["table"]
        case "table of floats":
            arrays["table"] = arrays["table"].astype(np.float32)
        case "narrow table":
            arrays["table"] = np.ascontiguousarray(arrays["table"][:, :3])
        case "no names":
            del arrays["name_ends"]
        case "no signature":
            del attributes["signature"]
    write_folder(tmp_path / "x", kind="sparse-weights", version=2, arrays=arrays, attributes=attributes)
    with pytest.raises(ModelFormatError, match="the arrays are not sparse weights"):
        SparseWeights.open(tmp_path / "x")


@examples(25)
@given(st.data())
def test_nonsense_in_the_arrays_harms_nobody(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Whatever the numbers are, reading ends, in an error or with some text and weights."""
    folder = tmp_path_factory.mktemp("damaged")
    SparseWeights.from_names({f"pair:a|{i}": 1.0 + i for i in range(12)}).save(folder / "w")
    arrays, attributes = arrays_of(folder / "w")
    array = arrays[data.draw(st.sampled_from(["table", "names", "name_ends"]))]
    flat = array.reshape(-1).view(np.uint8)
    for _ in range(data.draw(st.integers(1, 12))):
        begin = data.draw(st.integers(0, len(flat) - 1))
        flat[begin : begin + data.draw(st.sampled_from([1, 8, 1000]))] = data.draw(st.integers(0, 255))
    write_folder(folder / "x", kind="sparse-weights", version=2, arrays=arrays, attributes=attributes)
    try:
        opened = SparseWeights.open(folder / "x")
        for name, weight in [*opened, *opened.strongest(20)]:
            assert isinstance(name, str)
            assert isinstance(weight, float)
        opened.engine.weights(np.arange(100, dtype=np.uint64) << np.uint64(57))
    except ModelFormatError:
        pass


@pytest.mark.parametrize("file", ["manifest.json", "table", "cut"])
def test_a_damaged_folder_is_refused(file: str, tmp_path: Path) -> None:
    SparseWeights.from_names({"pair:a|b": 1.0, "pair:c|d": 2.0}).save(tmp_path / "w")
    manifest = tmp_path / "w" / "manifest.json"
    table = next(path for path in (tmp_path / "w").iterdir() if "table" in path.name)
    match file:
        case "manifest.json":
            stored = json.loads(manifest.read_text())
            stored["version"] = 99
            manifest.write_text(json.dumps(stored))
        case "table":
            table.unlink()
        case "cut":
            table.write_bytes(table.read_bytes()[:-5])
    with pytest.raises(ModelFormatError, match=str(tmp_path)):
        SparseWeights.open(tmp_path / "w")
    SparseModel().save(tmp_path / "model")
    with pytest.raises(ModelFormatError, match="holds a stored 'sparse-features', not a 'sparse-weights'"):
        SparseWeights.open(tmp_path / "model")


@pytest.mark.parametrize("value", [np.nan, np.inf, 3e38])
def test_a_search_with_damaged_weights_says_so(value: float, tmp_path: Path) -> None:
    rules = [f"{s} ||| {t} ||| 0-0" for s in "abc" for t in ("x", "y", "z", "x y")]
    model = SparseModel(SparseOptions(templates=("pair", "target_bigram")))
    decoder = make_decoder(tmp_path, rules, model)
    SparseWeights.from_names({"pair:x|a": 1.0, "target_bigram:x|y": 1.0}).save(tmp_path / "w")
    arrays, attributes = arrays_of(tmp_path / "w")
    arrays["table"][:, 2] = np.float32(value).view(np.uint32)
    write_folder(tmp_path / "x", kind="sparse-weights", version=2, arrays=arrays, attributes=attributes)
    decoder.set_weights(decoder.weights, SparseWeights.open(tmp_path / "x"))
    with pytest.raises(
        ConfigError, match="not a finite number: the weights are much too large, or their file"
    ):
        decoder.nbest(["a b c a b c"], nbest=50)


# --- The features they belong to -------------------------------------------------------------------------


def models() -> dict[str, SparseModel]:
    options = SparseOptions(templates=("pair",))
    tagged = SparseOptions(templates=("pair",), source_types=("surface", "tag"))
    return {
        "plain": SparseModel(options),
        "template": SparseModel(SparseOptions(templates=("pair", "insertion"))),
        "types": SparseModel(SparseOptions(templates=("pair",), source_types=("surface",))),
        "one template's types": SparseModel(
            SparseOptions(templates=("pair",), template_types={"pair": (("surface",), ("surface",))})
        ),
        "column": SparseModel(tagged, source_columns={"tag": TokenColumn({"a": ("N",)})}),
        "column's values": SparseModel(tagged, source_columns={"tag": TokenColumn({"a": ("N", "V")})}),
    }


def test_models_with_other_features_have_other_signatures(tmp_path: Path) -> None:
    found = models()
    assert len({model.signature for model in found.values()}) == len(found)
    for number, (name, model) in enumerate(found.items()):
        assert model.signature == models()[name].signature
        model.save(tmp_path / str(number))
        opened = SparseModel.open(tmp_path / str(number))
        assert opened.signature == model.signature
        assert opened.options == model.options


def test_weights_of_other_features_are_refused(tmp_path: Path) -> None:
    found = models()
    decoder = make_decoder(tmp_path, ["a ||| x ||| 0-0"], found["plain"])
    for name, model in found.items():
        weights = SparseWeights.from_names({"pair:x|a": 1.0}, signature=model.signature)
        if name == "plain":
            decoder.set_weights(decoder.weights, weights)
            continue
        with pytest.raises(ConfigError) as raised:
            decoder.set_weights(decoder.weights, weights)
        assert str(raised.value) == (
            "the weights belong to other sparse features than the system has (templates pair; "
            "source types surface, prefix, suffix, digits; target types surface, prefix, suffix, digits); "
            "use the system they were tuned with, or tune again"
        )
    weights = SparseWeights.from_names({"pair:x|a": 1.0}, signature=found["types"].signature)
    weights.save(tmp_path / "weights")
    with pytest.raises(ConfigError, match=f"^{tmp_path / 'weights'}: the weights belong to other"):
        decoder.set_weights(decoder.weights, SparseWeights.open(tmp_path / "weights"))
    # Refused weights change nothing.
    assert decoder.nbest(["a"]).scores.tolist() == [1.0]


def test_a_system_without_sparse_features_takes_no_weights_of_them(tmp_path: Path) -> None:
    decoder = make_decoder(tmp_path, ["a ||| x ||| 0-0"], None)
    with pytest.raises(ConfigError, match="the weights include sparse features, but the system has none"):
        decoder.set_weights(decoder.weights, SparseWeights.from_names({"pair:x|a": 1.0}))


# --- Learned ---------------------------------------------------------------------------------------------

NUMBERS = (1, 2, 2**32, 2**63, 2**64 - 1, *range(10, 2000, 7))
changes = st.lists(st.tuples(st.sampled_from(NUMBERS), st.integers(-512, 512)), max_size=40)


@examples(60)
@given(st.lists(st.one_of(changes, st.just("next step"), st.just("restore")), max_size=30))
def test_the_average_is_that_of_all_steps(actions: list[Any]) -> None:
    learned = _engine.LearnedWeights()
    now: dict[int, float] = {}
    steps: list[dict[int, float]] = []
    for action in actions:
        if action == "next step":
            learned.next_step()
            steps.append(dict(now))
        elif action == "restore":
            columns, count = learned.columns(), learned.steps
            learned = _engine.LearnedWeights()
            learned.add(np.array([3], np.uint64), np.ones(1, np.float32))
            learned.restore(*columns, count)
        else:
            fresh = add(learned, action)
            assert fresh == list(dict.fromkeys(number for number, _ in action if number not in now))
            for number, change in action:
                now[number] = now.get(number, 0.0) + change / 512
    features, weights, sums, _ = learned.columns()
    assert learned.steps == len(steps)
    assert len(learned) == len(now)
    assert dict(zip(features.tolist(), weights.tolist(), strict=True)) == now
    assert dict(zip(features.tolist(), sums.tolist(), strict=True)) == {
        number: sum(step.get(number, 0.0) for step in steps) for number in now
    }
    assert learned.weights(np.array(NUMBERS, np.uint64)).tolist() == [now.get(n, 0.0) for n in NUMBERS]


def add(learned: _engine.LearnedWeights, pairs: list[tuple[int, int]]) -> list[int]:
    numbers = np.array([number for number, _ in pairs], np.uint64)
    values = np.array([change / 512 for _, change in pairs], np.float32)
    return learned.add(numbers, values).tolist()  # type: ignore[no-any-return]


def test_a_hundred_thousand_features_take_under_forty_bytes_each() -> None:
    rng = np.random.default_rng(1)
    learned = _engine.LearnedWeights()
    numbers = np.unique(rng.integers(1, 2**64 - 1, 100_000, dtype=np.uint64))
    for part in np.array_split(rng.permutation(numbers), 50):
        learned.add(part, np.ones(len(part), np.float32))
        learned.next_step()
        if len(learned) > 10_000:
            assert learned.bytes < 40 * len(learned)
    features, _, sums, _ = learned.columns()
    assert np.array_equal(np.sort(features), numbers)
    assert sums.sum() == sum(len(part) * (50 - i) for i, part in enumerate(np.array_split(numbers, 50)))


def test_what_cannot_be_learned() -> None:
    learned = _engine.LearnedWeights()
    two, one = np.array([5, 5], np.uint64), np.ones(1, np.float32)
    with pytest.raises(ValueError, match="a change for each feature is expected"):
        learned.add(two, one)
    with pytest.raises(ValueError, match="0 is not the number of a feature"):
        learned.add(np.zeros(1, np.uint64), one)
    with pytest.raises(ValueError, match="the features are not in ascending order"):
        learned.restore(two, np.ones(2, np.float32), np.ones(2), np.ones(2, np.uint32), 3)
    with pytest.raises(ValueError, match="the features are not in ascending order"):
        learned.restore(np.zeros(1, np.uint64), one, np.ones(1), np.ones(1, np.uint32), 3)
    with pytest.raises(ValueError, match="as many weights, sums and checks as features"):
        learned.restore(two, one, np.ones(2), np.ones(2, np.uint32), 3)


def test_a_search_with_weights_that_are_being_learned(tmp_path: Path) -> None:
    model = SparseModel(SparseOptions(templates=("pair",)))
    decoder = make_decoder(tmp_path, ["a ||| x ||| 0-0", "a ||| y ||| 0-0"], model)
    learned = _engine.LearnedWeights()
    numbers = _engine.feature_numbers(["pair:x|a", "pair:y|a"])
    for change, best in (([1, 2], "y"), ([3, 0], "x"), ([0, 4], "y")):
        learned.add(numbers, np.array(change, np.float32))
        decoder.set_weights(decoder.weights, learned)
        assert list(decoder.nbest(["a"]).texts()) == [best]
    assert decoder.nbest(["a"], nbest=2).scores.tolist() == [6.0, 4.0]
    # Weights that grew since they were set are still looked up where they are now.
    learned.add(np.arange(1, 9999, dtype=np.uint64) << np.uint64(48), np.ones(9998, np.float32))
    assert decoder.nbest(["a"], nbest=2).scores.tolist() == [6.0, 4.0]


def test_a_decoder_keeps_no_weights_but_its_own(tmp_path: Path) -> None:
    decoder = make_decoder(tmp_path, ["a ||| x ||| 0-0"], SparseModel())
    weights = SparseWeights.from_names({"pair:x|a": 2.0})
    decoder.set_weights(decoder.weights, weights)
    references = sys.getrefcount(weights.engine)
    assert decoder.nbest(["a"]).scores.tolist() == [2.0]
    decoder.set_weights(decoder.weights)
    assert decoder.nbest(["a"]).scores.tolist() == [0.0]
    assert sys.getrefcount(weights.engine) < references
