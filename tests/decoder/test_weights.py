from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.decoder import (
    HIERARCHICAL_WEIGHTS,
    PHRASE_WEIGHTS,
    default_weights,
    read_weights,
    write_weights,
)
from isogloss.decoder.weights import check_weights
from isogloss.io.errors import ConfigError, DataFormatError
from support.properties import examples

NUMBERS = st.floats(min_value=-1e30, max_value=1e30)


@examples(50)
@given(st.dictionaries(st.text("abc_é", min_size=1), NUMBERS), st.sampled_from(["w.tsv", "w.gz", "w.zst"]))
def test_weights_survive_a_file(weights: dict[str, float], name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_weights(Path(folder) / name, weights)
        assert read_weights(Path(folder) / name) == weights


def test_weights_come_in_the_order_of_the_features(tmp_path: Path) -> None:
    (tmp_path / "w").write_bytes(gzip.compress(b"b\t2\n\na\t1e-1\n"))
    assert list(read_weights(tmp_path / "w", ["a", "b"]).items()) == [("a", 0.1), ("b", 2.0)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\t1\n", "w: no weight for b; expected are a, b"),
        ("a\t1\nb\t1\nc\t1\n", "w: no feature is called c; expected are a, b"),
        ("a\t1\nc\t1\n", "w: no weight for b and no feature is called c; expected are a, b"),
        ("a 1\n", "w:1: 'a 1' is not a name and a weight; write a name, a tab and a weight"),
        ("a\t1\na\t1\n", "w:2: the feature 'a' occurs twice"),
        ("a\tone\n", "w:1: 'one' found, a finite number is expected"),
        ("a\tnan\n", "w:1: 'nan' found, a finite number is expected"),
        ("a\t1e300\n", "w:1: '1e300' found, a finite number is expected"),
    ],
)
def test_bad_files(text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("w").write_text(text)
    with pytest.raises(DataFormatError) as caught:
        read_weights("w", ["a", "b"])
    assert str(caught.value) == message


def test_weights_given_in_python() -> None:
    assert check_weights({"b": 1, "a": 2}, ["a", "b"]) == {"a": 2.0, "b": 1.0}
    with pytest.raises(ConfigError, match="no weight for b; expected are a, b"):
        check_weights({"a": 1}, ["a", "b"])
    with pytest.raises(ConfigError, match="the weight of 'a' is inf"):
        check_weights({"a": float("inf")}, ["a"])


def test_default_weights() -> None:
    assert HIERARCHICAL_WEIGHTS.keys() == PHRASE_WEIGHTS.keys()
    assert default_weights(["lm"], hierarchical=True) == {"lm": HIERARCHICAL_WEIGHTS["lm"]}
    assert default_weights(["lm"], hierarchical=False) == {"lm": PHRASE_WEIGHTS["lm"]}
    with pytest.raises(ConfigError, match=r"the features other have no default weights; .* lm, other"):
        default_weights(["lm", "other"], hierarchical=True)
