"""Queries against a literal back-off model, and the stored form."""

from __future__ import annotations

import contextlib
import json
import pickle
import random
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from isogloss._engine import LmState, Vocabulary
from isogloss.io.errors import InputFileError, ModelFormatError, OutputError
from isogloss.lm import LanguageModel, LmOptions, Perplexity, build
from isogloss.storage.folder import open_folder, verify_folder, write_folder
from support.lm_oracles import BackoffModel
from support.properties import examples

WORDS = ["a", "b", "c", "d"]


def weights(least: float = -4.0, most: float = -0.01) -> st.SearchStrategy[float]:
    return st.floats(least, most).map(lambda weight: round(weight, 4))


@st.composite
def models(draw: st.DrawFn, complete: bool = False) -> BackoffModel:
    """Random models; unless complete, n-grams stand there without those they begin or end with."""
    order = draw(st.integers(1, 5))
    model = BackoffModel(order)
    choose = random.Random(draw(st.integers(0, 1 << 30)))
    for word in ("<unk>", "<s>", "</s>", *WORDS):
        model.probs[(word,)] = draw(weights())
    for k in range(2, order + 1):
        for _ in range(draw(st.integers(0, 12))):
            ngram = (
                choose.choice(["<s>", *WORDS, "<unk>"]),
                *choose.choices([*WORDS, "</s>", "<unk>"], k=k - 1),
            )
            if "</s>" in ngram[:-1]:
                continue
            if not complete or (ngram[1:] in model.probs and ngram[:-1] in model.probs):
                model.probs[ngram] = draw(weights())
    for ngram in model.probs:
        if len(ngram) < order and draw(st.booleans()):
            model.backoffs[ngram] = draw(weights(-2.0, 0.0))
    return model


relaxed = examples(
    50,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)
texts = st.lists(st.lists(st.sampled_from([*WORDS, "unseen", "<unk>"]), max_size=8), min_size=1, max_size=4)


@relaxed
@given(model=models(), lines=texts, bos=st.booleans(), eos=st.booleans())
def test_every_word_scores_as_the_literal_model_says(
    tmp_path: Path, model: BackoffModel, lines: list[list[str]], bos: bool, eos: bool
) -> None:
    path = tmp_path / "arpa"
    path.write_text(model.arpa())
    loaded = LanguageModel.load(path)
    for line in lines:
        expected = model.score_words(line, bos=bos, eos=eos)
        found = loaded.score_words(" ".join(line), bos=bos, eos=eos)
        assert [w.log10 for w in found] == pytest.approx([s for s, _ in expected], abs=1e-5)
        assert [w.word for w in found] == [*line, *(["</s>"] if eos else [])]
        assert [w.known for w in found] == [w not in ("unseen", "<unk>") for w in line] + [True] * eos
        assert all(w.matched >= length for w, (_, length) in zip(found, expected, strict=True))
        total = loaded.score(" ".join(line), bos=bos, eos=eos)
        assert total == pytest.approx(sum(s for s, _ in expected), abs=1e-4)


@relaxed
@given(model=models(complete=True), lines=texts)
def test_matched_lengths_are_those_of_the_n_grams_found(
    tmp_path: Path, model: BackoffModel, lines: list[list[str]]
) -> None:
    path = tmp_path / "arpa"
    path.write_text(model.arpa())
    loaded = LanguageModel.load(path)
    for line in lines:
        expected = model.score_words(line)
        assert [w.matched for w in loaded.score_words(" ".join(line))] == [length for _, length in expected]


@relaxed
@given(
    model=models(), histories=st.lists(st.lists(st.sampled_from(WORDS), max_size=6), min_size=2, max_size=6)
)
def test_equal_states_have_equal_futures_and_forget_what_cannot_matter(
    tmp_path: Path, model: BackoffModel, histories: list[list[str]]
) -> None:
    path = tmp_path / "arpa"
    path.write_text(model.arpa())
    engine = LanguageModel.load(path).engine
    states = []
    for history in histories:
        state = engine.begin_sentence()
        for word in history:
            state = engine.score(state, engine.find(word))[3]
        states.append((state, ("<s>", *history)))
    for state, context in states:
        length = len(state.words)
        assert length < model.order or length == 0
        for word in (*WORDS, "</s>", "unseen"):
            score = engine.score(state, engine.find(word))[0]
            assert score == pytest.approx(model.score(context, word)[0], abs=1e-5)
            if length:  # the words of the state are the whole truth
                assert score == pytest.approx(model.score(context[-length:], word)[0], abs=1e-5)
        for other, _ in states:
            assert (state == other) == (state.words == other.words)
            if state == other:
                assert hash(state) == hash(other)


