"""Near matches: the translation of a similar sentence is edited, and used where it is better."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import isogloss
from isogloss.cli.main import main
from isogloss.decoder import Fixed, Sentence
from isogloss.decoder.near_examples import AlignedPair, example_columns
from isogloss.decoder.near_matches import FEATURES, NearCandidate, NearChoice, open_examples, write_examples
from isogloss.decoder.stored_system import load
from isogloss.io.errors import ModelFormatError
from support.shared import shared_folder
from support.small_engine import make_engine

# "ja" is in no training pair, so that only the example can have given "indeed".
EXAMPLE = AlignedPair(
    ("Der", "alte", "könig", "lacht", "ja", "."),
    ("indeed", ",", "the", "old", "king", "laughs", "."),
    ((0, 2), (1, 3), (2, 4), (3, 5), (4, 0), (5, 6)),
)
MARKED = AlignedPair(
    ("lösche", "ǁ0ǁ", "ja", "?"), ("well", ",", "delete", "ǁ0ǁ", "?"), ((0, 2), (1, 3), (3, 4))
)
SENTENCE = "Der müde bauer lacht ja."
ALWAYS = NearChoice(weights={"candidate": 1.0, "widened": -1.0})


@pytest.fixture(params=["phrase", "hiero"])
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    search: str = request.param
    made = shared_folder(tmp_path_factory, f"engine-{search}", lambda folder: make_engine(folder, search))
    folder = Path(shutil.copytree(made, tmp_path / "engine"))
    write_examples(folder / "examples", example_columns([EXAMPLE, MARKED]), ALWAYS, {})
    return folder


def test_words_that_differ_are_translated_anew(engine: Path) -> None:
    system = isogloss.load(engine)
    found = system.translate(SENTENCE)
    assert (found.lower(), found.match) == ("indeed, the tired farmer laughs.", "near")
    assert found.example is not None
    assert (found.example.source, found.example.origin) == ("Der alte könig lacht ja .", "training")
    assert found.example.similarity == pytest.approx(4 / 6)
    assert found.to_dict()["example"]["similarity"] == found.example.similarity
    assert 0 < found.confidence <= 1
    assert found.tokens[:2] == ("indeed", ",")
    assert isogloss.load(engine, matches=False).translate(SENTENCE).match == ""


def test_placeholders_and_several_threads(engine: Path) -> None:
    system = isogloss.load(engine)
    lines = ["Lösche %d ja?", SENTENCE, "Heute hier oft!", "", "Lösche {x} %s ja?"] * 5
    found = list(system.translate(lines))
    assert [one.lower() for one in found[:2]] == ["well, delete %d?", "indeed, the tired farmer laughs."]
    assert list(system.translate(lines, threads=3)) == found
    assert [one.match for one in found[:4]] == ["near", "near", "", ""]


def test_given_translations_are_kept(engine: Path) -> None:
    system = isogloss.load(engine)
    sentence = Sentence.of("der müde bauer lacht ja .", fixed=[Fixed(1, 2, ("weary",))])
    found = system.translate(sentence)
    assert found.match == ""
    assert "weary" in found


def test_corrections_are_examples_too(engine: Path) -> None:
    system = isogloss.load(engine)
    system.correct("Der alte hund kommt ja heute.", "Lo, the old dog comes today.")
    found = system.translate("Der alte hund kommt ja oft.")
    assert (found.lower(), found.match) == ("lo, the old dog comes often.", "near")
    assert found.example is not None
    assert found.example.origin == "correction"
    system.undo_correction()
    again = system.translate("Der alte hund kommt ja oft.").example
    assert again is None or again.origin == "training"


def test_explanations_name_the_example(engine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    explanation = isogloss.load(engine).explain(SENTENCE)
    assert (explanation.match, explanation.used.lower()) == ("near", "indeed, the tired farmer laughs.")
    assert explanation.to_dict()["example"]["origin"] == "training"
    assert "similarity 0.67" in explanation.to_html()
    assert main(["explain", str(engine), SENTENCE]) == 0
    assert "edited from the training text (similarity 0.67)" in capsys.readouterr().err


def test_disabled_examples_are_not_used(engine: Path) -> None:
    write_examples(engine / "examples", {}, NearChoice(enabled=False), {})
    assert open_examples(engine / "examples")[0] is None
    assert isogloss.load(engine).translate(SENTENCE).match == ""


def test_the_best_candidate_must_beat_the_decoder() -> None:
    def candidate(line: str, **values: float) -> NearCandidate:
        return NearCandidate(line, None, tuple(values.get(name, 0.0) for name in FEATURES))  # type: ignore[arg-type]

    choice = NearChoice(weights={"lm": 1.0, "torn": -2.0})
    good, bad = candidate("a", lm=3.0, torn=1.0), candidate("b", lm=1.0, torn=1.0)
    assert choice.best([bad, good]) is good
    assert choice.best([bad]) is None
    assert choice.best([]) is None


def test_a_damaged_folder_is_refused(engine: Path) -> None:
    write_examples(engine / "examples", {}, NearChoice(enabled=True), {})
    with pytest.raises(ModelFormatError, match="not sound"):
        load(engine, matches=True)
