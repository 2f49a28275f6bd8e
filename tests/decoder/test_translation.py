"""Translations are strings that know how they came about, whoever made them."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.corpus.processing import SideOptions, TextProcessing, TextSide
from isogloss.decoder import (
    ExternalDecoder,
    Fixed,
    Lattice,
    Sentence,
    System,
    Translation,
    Translator,
    load,
    translation_confidences,
)
from isogloss.features.weights import SparseWeights
from isogloss.io.errors import ConfigError
from isogloss.nbest.edit import best_rows
from isogloss.tuning import TuneIteration, TuneResult


@pytest.fixture(scope="module")
def sources(systems: Path) -> list[str]:
    lines = (systems / "corpus" / "dev.src").read_text().splitlines()[:6]
    return [*lines, "zzyzx " + lines[0], ""]


@pytest.fixture(scope="module", params=["phrase", "hierarchical"])
def system(systems: Path, request: pytest.FixtureRequest) -> System:
    return load(systems / request.param)


def test_it_is_a_string(system: System, sources: list[str]) -> None:
    found = system.translate(sources[0])
    assert isinstance(found, str)
    assert found == str(found) == found.text == f"{found}"
    assert type(found.text) is str
    assert json.dumps([found]) == json.dumps([str(found)])
    assert {found: 1}[str(found)] == 1
    assert next(system.translate(sources)) == found


def test_it_knows_what_the_search_knows(system: System, sources: list[str]) -> None:
    store, derivations = system.explained(sources)
    weights = np.array(list(system.weights.values()))
    chosen = best_rows(store)
    sure = translation_confidences(store, chosen, [len(line.split()) for line in sources])
    for number, found in enumerate(system.translate(sources, threads=2)):
        row = int(chosen[number])
        assert found.source == sources[number]
        assert found.source_tokens == tuple(sources[number].split())
        assert " ".join(found.tokens) == store.text(row) == found
        assert found.features == dict(zip(store.dense_names, store.dense[row].tolist(), strict=True))
        assert found.score == pytest.approx(weights @ list(found.features.values()), rel=1e-5, abs=1e-4)
        assert found.derivation == derivations[row]
        assert store.alignment is not None
        assert found.alignment == tuple(map(tuple, store.alignment.row(row).tolist()))
        assert found.confidence == sure[number]
        assert len(found.unknown) == found.features["unknown"]
        assert set(found.unknown) <= set(found.source_tokens)
        assert ("zzyzx" in found.unknown) == sources[number].startswith("zzyzx")
    assert sure[-1] == 1.0
    assert system.translate("qqq www").confidence == 0.0


def test_other_weights_later_change_nothing(systems: Path, sources: list[str]) -> None:
    system = load(systems / "phrase")
    found, expected = system.translate(sources[0]), system.translate(sources[0]).derivation
    system.decoder.set_weights(dict.fromkeys(system.weights, -1.0))
    assert system.translate(sources[0]) != found
    assert found.derivation == expected
    assert system.weights == dict.fromkeys(system.weights, -1.0)


def test_within_a_time_limit_it_is_what_was_found(system: System, sources: list[str]) -> None:
    found = system.translate(sources[1], time_limit=1e-6)
    ends = [step.target_span[1] for step in found.derivation]
    assert max(ends) == len(found.tokens)


def test_lattices_and_sentences(system: System, sources: list[str]) -> None:
    words = sources[0].split()
    lattice = system.translate(Lattice.from_words(words))
    assert (lattice.source, lattice.source_tokens) == ("", ())
    assert 0 < lattice.confidence <= 1
    given = system.translate(Sentence.of(words, fixed=[Fixed(0, 1, ("xyz",))]))
    assert given.source == sources[0]
    assert "xyz" in given
    assert {step.origin for step in given.derivation} >= {"fixed"}


def test_it_survives_pickling_and_copying(system: System, sources: list[str]) -> None:
    for found in system.translate(sources):
        back = pickle.loads(pickle.dumps(found))
        assert back == found
        assert isinstance(back, Translation)
        assert back.to_dict() == found.to_dict()
        assert copy.deepcopy(found) is found


def test_it_is_plain_values_and_a_row_of_a_table(system: System, sources: list[str]) -> None:
    found = list(system.translate(sources[:3]))
    for one in found:
        row = one.to_dict()
        assert json.loads(json.dumps(row))["text"] == one
        assert row["unknown"] == list(one.unknown)
        assert row["derivation"][0]["kind"]
    # What pandas.DataFrame does with a list whose first item is a dataclass.
    assert dataclasses.is_dataclass(found[0])
    assert [dataclasses.asdict(one) for one in found] == [  # type: ignore[call-overload]
        {"text": str(one), "source": one.source, "score": one.score, "confidence": one.confidence}
        for one in found
    ]


def test_a_table_of_pandas(system: System, sources: list[str]) -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(list(system.translate(sources[:3])))
    assert list(table.columns) == ["text", "source", "score", "confidence"]
    assert table["source"].tolist() == sources[:3]


def test_one_can_be_made_by_hand() -> None:
    made = Translation("the house", source="das Haus", score=-1.5, features={"lm": -3}, alignment=[(0, 0)])
    assert (made, made.source, made.score, made.features) == ("the house", "das Haus", -1.5, {"lm": -3})
    assert pickle.loads(pickle.dumps(made)).alignment == ((0, 0),)


def test_text_goes_in_and_comes_out_as_people_write_it(systems: Path) -> None:
    plain = load(systems / "phrase")
    side = TextSide(SideOptions(tokenizer="moses", language="en", case="lowercase"))
    system = System(plain.decoder, plain.path, TextProcessing(source=side, target=side))
    found = system.translate("The miller, sees!")
    assert found.source == "The miller, sees!"
    assert found.source_tokens == ("the", "miller", ",", "sees", "!")
    explained = system.explain("The miller, sees!")
    assert (explained.source, explained.text) == ("the miller , sees !", found)
    assert explained.translation == " ".join(found.tokens)
    assert system.explain("the miller", tokenized=True).source == "the miller"


COPY = """
import sys
for number, line in enumerate(sys.stdin):
    words = line.split()
    links = " ".join(f"{i}-{i}" for i in range(len(words)))
    print(number, line.strip(), f"words= {len(words)}", len(words), "", links, sep=" ||| ")
