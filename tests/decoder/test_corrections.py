"""Corrections: the same source comes back as corrected, phrases are learned, and nothing is ever half
done."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import isogloss
from isogloss.decoder.added_rules import _new_words, changed_words
from isogloss.decoder.beside import beside
from isogloss.errors import ConfigError, DataFormatError
from isogloss.storage.folder import verify_folder
from support.fork_server import ForkServer
from support.shared import shared_folder
from support.small_engine import make_engine

KNOWN, NEW = "Der alte könig schläft heute.", "Der Zwerg kommt oft."


@pytest.fixture(scope="session", params=["phrase", "hiero"])
def engine_once(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    search: str = request.param
    return shared_folder(tmp_path_factory, f"engine-{search}", lambda folder: make_engine(folder, search))


@pytest.fixture
def engine(engine_once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(engine_once, tmp_path / "engine"))


def test_the_same_source_returns_the_correction_as_it_was_typed(engine: Path) -> None:
    system = isogloss.load(engine)
    typed = "  „So“ –  genau!\tSo "
    made = system.correct(KNOWN, typed)
    assert (made.number, made.source, made.target) == (1, KNOWN, typed)
    for loaded in (system, isogloss.load(engine), isogloss.load(engine / "system")):
        found = loaded.translate(KNOWN)
        assert (found, found.match, found.source) == (typed, "correction", KNOWN)
        assert found.confidence == 1
        assert found.to_dict()["match"] == "correction"
        assert loaded.translate(f" {KNOWN[:-1]} . ") == typed  # the tokens are the same
    assert isogloss.load(engine, corrections=False).translate(KNOWN) == "The old king sleeps today."


def test_other_lines_of_a_batch_are_searched(engine: Path) -> None:
    system = isogloss.load(engine, matches=False)
    lines = ["Der alte hund lacht hier.", KNOWN, "", "Der müde bauer lacht hier."]
    before = list(system.translate(lines))
    system.correct(KNOWN, "x")
    assert list(system.translate(lines)) == [before[0], "x", *before[2:]]
    assert [one.match for one in system.translate(lines)] == ["", "correction", "", ""]


def test_placeholders_of_another_source(engine: Path) -> None:
    system = isogloss.load(engine)
    system.correct("Lösche %s hier?", "Shall %s go?")
    assert system.translate("Lösche %i hier?") == "Shall %i go?"


def test_tokens(engine: Path) -> None:
    system = isogloss.load(engine)
    assert system.text is not None
    system.correct(KNOWN, "Long live the king!")
    expected = system.text.tokenize_target("Long live the king!", KNOWN)  # in the engine's own case
    assert expected.lower() == "long live the king !"
    assert system.translate(system.text.tokenize(KNOWN), tokenized=True) == expected


def test_sentences_that_share_a_phrase_learn_it(engine: Path) -> None:
    system = isogloss.load(engine)
    before = system.translate("Der Zwerg lacht hier.")
    assert "Zwerg" in before
    system.correct(NEW, "The dwarf comes often.")
    for loaded in (system, isogloss.load(engine)):
        found = loaded.translate("Der Zwerg lacht hier.")
        assert (found, found.match) == ("The dwarf laughs here.", "")
        assert loaded.translate("Der junge hund lacht heute.") == "The young dog laughs today."
    system.undo_correction()
    assert system.translate("Der Zwerg lacht hier.") == before


def test_weights_that_are_set_later_hold_for_corrected_phrases_too(engine: Path) -> None:
    system = isogloss.load(engine, matches=False)
    system.correct(NEW, "The dwarf comes often.")
    line = "Der Zwerg lacht hier."
    before = system.translate(line).score
    system.save_weights({name: 2 * weight for name, weight in system.weights.items()})
    assert system.translate(line).score == pytest.approx(2 * before)


def test_the_last_correction_of_a_source_holds_and_can_be_undone(engine: Path) -> None:
    system = isogloss.load(engine)
    for target in ("one", "two", "three"):
        system.correct(KNOWN, target)
    system.correct(NEW, "four")
    assert [(one.number, one.target) for one in system.corrections()] == [(3, "three"), (4, "four")]
    assert system.undo_correction(KNOWN).target == "three"
    assert system.translate(KNOWN) == "two"
    assert system.undo_correction(1).target == "one"
    assert system.undo_correction().number == 4
    assert [one.target for one in system.corrections()] == ["two"]
    assert system.correct(KNOWN, "two").number == 2  # is there already
    assert system.correct(KNOWN, "five").number == 5  # numbers are not used again
    with pytest.raises(ConfigError, match="no correction has the number 1"):
        system.undo_correction(1)
    with pytest.raises(ConfigError, match="no correction has the source 'x'"):
        system.undo_correction("x")


@pytest.mark.parametrize(("source", "target"), [("", "a"), ("a", " \n"), ("a\0", "b"), ("a", "\ud800")])
def test_what_is_no_text_is_refused(engine: Path, source: str, target: str) -> None:
    system = isogloss.load(engine)
    with pytest.raises(DataFormatError, match="corrections:2"):
        system.correct_all([(KNOWN, "x"), (source, target)])
    assert system.corrections() == []


def test_many_lines(engine: Path) -> None:
    """A message is matched as a whole; its lines teach phrases if they correspond."""
    system = isogloss.load(engine)
    system.correct_all(
        [(f"{KNOWN}\n{NEW}", "Good night!\nThe dwarf comes often."), ("Hier.\n\nDort.", "Here")]
    )
    assert system.translate("Hier.\n\nDort.") == "Here"
    assert system.translate("Der Zwerg lacht hier.") == "The dwarf laughs here."


def test_an_engine_without_an_aligner_says_that_phrases_do_not_learn(engine: Path) -> None:
    shutil.rmtree(engine / "aligner")
    shutil.rmtree(engine / "matches")
    system = isogloss.load(engine)
    assert "no aligner" in system.why_no_phrases
    system.correct(NEW, "The dwarf comes often.")
    assert isogloss.load(engine).translate(NEW) == "The dwarf comes often."
    assert "Zwerg" in system.translate("Der Zwerg lacht hier.")


def test_a_loaded_system_sees_what_others_correct(engine: Path) -> None:
    mine, other = isogloss.load(engine), isogloss.load(engine)
    assert mine.translate(KNOWN) == "The old king sleeps today."
    other.correct(KNOWN, "x")
    assert mine.translate(KNOWN) == "x"
    other.undo_correction()
    assert mine.translate(KNOWN) == "The old king sleeps today."


def test_writers_wait_for_each_other(engine: Path, fork_server: ForkServer) -> None:
    words = [("correct", str(engine), f"satz {number}", f"sentence {number}") for number in range(8)]
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda command: fork_server.run(*command), words))
    assert [one.returncode for one in done] == [0] * 8
    system = isogloss.load(engine)
    found = system.corrections()
    assert sorted(one.source for one in found) == [f"satz {number}" for number in range(8)]
    assert sorted(one.number for one in found) == list(range(1, 9))
    assert len(list((engine / "corrections").glob("overlay-*"))) == 1
    assert system.overlay is not None


@pytest.mark.parametrize("stride", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_killed_at_changes_of_the_file_system(
    engine: Path, fork_server: ForkServer, tmp_path: Path, stride: int
) -> None:
    isogloss.load(engine).correct(KNOWN, "old")
    line = "Der Zwerg lacht hier."
    seen = set()
    change, killed = 0, True
    while killed:
        change += stride
        copy = tmp_path / f"step{change}"
        shutil.copytree(engine, copy)
        killed = fork_server.killed(["correct", str(copy), NEW, "The dwarf comes often."], change=change)
        system = isogloss.load(copy)
        new = len(system.corrections()) == 2
        seen.add(new)
        assert system.translate(KNOWN) == "old"
        assert (system.translate(NEW) == "The dwarf comes often.") == new
        assert (system.translate(line) == "The dwarf laughs here.") == new
        verify_folder(copy / "corrections")
        system.correct(NEW, "The dwarf comes often.")
        assert system.translate(line) == "The dwarf laughs here."
        assert len(list((copy / "corrections").glob("overlay-*"))) == 1
        shutil.rmtree(copy)
    assert seen == {False, True}
    assert change > 5


def test_corrections_are_beside_a_trained_system_and_in_any_other(engine: Path, tmp_path: Path) -> None:
    assert beside(engine / "system", "corrections") == engine / "corrections"
    shutil.copytree(engine / "system", tmp_path / "system")
    assert beside(tmp_path / "system", "corrections") == tmp_path / "system" / "corrections"
    alone = isogloss.load(tmp_path / "system")
    alone.correct(KNOWN, "x")
    assert isogloss.load(tmp_path / "system").translate(KNOWN) == "x"


def test_training_again_keeps_corrections(engine: Path) -> None:
    system = isogloss.load(engine)
    system.correct(NEW, "The dwarf comes often.")
    make_engine(engine, "phrase" if system.options.hierarchical else "hiero")  # other rules
    for loaded in (isogloss.load(engine), isogloss.load(engine / "system")):
        assert loaded.translate(NEW) == "The dwarf comes often."
        assert loaded.translate("Der Zwerg lacht hier.") == "The dwarf laughs here."


def test_scores_are_of_the_engine_alone(engine: Path) -> None:
    """A correction of a sentence of the development set must not change its score."""
    scores = (engine / "results.json").read_bytes()
    line = (engine / "input" / "dev_source.txt").read_text().splitlines()[0]
    isogloss.load(engine).correct(line, "x")
    (engine / "results.json").unlink()
    make_engine(engine, "hiero" if isogloss.load(engine).options.hierarchical else "phrase")
    assert (engine / "results.json").read_bytes() == scores


def test_a_single_word_is_learned_only_if_it_was_left_untranslated(engine: Path) -> None:
    system = isogloss.load(engine)
    line = "Heute lacht Zwerg."
    before = system.translate(line)
    assert "Zwerg" in before
    system.correct(NEW, "The tiny old dwarf comes often.")  # no word is linked to it alone
    assert system.translate(line) == before
    system.correct(NEW, "The dwarf comes often.")
    assert system.translate(line).casefold() == before.replace("Zwerg", "dwarf").casefold()


def test_new_words() -> None:
    pair, links = ("a b c", "A B C"), [(0, 0), (1, 1), (2, 2)]
    assert _new_words([pair], [links], ["A b C"]) == {("b", "B")}
    assert _new_words([pair], [links], ["A x C"]) == set()  # the system offers something for it
    assert _new_words([pair], [[(0, 0), (1, 1), (2, 1)]], ["A b C"]) == set()
    assert _new_words([("a b", "A b")], [[(0, 0), (1, 1)]], ["x b"]) == set()  # it stays as it is


def test_changed_words() -> None:
    links = [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert changed_words("a b c d", "a b c d", links) == set()
    assert changed_words("a x c d", "a b c d", links) == {1}
    assert changed_words("a b x c d", "a b c d", links) == {1, 2}  # a word too many between them
    assert changed_words("", "a b", [(4, 0), (5, 1)]) == {4, 5}
