"""N-best lists as users hold them: from Python's objects, from files, and back."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from isogloss.io.errors import ConfigError, DataFormatError, InputFileError
from isogloss.nbest import Candidate, NbestList, as_nbest, read_nbest
from support.nbest_lists import moses_text as text_of
from support.nbest_lists import random_lists, read_moses

CANDIDATES = [["a house", "house", "one house"], [], ["the tree"]]
SOURCE = ["ein Haus", "nichts", "der Baum"]


def small() -> NbestList:
    return NbestList(
        CANDIDATES,
        source=SOURCE,
        references=["a house", "nothing", ["the tree", "a tree"]],
        scores=[[-1, -0.5, None], [], [-2]],
        features={"LM": [[1, 2, 3], [], [4]], "TM": np.array([0.1, 0.2, 0.3, 0.4])},
        alignments=[["0-0 1-1", [(1, 0)], None], [], [[]]],
    )


def test_sentences_and_candidates() -> None:
    nbest = small()
    assert len(nbest) == 3
    assert [[str(candidate) for candidate in own] for own in nbest] == CANDIDATES
    assert nbest[0][0] == Candidate("a house", -1.0, {"LM": 1.0, "TM": 0.1}, ((0, 0), (1, 1)))
    assert nbest[0][2].score is None
    assert nbest[1] == []
    assert nbest[-1][0].features == {"LM": 4.0, "TM": 0.4}
    with pytest.raises(IndexError):
        nbest[3]
    assert nbest.best() == ["house", "", "the tree"]
    assert nbest.source == SOURCE
    assert nbest.references is not None
    assert nbest.references.of(2) == ["the tree", "a tree"]
    assert repr(nbest) == "NbestList(3 sentences, 4 candidates; features: LM, TM)"
    many = NbestList([["a"]], features={f"f{i}": [i] for i in range(8)})
    assert repr(many) == "NbestList(1 sentence, 1 candidate; features: f0, f1, f2, f3, f4 and 3 more)"


def test_without_scores_the_first_candidate_is_best() -> None:
    assert NbestList([["x", "y"], ["z"]]).best() == ["x", "z"]
    assert NbestList([]).best() == []
    assert NbestList([[], []]).best() == ["", ""]


def test_a_slice_is_a_list_of_its_own() -> None:
    part = small()[1:]
    assert len(part) == 2
    assert part.best() == ["", "the tree"]
    assert part.source == SOURCE[1:]
    assert part.references is not None
    assert part.references.of(1) == ["the tree", "a tree"]
    assert part[1][0].features == {"LM": 4.0, "TM": 0.4}
    assert small()[::2].best() == ["house", "the tree"]
    assert len(small()[5:]) == 0
    with pytest.raises(ConfigError, match="cannot go backward"):
        small()[::-1]


def test_columns_and_back() -> None:
    nbest = small()
    columns = nbest.to_dict()
    assert list(columns) == ["sentence", "text", "score", "LM", "TM"]
    assert columns["sentence"].tolist() == [0, 0, 0, 2]
    assert {len(column) for column in columns.values()} == {4}
    again = NbestList.from_columns(columns, source=SOURCE)
    assert again.store.equals(
        NbestList(CANDIDATES, scores=nbest.scores, features={"LM": columns["LM"], "TM": columns["TM"]}).store
    )
    assert len(again) == 3
    reserved = NbestList([["a"]], features={"score": [3.0], "LM": [1.0]})
    assert list(reserved.to_dict()) == ["sentence", "text", "score", "feature.score", "LM"]
    assert NbestList.from_columns(reserved.to_dict()).store.equals(reserved.store)


def test_rows_of_a_table_may_come_in_any_order() -> None:
    nbest = NbestList.from_columns({"sentence": [1, 0, 1], "text": ["c", "a", "d"], "LM": [3, 1, 4]})
    assert [[(str(c), c.features["LM"]) for c in own] for own in nbest] == [[("a", 1)], [("c", 3), ("d", 4)]]


@settings(deadline=None, max_examples=60)
@given(random_lists)
def test_any_list_survives_pickling_and_its_own_columns(candidates) -> None:
    nbest = NbestList.from_store(read_moses(text_of(candidates)))
    again = pickle.loads(pickle.dumps(nbest))
    assert again.store.equals(nbest.store)
    assert again.texts() == nbest.texts() == list(nbest.store.texts())
    assert again.to_dict().keys() == nbest.to_dict().keys()


def test_pickling_keeps_text_and_tokenizer(tmp_path: Path) -> None:
    small().write(tmp_path / "stored", format="store")
    for nbest in (
        small(),
        NbestList.read(tmp_path / "stored", source=SOURCE),
        NbestList([["It's here."]], source=["Es ist hier."], tokenizer="moses"),
    ):
        again = pickle.loads(pickle.dumps(nbest))
        assert again.store.equals(nbest.store)
        assert (len(again), again.best(), again.source) == (len(nbest), nbest.best(), nbest.source)
        assert again.source_words() == nbest.source_words()
        assert again.store.path is None


def test_files(tmp_path: Path) -> None:
    nbest = small()
    (tmp_path / "source").write_text("\n".join(SOURCE) + "\n")
    (tmp_path / "one").write_text("a house\nnothing\nthe tree\n")
    (tmp_path / "two").write_text("\n\na tree\n")
    for format in ("moses", "jsonl", "store"):
        assert nbest.losses(format) == []
        path = tmp_path / f"list.{format}"
        nbest.write(path, format=format)
        again = NbestList.read(
            path, source=tmp_path / "source", references=[tmp_path / "one", tmp_path / "two"]
        )
        assert again.store.equals(nbest.store)
        assert again.best() == nbest.best()
        assert again.references is not None
        assert again.references.of(2) == ["the tree", "a tree"]
        assert len(NbestList.read(path, format=format)) == 3
    assert nbest.losses("fairseq")
    seen = []

    def track(items, description, total=None, /):
        seen.append(description)
        return items

    NbestList.read(tmp_path / "list.moses", progress=track)
    assert seen == [f"reading {tmp_path / 'list.moses'}"]


def test_every_form_of_a_list_is_taken(tmp_path: Path) -> None:
    nbest = NbestList([["a", "b"], ["c"]])
    nbest.write(tmp_path / "list")
    forms = [
        nbest,
        nbest.store,
        str(tmp_path / "list"),
        tmp_path / "list",
        [["a", "b"], ["c"]],
        (["a", "b"], np.array(["c"])),
        {"sentence": [0, 0, 1], "text": ["a", "b", "c"]},
    ]
    for form in forms:
        assert as_nbest(form).store.equals(read_nbest(tmp_path / "list"))
        assert as_nbest(form, source=["x", "y"], references=["a", "c"]).source == ["x", "y"]
    assert as_nbest(nbest) is nbest


def test_source_sentences_are_never_characters() -> None:
    nbest = NbestList([["a house"]], source=["ein Haus"])
    assert nbest.source_words() == [["ein", "Haus"]]
    assert NbestList([["a house"]], source=[["ein", "Haus"]]).source_words() == [["ein", "Haus"]]
    assert NbestList([["x"], []], source=np.array(["a b", "c"])).source_words() == [["a", "b"]]
    with pytest.raises(
        InputFileError, match="a single string is the name of a file; put sentences into a list"
    ):
        NbestList([["a house"]], source="ein Haus")
    with pytest.raises(InputFileError, match="put sentences into a list"):
        NbestList([["a house"]], source="ein Haus " * 500)


def test_a_tokenizer_finds_words_and_leaves_texts_alone() -> None:
    nbest = NbestList(
        [["It's a house.", "A  house!"]],
        source=["Das ist ein Haus."],
        references=["It is a house."],
        scores=[[-1, -2]],
        tokenizer="moses",
    )
    assert nbest.best() == ["It's a house."]
    assert nbest.to_dict()["text"] == ["It's a house.", "A  house!"]
    assert list(nbest.store.texts()) == ["It 's a house .", "A house !"]
    assert nbest.source_words() == [["Das", "ist", "ein", "Haus", "."]]
    words = nbest.reference_words()
    assert words is not None
    assert words.of(0) == ["It is a house ."]
    assert nbest.reordered(np.array([0.0, 1.0])).best() == ["A  house!"]
    assert list(NbestList([["abc"]], tokenizer=list).store.texts()) == ["a b c"]
    read = NbestList.from_store(NbestList([["It's."]]).store, tokenizer="moses")
    assert (read.best(), list(read.store.texts())) == (["It's."], ["It 's ."])


def test_more_features_and_other_scores() -> None:
    nbest = small().with_features({"Comet": [[1, 2, 3], [], [4]], "LM": [9, 8, 7, 6]})
    assert nbest.feature_names == ["LM", "TM", "Comet"]
    assert nbest[0][1].features == {"LM": 8.0, "TM": 0.2, "Comet": 2.0}
    assert small().feature_names == ["LM", "TM"]
    other = nbest.reordered(np.array([1.0, 2.0, 2.0, 0.0]))
    assert [str(candidate) for candidate in other[0]] == ["house", "one house", "a house"]
    assert other[0][0].features["Comet"] == 2
    assert other.source == SOURCE
    with pytest.raises(ConfigError, match="3 scores for 4 candidates"):
        nbest.reordered(np.zeros(3))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"candidates": ["a house", "b"]}, r"sentence 0 has 'a house'; a list of strings is expected"),
        ({"candidates": [["a"], 3]}, "sentence 1 has 3; a list of strings"),
        ({"candidates": [["a", 3]]}, "candidate 1 of sentence 0 is 3, a string is expected"),
        ({"candidates": [["a"], ["b ||| c"]]}, r"candidate 0 of sentence 1: the word '\|\|\|' contains"),
        ({"scores": [[1]]}, "scores: 1 values for the 2 candidates of sentence 0"),
        ({"scores": [1, 2, 3]}, "scores: 3 values for 2 candidates"),
        ({"scores": [[1, 2], [3]]}, "scores: 2 lists for 1 sentences"),
        ({"scores": [1, "high"]}, "scores: 'high' is not a number"),
        ({"scores": [1, float("inf")]}, "candidate 1 of sentence 0: the score is inf"),
        ({"features": {"LM": [1, None]}}, "feature 'LM' of candidate 1 of sentence 0 is nan"),
        ({"features": {"a b": [1, 2]}}, "'a b' is not a valid feature name"),
        ({"alignments": [["0-0"]]}, "alignments must be a list for each sentence"),
        ({"alignments": [["0-0", "0:1"]]}, "candidate 1 of sentence 0: .* is not an alignment link"),
        ({"alignments": [["0-0", [(0, 70000)]]]}, "between 0 and 65535, got 0-70000"),
        ({"source": ["a", "b"]}, "source: 2 sentences for 1 lists of candidates"),
        ({"source": [3]}, "source: sentence 1 is 3; a string or a list of words is expected"),
        ({"references": ["a", "b"]}, "references for 2 sentences, 1 are expected"),
        ({"references": [[1]]}, "references: sentence 1 has 1; a string or a list of strings"),
    ],
)
def test_mistakes_are_explained(arguments, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        NbestList(**{"candidates": [["a", "b"]], **arguments})


def test_columns_that_make_no_list() -> None:
    with pytest.raises(ConfigError, match="there is no column 'text'; there are: sentence, words"):
        NbestList.from_columns({"sentence": [0], "words": ["a"]})
    with pytest.raises(ConfigError, match="column 'sentence': whole numbers from 0"):
        NbestList.from_columns({"sentence": [-1], "text": ["a"]})
    with pytest.raises(ConfigError, match="column 'note': 'good' is not a number"):
        NbestList.from_columns({"sentence": [0], "text": ["a"], "note": ["good"]})


def test_text_that_does_not_belong_to_the_list(tmp_path: Path) -> None:
    store = NbestList([["a"], ["b"]]).store
    with pytest.raises(DataFormatError, match=r"source: 1 lines, but the list has candidates for sentence 1"):
        NbestList.from_store(store, source=["x"])
    (tmp_path / "refs.en").write_text("a\nb\n")
    with pytest.raises(ConfigError, match="is a file: give one file as a plain string"):
        NbestList.from_store(store, references=[str(tmp_path / "refs.en")])
    with pytest.raises(ConfigError, match=r"look like one list per translator"):
        NbestList([["a"], ["b"], ["c"]], references=[["a", "b", "c"], ["d", "e", "f"]])
    assert len(NbestList.from_store(store, source=["x", "y", "z"])) == 3
    with pytest.raises(ConfigError, match="source: 3 sentences for 2 lists of candidates"):
        as_nbest(NbestList([["a"], ["b"]]), source=["x", "y", "z"])


def test_features_that_some_candidates_lack_are_told(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("0 ||| a ||| LM= 1 ||| -2\n2 ||| b ||| ||| -1\n")
    nbest = NbestList.read(tmp_path / "list")
    said = f"{tmp_path}/list: feature 'LM' is missing on 1 of 2 candidates; it counts as 0 there"
    assert nbest.warnings == nbest.with_text(source=["x", "y", "z"]).warnings == [said]
    assert nbest.with_features({"LM": [1, 2]}).warnings == NbestList([["a"]]).warnings == []
    assert nbest.missing == 1
    nbest.write_best(tmp_path / "best")
    assert (tmp_path / "best").read_text() == "a\n\nb\n"