def test_no_context_is_an_empty_state() -> None:
    assert LmState().words == ()
    assert LmState() == LmState()
    assert LmState() != "something else"


@pytest.fixture
def small(tmp_path: Path) -> LanguageModel:
    (tmp_path / "text").write_text("a b c\na b\nc a b c\nb\n" * 3)
    build(
        [tmp_path / "text"],
        options=LmOptions(order=3),
        binary=tmp_path / "small",
        arpa=tmp_path / "small.arpa",
    )
    return LanguageModel.load(tmp_path / "small")


def test_perplexity_counts_words_and_unknown_words(small: LanguageModel) -> None:
    lines = ["a b zzz", "", "c yyy xxx"]
    found = small.perplexity(lines)
    scores = [score for line in lines for score in small.score_words(line)]
    known = [score.log10 for score in scores if score.known]
    assert (found.sentences, found.words, found.unknown) == (3, 9, 3)
    assert found.including_unknown == pytest.approx(10 ** (-sum(s.log10 for s in scores) / 9))
    assert found.excluding_unknown == pytest.approx(10 ** (-sum(known) / 6))
    empty = small.perplexity([])
    assert np.isnan(empty.including_unknown)
    assert np.isnan(empty.excluding_unknown)
    assert found + empty == found
    hopeless = Perplexity(sentences=1, words=1, unknown=0, log10=-1e9, unknown_log10=0.0)
    assert hopeless.including_unknown == float("inf")


def test_one_call_for_many_sentences(small: LanguageModel) -> None:
    choose = random.Random(4)
    lines = [" ".join(choose.choices(["a", "b", "c", "zz"], k=choose.randint(0, 9))) for _ in range(1000)]
    one_by_one = [small.score(line) for line in lines]
    assert small.score_sentences(lines).tolist() == one_by_one
    assert small.score_sentences(iter(lines), threads=4).tolist() == one_by_one
    assert small.score_sentences([]).tolist() == []
    assert small.score_sentences(["a\tb  c \r"]).tolist() == small.score_sentences(["a b c"]).tolist()
    assert small.score_words("a\u00a0b")[0].word == "a\u00a0b"


def test_tables_in_own_memory_give_the_same_scores(small: LanguageModel, tmp_path: Path) -> None:
    lines = ["a b c", "c zzz a b", ""]
    copied = LanguageModel.load(tmp_path / "small", own_memory=True)
    assert copied.score_sentences(lines).tolist() == small.score_sentences(lines).tolist()
    with pytest.raises(ModelFormatError):
        LanguageModel.load(damaged(tmp_path, ngrams_2=np.zeros((5, 7), np.uint64)), own_memory=True)


def test_scoring_while_the_list_changes(small: LanguageModel) -> None:
    lines = [f"a b {i}" for i in range(20_000)]
    done = threading.Event()

    def change() -> None:
        while not done.is_set():
            lines[:] = [f"c {i}" for i in range(20_000)]

    thread = threading.Thread(target=change)
    thread.start()
    for _ in range(5):
        assert len(small.score_sentences(lines)) == 20_000
    done.set()
    thread.join()


def test_strings_that_are_not_text(small: LanguageModel) -> None:
    with pytest.raises((UnicodeEncodeError, RuntimeError, TypeError)):
        small.score_sentences(["\ud800"])
    with pytest.raises((TypeError, RuntimeError)):
        small.score_sentences([1])  # type: ignore[list-item]


def test_a_stored_model_is_verified_and_shows_its_words(small: LanguageModel, tmp_path: Path) -> None:
    assert verify_folder(tmp_path / "small") == 6
    assert small.vocabulary.words() == ["<unk>", "<s>", "</s>", "a", "b", "c"]
    assert small.order == 3
    other = Vocabulary()
    for word in ("c", "zzz", "a"):
        other.add(word)
    assert small.word_ids(other).tolist() == [5, 0, 3]


