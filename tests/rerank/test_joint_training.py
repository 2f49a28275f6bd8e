"""Joint models for reranking: four ways to read a sentence pair."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isogloss.align import AlignmentModel, Alignments
from isogloss.decoder.stored_system import open_joint
from isogloss.io.errors import DataFormatError, ModelFormatError
from isogloss.neural import JointModel, JointOptions, train_joint
from isogloss.rerank import JointFeatureOptions, train_joint_feature
from isogloss.rerank.features import FeatureContext, computed
from isogloss.rerank.naming import parse_features
from support.rerank_lists import store_of

PAIRS = [
    ("das kleine haus", "the small house"),
    ("das buch dort", "that book"),
    ("ein kleines buch", "a small book"),
    ("haus dort", "the house over there"),
] * 8
SOURCE, TARGET = [source for source, _ in PAIRS], [target for _, target in PAIRS]
SIZES = {"window": 3, "history": 2, "embedding": 16, "hidden": 16, "epochs": 3, "noise": 16}
WORDS, CANDIDATES = "das kleine buch dort", ["the small book", "that book", "there the small", ""]


@pytest.fixture(scope="module")
def aligner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "align"
    AlignmentModel.train(PAIRS).save(path)
    return path


@pytest.mark.parametrize("predict", ["target", "source"])
@pytest.mark.parametrize("order", ["left-to-right", "right-to-left"])
def test_every_reading_is_a_plain_model_of_text_turned_by_hand(
    aligner: Path, tmp_path: Path, predict: str, order: str
) -> None:
    def turned(source: str, target: str) -> tuple[list[str], list[str], list[tuple[int, int]]]:
        links = AlignmentModel.load(aligner).align(source, target)
        sides = source.split(), target.split()
        if order == "right-to-left":
            links = [(len(sides[0]) - 1 - s, len(sides[1]) - 1 - t) for s, t in links]
            sides = sides[0][::-1], sides[1][::-1]
        if predict == "source":
            return sides[1], sides[0], [(t, s) for s, t in links]
        return *sides, list(links)

    text = [turned(*pair) for pair in PAIRS]
    links = Alignments.from_links(points for _, _, points in text)
    plain = train_joint(
        [given for given, _, _ in text], [to for _, to, _ in text], links, JointOptions(**SIZES)
    )
    options = JointFeatureOptions(predict=predict, order=order, **SIZES)
    train_joint_feature(SOURCE, TARGET, aligner, options).save(tmp_path / "joint")

    store = store_of({0: CANDIDATES})
    context = FeatureContext(store=store, source=[WORDS.split()])
    _, values, _ = computed(store, parse_features([f"joint:{tmp_path / 'joint'},aligner={aligner}"]), context)
    expected = [sum(plain.score(*turned(WORDS, candidate))) for candidate in CANDIDATES]
    assert values[:, 0] == pytest.approx(expected, abs=1e-4)
    assert len({*values[:, 0].tolist()}) == len(CANDIDATES)


def test_a_search_refuses_a_model_that_predicts_the_source(aligner: Path, tmp_path: Path) -> None:
    for predict in ("target", "source"):
        options = JointFeatureOptions(predict=predict, **SIZES)
        train_joint_feature(SOURCE, TARGET, aligner, options).save(tmp_path / predict)
    open_joint(tmp_path / "target")
    with pytest.raises(ModelFormatError, match="only a reranker can use"):
        open_joint(tmp_path / "source")


@pytest.mark.parametrize("reading", [{"predict": "both"}, {"speed": 1}, 3, [1]])
def test_readings_of_later_versions_are_refused(aligner: Path, tmp_path: Path, reading: object) -> None:
    model = train_joint_feature(SOURCE, TARGET, aligner, JointFeatureOptions(**SIZES))
    model.facts["reading"] = reading
    model.save(tmp_path / "joint")
    assert json.loads(json.dumps(JointModel.open(tmp_path / "joint").facts["reading"])) == reading
    with pytest.raises(ModelFormatError, match="does not know"):
        open_joint(tmp_path / "joint")


def test_sides_of_different_length_are_refused(aligner: Path) -> None:
    with pytest.raises(DataFormatError, match="32 lines found, but the source has 31"):
        train_joint_feature(SOURCE[1:], TARGET, aligner)