"""


def shout(translator: Translator, line: str) -> str:
    """What code looks like that only wants to translate."""
    return str(translator.translate(line)).upper()


def test_a_command_translates_too(tmp_path: Path) -> None:
    (tmp_path / "copy.py").write_text(COPY)
    command = [sys.executable, "-S", "-E", str(tmp_path / "copy.py"), "{weights}"]
    decoder = ExternalDecoder(command, weights={"words": 2.0})
    assert shout(decoder, "a b c") == "A B C"
    found = decoder.translate("a b c")
    assert (found.score, found.features, found.derivation) == (3.0, {"words": 3.0}, ())
    assert found.alignment == ((0, 0), (1, 1), (2, 2))
    assert [str(one) for one in decoder.translate(["x", "y z"])] == ["x", "y z"]
    explained = decoder.explain("a b")
    assert [(item.name, item.points) for item in explained.dense] == [("words", 4.0)]
    assert explained.steps == ()
    with pytest.raises(ConfigError, match="give weights to ExternalDecoder"):
        ExternalDecoder(command).translate("a")


def test_a_system_is_a_translator(system: System, sources: list[str]) -> None:
    assert shout(system, sources[0]) == system.translate(sources[0]).upper()
    explained: dict[str, Any] = system.explain(sources[0]).to_dict()
    assert explained["translation"] == explained["text"] == system.translate(sources[0])
    assert json.loads(json.dumps(explained)) == json.loads(json.dumps(explained))


def test_results_with_sparse_weights_are_rows_of_tables() -> None:
    step = TuneIteration(iteration=1, dev_score=20.0)
    sparse = SparseWeights.from_names({"pair:a|b": 1.0})
    result = TuneResult(dense={"lm": 1.0}, sparse=sparse, history=[step], best=step)
    row = dataclasses.asdict(result)  # what pandas does
    assert row["sparse"] is sparse
    assert row["history"] == [step.to_dict()]
    assert result.to_dict()["sparse_features"] == 1