def damaged(tmp_path: Path, **changes: object) -> Path:
    """The stored model with other arrays or facts, sound checksums and all."""
    folder = open_folder(tmp_path / "small", kind="lm", version=1)
    arrays = dict(folder.arrays)
    attributes = dict(folder.attributes)
    for name, value in changes.items():
        if isinstance(value, np.ndarray):
            arrays[name] = value
        elif value is None:
            arrays.pop(name, None)
            attributes.pop(name, None)
        else:
            attributes[name] = value
    write_folder(tmp_path / "damaged", kind="lm", version=1, arrays=arrays, attributes=attributes)
    return tmp_path / "damaged"


@pytest.mark.parametrize(
    "changes",
    [
        {"unigrams": None},
        {"ngrams_2": None},
        {"word_index": None},
        {"order": None},
        {"order": 9},
        {"order": 2},
        {"order": "3"},
        {"special": [0, 1]},
        {"special": [0, 1, 99]},
        {"special": [0, 1, -1]},
        {"special": [0, 1, 1 << 40]},
        {"special": 3},
        {"counts": [1]},
        {"unigrams": np.zeros((5, 3), np.float32)},
        {"unigrams": np.zeros((5, 2), np.float64)},
        {"unigrams": np.zeros(5, np.float32)},
        {"ngrams_2": np.zeros((5, 7), np.uint64)},
        {"ngrams_3": np.zeros((5, 8), np.uint32)},
        {"word_index": np.zeros((5, 8), np.int64)},
    ],
    ids=str,
)
def test_arrays_and_facts_that_do_not_fit(
    small: LanguageModel, tmp_path: Path, changes: dict[str, object]
) -> None:
    with pytest.raises(ModelFormatError):
        LanguageModel.load(damaged(tmp_path, **changes))


def test_damaged_words_are_noticed_when_asked_for(small: LanguageModel, tmp_path: Path) -> None:
    model = LanguageModel.load(damaged(tmp_path, word_offsets=np.array([0, 9, 3], np.uint64)))
    assert model.score("a b") == small.score("a b")
    with pytest.raises(ModelFormatError, match="words are damaged"):
        _ = model.vocabulary


@pytest.mark.parametrize("seed", range(6))
def test_noise_in_the_tables_never_crashes(small: LanguageModel, tmp_path: Path, seed: int) -> None:
    noise = np.random.default_rng(seed)
    folder = open_folder(tmp_path / "small", kind="lm", version=1)
    changes: dict[str, object] = {}
    for name, array in folder.arrays.items():
        content = bytearray(array.tobytes())
        places = noise.integers(0, len(content), 1 + seed * 40)
        for place in places:
            content[place] = noise.integers(0, 256)
        if seed == 5:
            content = bytearray(noise.bytes(len(content)))
        changes[name] = np.frombuffer(bytes(content), array.dtype).reshape(array.shape)
    model = LanguageModel.load(damaged(tmp_path, **changes))
    lines = ["a b c zzz a b", "c c c c", ""] * 50
    with contextlib.suppress(ModelFormatError):  # a probability above 1 is noticed
        assert len(model.score_sentences(lines)) == 150
    for line in lines[:3]:
        model.score_words(line)


def test_other_folders_and_missing_files(tmp_path: Path) -> None:
    with pytest.raises(InputFileError):
        LanguageModel.load(tmp_path / "missing")
    with pytest.raises(ModelFormatError, match=r"no manifest\.json"):
        LanguageModel.load(tmp_path)
    write_folder(tmp_path / "other", kind="nbest", version=1, arrays={}, attributes={})
    with pytest.raises(ModelFormatError, match="holds a stored 'nbest'"):
        LanguageModel.load(tmp_path / "other")


def test_saving_over_something_else_is_refused(small: LanguageModel, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(OutputError, match="holds something that isogloss did not write"):
        small.save(tmp_path / "mine")
    small.save(tmp_path / "small")  # over itself, while it is mapped
    assert LanguageModel.load(tmp_path / "small").score("a b") == small.score("a b")


def test_a_newer_format_is_refused(small: LanguageModel, tmp_path: Path) -> None:
    write_folder(tmp_path / "newer", kind="lm", version=99, arrays={}, attributes={})
    with pytest.raises(ModelFormatError, match="newer than this version"):
        LanguageModel.load(tmp_path / "newer")


def test_errors_survive_pickling(tmp_path: Path) -> None:
    with pytest.raises(ModelFormatError) as caught:
        LanguageModel.load(tmp_path)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert json.dumps(str(caught.value))
