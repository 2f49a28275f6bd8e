"""Confidence: a stored model predicts what it learned, and systems without one keep the rule of thumb."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import numpy as np
import pytest

from isogloss.decoder import ConfidenceModel, load, translation_confidences
from isogloss.decoder.confidence import read_confidence, translation_properties, write_confidence
from isogloss.io.errors import ModelFormatError
from isogloss.nbest.edit import best_rows


def model(**changes: object) -> ConfidenceModel:
    facts = {
        "names": ("length", "has unknown words"),
        "shift": np.array([1.0, 0.5]),
        "scale": np.array([2.0, 0.25]),
        "weights": np.array([0.5, -1.0]),
        "bias": 0.25,
        "sentences": 77,
    }
    return ConfidenceModel(**{**facts, **changes})  # type: ignore[arg-type]


def test_prediction_is_the_logistic_of_the_scaled_sum() -> None:
    found = model().predict({"length": np.array([3.0, 1.0]), "has unknown words": np.array([0.75, 0.5])})
    assert found.tolist() == pytest.approx(
        [1 / (1 + math.exp(-(0.25 + 0.5 * 1 - 1.0 * 1))), 1 / (1 + math.exp(-0.25))]
    )
    # What is quite unlike the text it was learned from counts as if it were three deviations away.
    far = model().predict({"length": np.array([1000.0])})
    assert far[0] == pytest.approx(1 / (1 + math.exp(-(0.25 + 0.5 * 3))))
    assert model().predict({"other": np.array([9.0])})[0] == pytest.approx(1 / (1 + math.exp(-0.25)))


def test_a_stored_model_is_the_same(tmp_path: Path) -> None:
    write_confidence(tmp_path / "confidence", model())
    back = read_confidence(tmp_path / "confidence")
    assert back is not None
    given = {"length": np.array([0.3]), "has unknown words": np.array([1.0])}
    assert back.predict(given).tolist() == model().predict(given).tolist()
    assert (back.names, back.sentences) == (model().names, 77)
    write_confidence(tmp_path / "none", None)
    assert read_confidence(tmp_path / "none") is None


@pytest.mark.parametrize(
    "changes",
    [
        {"scale": np.array([1.0, 0.0])},
        {"weights": np.array([1.0])},
        {"bias": math.nan},
        {"names": ("length",)},
    ],
)
def test_a_model_that_makes_no_sense_is_refused(tmp_path: Path, changes: dict[str, object]) -> None:
    write_confidence(tmp_path / "confidence", model(**changes))
    with pytest.raises(ModelFormatError, match="is damaged"):
        read_confidence(tmp_path / "confidence")


@pytest.fixture(scope="module")
def sources(systems: Path) -> list[str]:
    lines = (systems / "corpus" / "dev.src").read_text().splitlines()[:6]
    return [*lines, "zzyzx " + lines[0], ""]


def test_properties_are_those_of_the_translation(systems: Path, sources: list[str]) -> None:
    system = load(systems / "phrase")
    store = system.nbest(sources, nbest=3)
    rows = best_rows(store)
    lengths = [len(line.split()) for line in sources]
    found = translation_properties(store, rows, lengths)
    for number, (row, length) in enumerate(zip(rows.tolist(), lengths, strict=True)):
        dense = dict(zip(store.dense_names, store.dense[row].tolist(), strict=True))
        words = max(1, length)
        assert found["length"][number] == pytest.approx(math.log(words))
        made = len(store.text(row).split())
        assert found["length ratio"][number] == pytest.approx(math.log((made + 1) / (words + 1)))
        assert found["has unknown words"][number] == (dense["unknown"] > 0)
        assert found["one rule"][number] == (dense["rules"] <= 1)
        assert found["lm per word"][number] == pytest.approx(dense["lm"] / words)
    assert found["has unknown words"][6] == 1
    assert 0 < found["has unknown words"].sum() < len(sources)


def test_a_system_uses_the_model_that_it_has(systems: Path, sources: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "system"
    shutil.copytree(systems / "phrase", folder)
    system = load(folder)
    assert system.confidence_model is None
    before = [found.confidence for found in system.translate(sources)]
    assert before[6] < before[0]  # by a rule of thumb
    learned = model(names=("length", "has unknown words"), shift=np.zeros(2), scale=np.ones(2))
    system.save_confidence(learned)
    for one in (system, load(folder)):
        found = [one.confidence for one in one.translate(sources)]
        store = one.nbest(sources, nbest=1)
        lengths = [len(line.split()) for line in sources]
        expected = learned.predict(translation_properties(store, best_rows(store), lengths))
        assert found[:-1] == expected.round(3).tolist()[:-1]
        assert found[-1] == 1.0  # an empty sentence
        assert found == translation_confidences(store, best_rows(store), lengths, learned)
    # It was learned with other weights than these.
    system.save_weights({**system.weights, "lm": 2.0})
    assert system.confidence_model is None
    assert load(folder).confidence_model is None
    assert not (folder / "confidence").exists()


def test_a_translation_is_as_confident_alone_as_among_others(systems: Path, sources: list[str]) -> None:
    system = load(systems / "phrase")
    given = [*sources[:5], "", "qqq www"]
    together = [line.confidence for line in system.translate(given)]
    alone = [next(iter(system.translate([line]))).confidence for line in given]
    assert together == alone
    assert len(set(together)) > 3
