"""Features by name: those of the package, and those that users register."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from isogloss.io.errors import ConfigError
from isogloss.nbest import NbestList
from isogloss.rerank import FeatureContext, FeatureFunction, Reranker, as_functions, feature, registry
from isogloss.rerank.features import computed
from isogloss.rerank.functions.lengths import Lengths
from isogloss.rerank.preparation import context_of


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "_REGISTERED", {})
    return


def values(features: object, nbest: NbestList) -> list[list[float]]:
    context = context_of(nbest)
    return computed(nbest.store, as_functions(features), context)[1].T.tolist()  # type: ignore[arg-type]


NBEST = NbestList([["a b", "a"], ["c c c"]], source=["x y", "z"])


def test_registered_functions_are_features_by_name() -> None:
    @feature
    def longer(source: str, candidate: str) -> bool:
        return len(candidate.split()) > len(source.split())

    @feature(name="Letters")
    def letters(candidate: str) -> int:
        return len(candidate)

    assert longer("x", "a b")
    assert values("longer Letters", NBEST) == values([longer, letters], NBEST) == [[0, 0, 1], [3, 1, 5]]
    assert values(["Letters:label=Size"], NBEST) == [[3, 1, 5]]
    written = [one.written() for one in as_functions([letters, "Letters:label=Size"])]
    assert written == ["function:Letters", "function:Letters,label=Size"]
    assert as_functions(written)[1].columns() == ("Size",)
    assert values([lambda_named := len], NBEST) == [[3, 1, 5]]
    assert as_functions([lambda_named])[0].columns() == ("len",)


def test_registered_classes_are_features_by_name(tmp_path) -> None:
    @feature
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Capped(FeatureFunction):
        name: ClassVar[str] = "capped"
        most: int = 2
        label: str = "Capped"

        def compute(self, context: FeatureContext) -> np.ndarray:
            return np.minimum(context.lengths(), self.most)

    assert values("capped capped:1,label=One", NBEST) == [[2, 1, 2], [1, 1, 1]]
    assert values([Capped, Capped(most=3, label="Three")], NBEST) == [[2, 1, 2], [2, 1, 3]]
    Reranker("capped:3").fit(NBEST, ["a", "c c"]).save(tmp_path / "model")
    assert Reranker.load(tmp_path / "model").feature_names == ("Capped",)
    registry._REGISTERED.clear()
    with pytest.raises(ConfigError, match="the feature 'capped' is a class that is unknown in this process"):
        Reranker.load(tmp_path / "model")


def test_a_function_that_is_registered_again_is_the_new_one() -> None:
    for size in (1, 2):

        @feature(name="Size")
        def constant(candidate: str, size: int = size) -> float:
            return float(size)

    assert values("Size", NBEST) == [[2, 2, 2]]


def test_names_and_functions_that_cannot_be() -> None:
    with pytest.raises(ConfigError, match="'lengths' is a built-in feature"):
        feature(name="lengths")(len)
    with pytest.raises(ConfigError, match="'a b' is not a valid feature name"):
        feature(name="a b")(len)
    with pytest.raises(ConfigError, match="'<lambda>' is not a valid feature name; give one"):
        as_functions([lambda candidate: 1.0])
    with pytest.raises(
        ConfigError, match="the class is named 'lengths'; to call it 'other', change the name"
    ):
        feature(name="other")(Lengths)

    class Impostor(Lengths):
        pass

    with pytest.raises(ConfigError, match="'lengths' is a built-in feature"):
        as_functions([Impostor()])
    with pytest.raises(
        ConfigError, match=r"no feature function is called 'bogus'; .* with @isogloss.feature"
    ):
        as_functions("bogus")
    with pytest.raises(ConfigError, match="3 is not a feature"):
        as_functions([3])  # type: ignore[list-item]


def test_mistakes_of_functions_are_explained() -> None:
    def wordy(candidate: str) -> float:
        return candidate  # type: ignore[return-value]

    def curious(source: str, candidate: str) -> float:
        return 1.0

    def greedy(a: str, b: str, c: str) -> float:
        return 1.0

    def broken(candidate: str) -> float:
        return float("nan")

    with pytest.raises(ConfigError, match="'wordy' gave 'a b' for candidate 1; a number is expected"):
        values([wordy], NBEST)
    with pytest.raises(ConfigError, match="the feature 'curious' needs the source text: give source="):
        values([curious], NbestList([["a"]]))
    with pytest.raises(
        ConfigError, match=r"'greedy' must take \(source, candidate\) or \(candidate\), but it takes 3"
    ):
        values([greedy], NBEST)
    with pytest.raises(ConfigError, match="'function:broken' is not a finite number for candidate 1"):
        values([broken], NBEST)
