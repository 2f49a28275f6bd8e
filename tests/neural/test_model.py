from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from isogloss.io.errors import ModelFormatError
from isogloss.neural import JointModel, JointOptions, predicted_words, source_positions
from isogloss.neural.words import END, RARE, JointWords
from support.joint_oracle import JointOracle

OPTIONS = JointOptions(window=5, history=3, embedding=32, hidden=48)


@pytest.fixture
def oracle() -> JointOracle:
    return JointOracle(["der", "hund", "bellt"], ["the", "dog", "barks", "…rks"], OPTIONS, seed=1)


def test_scores_equal_the_definition(oracle: JointOracle) -> None:
    source, target, links = ["der", "hund", "bellt"], ["the", "dog", "barks"], [(0, 0), (1, 1), (2, 2)]
    found = oracle.model().score(source, target, links)
    assert np.allclose(found, oracle.sentence(source, target, [0, 1, 2, 3]), atol=1e-5)


def test_a_word_depends_on_every_word_it_sees_and_on_no_other(oracle: JointOracle) -> None:
    model = oracle.model()
    links = [(i, i) for i in range(6)]
    source, target = ["der", "hund", "bellt", "der", "hund", "bellt"], ["the", "dog", "barks"] * 2
    before = model.score(source, target, links)
    for at in range(6):
        changed = model.score([*source[:at], "new", *source[at + 1 :]], target, links)
        # Position 6 is the end of the sentence.
        seen = [i for i in range(7) if abs(i - at) <= OPTIONS.window // 2]
        assert [i for i in range(7) if changed[i] != before[i]] == seen
        changed = model.score(source, [*target[:at], "new", *target[at + 1 :]], links)
        assert [i for i in range(7) if changed[i] != before[i]] == list(
            range(at, min(7, at + 1 + OPTIONS.history))
        )


def test_rare_words_share_a_number_with_those_that_end_alike(oracle: JointOracle) -> None:
    model = oracle.model()
    known = model.score(["der"], ["forks"], [(0, 0)])
    assert known == model.score(["der"], ["larks"], [(0, 0)])
    assert known != model.score(["der"], ["xyz"], [(0, 0)])
    assert model.score(["der"], ["xyz"], [(0, 0)]) == model.score(["der"], ["<s>"], [(0, 0)])


def test_stored_and_opened_again(oracle: JointOracle, tmp_path: Path) -> None:
    model = oracle.model()
    model.save(tmp_path / "joint")
    opened = JointModel.open(tmp_path / "joint")
    args = (["der", "hund"], ["the", "dog"], [(0, 0), (1, 1)])
    assert opened.score(*args) == model.score(*args)
    assert opened.sizes == {"window": 5, "history": 3, "embedding": 32, "hidden": 48}


def test_sizes_that_do_not_fit_are_refused(oracle: JointOracle) -> None:
    model = oracle.model()
    for name in model.arrays:
        arrays = {**model.arrays, name: model.arrays[name].reshape(-1)[:-1]}
        with pytest.raises(ValueError, match=f"{name} has another size"):
            JointModel(model.sizes, model.source_words, model.target_words, arrays, {})
    with pytest.raises(ValueError, match="vocabularies"):
        JointModel(model.sizes, JointWords(["a"]), model.target_words, model.arrays, {})


def test_a_folder_of_another_shape_is_refused(oracle: JointOracle, tmp_path: Path) -> None:
    model = oracle.model()
    model.sizes["hidden"] = 64
    model.save(tmp_path / "joint")
    with pytest.raises(ModelFormatError, match="is not a joint model"):
        JointModel.open(tmp_path / "joint")


def test_positions_of_words_without_links() -> None:
    assert source_positions([], 3, 2) == [0, 0, 3]
    # The nearest word with a link; the right one of two equally near.
    assert source_positions([(0, 0), (3, 2)], 4, 4) == [0, 3, 3, 3, 4]
    # The middle one of several; of two, the second.
    assert source_positions([(0, 0), (1, 0), (2, 0), (3, 1), (0, 1)], 4, 2) == [1, 3, 4]


def test_expected_words_are_those_with_the_highest_scores(oracle: JointOracle) -> None:
    model = oracle.model()
    source, target, links = ["der", "hund"], ["the", "barks"], [(0, 0), (1, 1)]
    found = predicted_words(model, source, target, links, count=2)
    assert [one.word for one in found] == ["the", "barks", ""]
    assert np.allclose([one.score for one in found], model.score(source, target, links), atol=1e-5)
    numbers, history = oracle.source.numbers(source), list[int]()
    for one, position, word in zip(found, (0, 1, 2), [*oracle.target.numbers(target), END], strict=True):
        known = {
            name: oracle.score(numbers, position, history, number)
            for number, name in enumerate(oracle.target.words)
            if number == END or (number > RARE and not name.startswith("\N{HORIZONTAL ELLIPSIS}"))
        }
        best = sorted(known, key=known.__getitem__, reverse=True)[:2]
        assert list(one.likely) == ["" if name == "</s>" else name for name in best]
        history.insert(0, word)
