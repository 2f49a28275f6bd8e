"""Mistakes that gave wrong numbers in silence once: each is refused, or said, or harmless now."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import numpy as np
import pytest

from isogloss.align import AlignmentModel
from isogloss.io.errors import ConfigError
from isogloss.lm import LanguageModel
from isogloss.nbest import NbestList, make_nbest
from isogloss.rerank import FeatureContext, Reranker, as_functions
from isogloss.rerank.features import computed
from isogloss.rerank.sanity import text_doubts
from support.rerank_lists import ARPA, sentences

LINES = sentences(60)
STORE = make_nbest([line.split() for line in LINES], candidates=8, seed=1)


def words_of(store_texts: list[str]) -> float:
    return float(np.mean([len(text.split()) for text in store_texts]))


# Source text.


def test_plain_strings_as_source_are_sentences_not_characters() -> None:
    [(_, as_strings, _), (_, as_words, _)] = [
        computed(STORE, as_functions("lengths"), FeatureContext(store=STORE, source=source))
        for source in (LINES, [line.split() for line in LINES])
    ]
    np.testing.assert_array_equal(as_strings, as_words)
    with pytest.raises(ConfigError, match="source: 59 sentences for the 60 sentences of the list"):
        FeatureContext(store=STORE, source=LINES[1:])


def test_plain_strings_as_references_of_a_synthetic_list_are_sentences() -> None:
    store = make_nbest(["a b c d e", "f g h"], candidates=3, seed=1)
    assert words_of(list(store.texts())) > 2


# The decoder's own score.


def test_the_score_is_a_feature_unless_a_column_says_the_same() -> None:
    texts, scores = [["a b c", "a b", "b"]] * 30, [[-1.0, -2.0, -3.0]] * 30
    plain = NbestList(texts, scores=scores, features={"LM": [[1.0, 2.0, 1.5]] * 30})
    assert Reranker().fit(plain, ["a b c"] * 30).feature_names == ("LM", "Score")
    assert Reranker(score=False).fit(plain, ["a b c"] * 30).feature_names == ("LM",)
    assert Reranker("score:label=Own").fit(plain, ["a b c"] * 30).feature_names == ("LM", "Own")
    assert Reranker(columns=["LM"]).fit(plain, ["a b c"] * 30).feature_names == ("LM",)
    same = plain.with_features({"Total": [[-1.00001, -2.0, -3.0]] * 30})
    assert Reranker().fit(same, ["a b c"] * 30).feature_names == ("LM", "Total")
    alone = NbestList(texts, scores=scores)
    assert Reranker().fit(alone, ["a b c"] * 30).feature_names == ("Score",)


def test_a_reranker_that_is_worse_than_the_list_is_not_stored(tmp_path: Path) -> None:
    rng = random.Random(1)
    references = [" ".join(rng.choices("abcdefghij", k=9)) for _ in range(40)]
    # The list is in the right order, and its only feature is noise.
    candidates = [[line, line[:-4] + " x x", "x " + line[2:]] for line in references]
    noise = [[rng.random() for _ in own] for own in candidates]
    nbest = NbestList(candidates, references=references, features={"Noise": noise})
    reranker = Reranker().fit(nbest)
    assert reranker.training is not None
    assert reranker.training.worse
    with pytest.raises(ConfigError, match=r"worse than the order of the list: \d+\.\d\d BLEU in cross-valid"):
        reranker.save(tmp_path / "model")
    assert not (tmp_path / "model").exists()
    reranker.save(tmp_path / "model", force=True)
    assert Reranker.load(tmp_path / "model").feature_names == ("Noise",)
    useful = nbest.with_features({"Noise": [[1.0, 0.0, 0.0]] * 40})
    Reranker().fit(useful).save(tmp_path / "other")


# Models that travel.


def write_models(folder: Path) -> None:
    folder.mkdir()
    (folder / "lm.arpa").write_text(ARPA.replace("b", "the").replace("c", "cat").replace("uncat", "unc"))
    LanguageModel.load(folder / "lm.arpa").save(folder / "lm")
    AlignmentModel.train([(line, line) for line in LINES]).save(folder / "align")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "models"
    write_models(folder)
    return folder


def test_a_model_takes_its_files_along(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "here"
    shutil.copytree(models, here)
    monkeypatch.chdir(here)
    nbest = NbestList.from_store(STORE, source=LINES, references=LINES)
    reranker = Reranker("lm:lm model1:align").fit(nbest)
    expected = reranker.scores(nbest)
    reranker.save("model", force=True)
    shutil.move(here / "model", tmp_path / "moved")
    monkeypatch.chdir(tmp_path)
    shutil.rmtree(here)
    loaded = Reranker.load("moved")
    np.testing.assert_array_equal(loaded.scores(nbest), expected)
    monkeypatch.chdir("/")
    np.testing.assert_array_equal(Reranker.load(tmp_path / "moved").scores(nbest), expected)
    # Stored again, it takes them along again, and an earlier copy is gone.
    loaded = Reranker.load(tmp_path / "moved")
    loaded.save(tmp_path / "again", force=True)
    assert len(list((tmp_path / "again" / "resources").iterdir())) == 2
    Reranker("lm:" + str(models / "lm")).fit(nbest).save(tmp_path / "again", force=True)
    assert len(list((tmp_path / "again" / "resources").iterdir())) == 1
    # A damaged copy is found out.
    manifest = next((tmp_path / "again" / "resources").iterdir()) / "manifest.json"
    manifest.write_bytes(manifest.read_bytes() + b" ")
    with pytest.raises(ConfigError, match="is not the file that the feature"):
        Reranker.load(tmp_path / "again").scores(nbest)


def test_without_copies_files_may_move_together_with_the_model(models: Path, tmp_path: Path) -> None:
    shutil.copytree(models, tmp_path / "a" / "models")
    nbest = NbestList.from_store(STORE, source=LINES, references=LINES)
    reranker = Reranker(f"lm:{tmp_path / 'a' / 'models' / 'lm'}").fit(nbest)
    reranker.save(tmp_path / "a" / "model", force=True, bundle=False)
    assert not (tmp_path / "a" / "model" / "resources").exists()
    expected = reranker.scores(nbest)
    (tmp_path / "a").rename(tmp_path / "b")
    np.testing.assert_array_equal(Reranker.load(tmp_path / "b" / "model").scores(nbest), expected)


# What does not belong together.


def doubts(nbest: NbestList) -> list[str]:
    told: list[str] = []
    training = Reranker(check_folds=0).fit(nbest, warn=told.append).training
    assert training is not None
    assert list(training.warnings) == told
    return told


def natural_list(**changes: object) -> NbestList:
    """Sentences of different lengths, about different things."""
    rng = random.Random(7)
    words = [f"word{i}" for i in range(400)]
    lines = [" ".join(rng.choices(words, k=rng.randrange(4, 20))) for _ in range(80)]
    made = make_nbest([line.split() for line in lines], candidates=6, seed=2)
    source = [line.replace("word", "wort") for line in lines]
    texts = {"source": source, "references": lines, **changes}
    return NbestList.from_store(made, **texts)  # type: ignore[arg-type]


def test_a_sound_list_raises_no_doubts() -> None:
    assert doubts(natural_list()) == []


def test_references_of_another_set() -> None:
    other = [f"other{i} things{i} here{i % 7} and{i} there" for i in range(80)]
    assert any("references of another set?" in doubt for doubt in doubts(natural_list(references=other)))


def test_a_list_in_another_order() -> None:
    references = natural_list().references
    assert references is not None
    lines = [references.of(i)[0] for i in range(80)]
    mixed = list(lines)
    random.Random(3).shuffle(mixed)
    assert any(
        "has another order than the references" in doubt for doubt in doubts(natural_list(references=mixed))
    )
    shifted = [*lines[1:], lines[0]]
    found = doubts(natural_list(references=shifted))
    assert any("the reference of the previous sentence better than their own" in doubt for doubt in found)


def test_source_of_another_set_and_source_equal_to_the_references() -> None:
    nbest = natural_list()
    assert nbest.references is not None
    lines = [nbest.references.of(i)[0] for i in range(80)]
    same = doubts(natural_list(source=lines))
    assert any("source and references are the same text in 100% of the sentences" in doubt for doubt in same)
    mixed = list(nbest.source or ())
    random.Random(5).shuffle(mixed)
    assert any(
        "the lengths of source and candidates" in doubt for doubt in doubts(natural_list(source=mixed))
    )


def test_a_source_that_is_not_the_one_in_the_list() -> None:
    nbest = natural_list()
    assert nbest.references is not None
    lines = list(nbest.source or ())
    answers = [
        {"source": line, "samples": [one.text for one in own]} for line, own in zip(lines, nbest, strict=True)
    ]
    references = [nbest.references.of(i)[0] for i in range(80)]

    def found(source: list[str] | None) -> list[str]:
        given = NbestList.from_outputs(answers, source=source, references=references)
        return [doubt for doubt in text_doubts(given) if "a source of its own" in doubt]

    assert found(None) == []
    assert found([line.replace(".", " .") for line in lines]) == []
    assert "differs in 100% of the sentences" in found(lines[1:] + lines[:1])[0]


def test_scores_with_the_wrong_sign() -> None:
    nbest = natural_list()
    costs = NbestList.from_store(nbest.reordered(nbest.scores).store, references=nbest.references)
    turned = costs.with_features({})
    negative = NbestList(
        [[one.text for one in own] for own in turned],
        references=nbest.references,
        scores=[[-float(one.score or 0) for one in own] for own in turned],
    )
    assert any("are the scores costs?" in doubt for doubt in doubts(negative))
    assert not any("are the scores costs?" in doubt for doubt in doubts(nbest))


def test_one_absurd_value() -> None:
    nbest = natural_list()
    values = np.random.default_rng(1).normal(size=len(nbest.scores))
    values[17] = -1e9
    found = doubts(nbest.with_features({"Odd": values}))
    assert any("feature 'Odd' of a candidate of sentence 2 is -1e+09" in doubt for doubt in found)


def test_a_model_recognizes_the_list_it_was_trained_on(tmp_path: Path) -> None:
    nbest = natural_list()
    reranker = Reranker().fit(nbest)
    reranker.save(tmp_path / "model", force=True)
    loaded = Reranker.load(tmp_path / "model")
    assert "trained on this same list" in loaded.rerank(nbest).warnings[0]
    assert loaded.rerank(nbest[:40]).warnings == []


# Functions of users.


def test_errors_in_user_code_name_file_and_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def feature(source, candidate):\n    return source[100]\n", "utf-8")
    nbest = NbestList([["a", "b"]] * 20, source=["x"] * 20, references=["a"] * 20)
    with pytest.raises(ConfigError, match=r"mine\.py: feature\(\) failed at .*mine\.py, line 2: IndexError"):
        Reranker(f"python:{file}").fit(nbest)
    bare = NbestList([["a", "b"]] * 20, references=["a"] * 20)
    with pytest.raises(ConfigError, match=r"mine\.py: feature\(\) needs the source text"):
        Reranker(f"python:{file}").fit(bare)
    file.write_text("def feature(candidate):\n    return len(candidate)\n", "utf-8")
    assert Reranker(f"python:{file}").fit(bare).feature_names == ("Python",)

    def broken(candidate: str) -> float:
        raise KeyError("nothing")

    with pytest.raises(ConfigError, match=r"'broken' failed at .*test_sanity\.py, line \d+: KeyError"):
        Reranker([broken]).fit(bare)
